/** A configuration that is changed while the gateway runs: what applies at once, what waits, and what changes nothing. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { watchConfig } from '../../src/app/reload.ts';
import { describeSettings } from '../../src/config/describe.ts';
import { applyLive } from '../../src/config/live.ts';
import { configSchemaWith } from '../../src/config/schema.ts';
import { accessRulesOf, type Config, configOf, configuredViber } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { eventually } from '../helpers/eventually.ts';

const home = await mkdtemp(join(tmpdir(), 'viber-reload-'));
afterAll(() => rm(home, { recursive: true, force: true }));

const read = async (text: string): Promise<Config> => (await configOf(text, 'config.yaml', {})).config;

const BEFORE = `model: a/b
fallback: [c/d]
channels: { telegram: { token: "1:a", access: { allow: [1001] } } }
conversations: { "telegram:-5": { viber: default } }
limits: { runs: 4, tokensPerDay: 10 }
`;

describe('a change', () => {
  test('of what is looked at each time is in use, for those who hold a list or a section too', async () => {
    const used = await read(BEFORE);
    const { fallback, limits } = used;
    const { allow } = accessRulesOf(used, { channel: 'telegram' });
    const next = await read(
      BEFORE.replace('a/b', 'a/c')
        .replace('[c/d]', '[e/f, g/h]')
        .replace('[1001]', '[1001, 1002]')
        .replace('10 }', '20 }'),
    );
    expect(await applyLive(used, next)).toEqual({
      applied: ['model', 'fallback', 'channels.telegram.access.allow', 'limits.tokensPerDay'],
      waiting: [],
    });
    expect(used.model).toBe('a/c');
    expect(fallback).toEqual(['e/f', 'g/h']);
    expect(limits.tokensPerDay).toBe(20);
    expect(allow).toEqual(['1001', '1002']);
  });

  test('adds and removes entries that people have named', async () => {
    const used = await read(BEFORE);
    const at = (chat: string) => configuredViber(used, { channel: 'telegram', chat, isDirect: false });
    const next = await read(BEFORE.replace('"telegram:-5": { viber: default }', '"telegram:-6": { viber: dev }'));
    expect((await applyLive(used, next)).applied).toEqual(['conversations.telegram:-5', 'conversations.telegram:-6']);
    expect([at('-5'), at('-6')]).toEqual(['default', 'dev']);
  });

  test('of anything else waits, and the rest applies', async () => {
    const used = await read(BEFORE);
    const next = await read(
      `${BEFORE.replace('runs: 4', 'runs: 5').replace('1:a', '2:b')}http: { port: 1 }\nmaxSteps: 7\n`,
    );
    expect(await applyLive(used, next)).toEqual({
      applied: ['maxSteps'],
      waiting: ['channels.telegram.token', 'http.port', 'limits.runs'],
    });
    expect(used).toMatchObject({ maxSteps: 7, limits: { runs: 4 }, http: { port: 6009 } });
    expect(used.channels.telegram?.token).toBe('1:a');
  });

  test('that adds or removes a channel waits as a whole', async () => {
    const used = await read('model: a/b\n');
    const { applied, waiting } = await applyLive(used, await read(BEFORE));
    expect(applied).not.toContain('channels.telegram.access.allow');
    expect(waiting).toContain('channels.telegram.token');
    expect(used.channels.telegram).toBeUndefined();
    const on = await read(BEFORE);
    await applyLive(on, await read('model: a/b\n'));
    expect(on.channels.telegram?.access.allow).toEqual(['1001']);
  });

  test('is none where nothing differs', async () => {
    expect(await applyLive(await read(BEFORE), await read(BEFORE))).toEqual({ applied: [], waiting: [] });
  });
});

test('settings that apply at once are marked in the schema, and none of them is a secret or an address', async () => {
  const live = describeSettings(await configSchemaWith()).flatMap(({ shown, isLive }) => (isLive ? [shown] : []));
  expect(live.length).toBeGreaterThan(40);
  expect(live).toEqual(
    expect.arrayContaining(['model', 'channels.slack.access.chats', 'web.hosts', 'history.maxTokens']),
  );
  expect(live.filter((name) => /token$|secret|url|apiKey|host$|port|engine|people/i.test(name))).toEqual([]);
});

describe('the file', () => {
  const file = join(home, 'config.yaml');
  beforeEach(() => writeFile(file, BEFORE));

  function watching(config: Config) {
    const lines: string[] = [];
    const log = createLog({ level: 'info', pretty: false, write: (line) => void lines.push(line) });
    const watch = watchConfig({ config, file, home, log });
    onTestFinished(() => watch.close());
    return watch.ready.then(() => lines);
  }

  test('is read again when it has changed, and a wrong one changes nothing', async () => {
    const config = await read(BEFORE);
    const lines = await watching(config);
    await writeFile(file, BEFORE.replace('a/b', 'a/c'));
    await eventually(() => expect(config.model).toBe('a/c'));
    await writeFile(file, 'model: gpt\n');
    await eventually(() => expect(lines.join('')).toContain('so the previous one stays in use'));
    expect(lines.join('')).toContain('model: expected provider/model');
    expect(config.model).toBe('a/c');
    await writeFile(file, `${BEFORE}http: { port: 1 }\n`);
    await eventually(() => expect(lines.join('')).toContain('apply after a restart'));
    await eventually(() => expect(config.model).toBe('a/b'));
  });
});
