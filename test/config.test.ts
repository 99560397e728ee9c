// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the syntax under test
/** The configuration as a person meets it: files of every quality in, settings or a list of wrong keys out. */

import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { channelKinds } from '../src/channels/index.ts';
import { withSettings, writeSettings } from '../src/config/edit.ts';
import { unreadLines as unreadSaid, withEnvFile, writeEnvFile } from '../src/config/env-file.ts';
import { secretFileProblems } from '../src/config/secret-files.ts';
import { accessRulesOf, configuredViber, loadAgent, loadConfig as loadSaid, terminalEnabled } from '../src/config.ts';
import { ConfigError, problemSaid } from '../src/errors.ts';
import { scrub } from '../src/log.ts';
import { messagesIn } from '../src/messages/messages.ts';
import { defaults } from './helpers/defaults.ts';
import { ownTime } from './helpers/own-time.ts';
import { tempFolder } from './helpers/temp.ts';

const { said } = messagesIn('en');

/** The configuration, with its warnings in English. */
async function loadConfig(options: Parameters<typeof loadSaid>[0]) {
  const loaded = await loadSaid(options);
  return { ...loaded, warnings: loaded.warnings.map(said) as string[] };
}

const unreadLines = (home: string): string[] => unreadSaid(home).map(said);
const agentIn = async (home: string, viber: string) => {
  const agent = await loadAgent(home, viber);
  return { ...agent, warnings: agent.warnings.map(said) };
};

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'viber-config-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function load(text: string, env: NodeJS.ProcessEnv = {}, name = 'config.yaml') {
  await writeFile(join(home, name), text);
  return loadConfig({ home, env });
}

/** The problems of a configuration that must be refused, as `path: message`. */
async function problems(text: string, env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const error: unknown = await load(text, env).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error('the configuration was taken', { cause: error });
  return error.problems.map(({ path, message }) => (path ? `${path}: ${message}` : message));
}

describe('without a file', () => {
  test('everything has its default and the terminal is on', async () => {
    const { config, source, warnings } = await loadConfig({ home, env: {} });
    expect(config).toEqual(defaults);
    expect(config).not.toBe(defaults);
    expect(source).toBeUndefined();
    expect(warnings).toEqual([]);
    expect(terminalEnabled(config)).toBe(true);
  });

  test('a home that does not exist yet is no mistake', async () => {
    expect((await loadConfig({ home: join(home, 'not', 'there'), env: {} })).config).toEqual(defaults);
  });

  test('an empty file-less section gives the same as no file', async () => {
    const { config } = await load('http:\nmemory:\nchannels:\n  # telegram:\nlog: {}\n');
    expect(config).toEqual(defaults);
  });

  test('TELEGRAM_BOT_TOKEN switches Telegram on and the terminal off', async () => {
    const env = { TELEGRAM_BOT_TOKEN: ' 1234567:aaaaaaaaaaaa\n', TELEGRAM_API_ROOT: 'http://127.0.0.1:8081/' };
    const { config } = await loadConfig({ home, env });
    expect(config.channels.telegram).toEqual({
      token: '1234567:aaaaaaaaaaaa',
      apiRoot: 'http://127.0.0.1:8081',
      mode: 'polling',
      localFiles: [],
      pollSeconds: 30,
      access: { dm: 'pairing', groups: 'mention', allow: [], chats: [], memory: 'direct' },
      live: 'auto',
      injection: 'steer',
      attach: 'auto',
    });
    expect({ ...config, channels: defaults.channels }).toEqual(defaults);
    expect(terminalEnabled(config)).toBe(false);
    expect(scrub('https://x/bot1234567:aaaaaaaaaaaa/getMe')).not.toContain('aaaaaaaaaaaa');
  });

  test('a variable that is set to nothing is not set', async () => {
    const { config } = await loadConfig({ home, env: { TELEGRAM_BOT_TOKEN: '', DISCORD_BOT_TOKEN: '' } });
    expect(config).toEqual(defaults);
  });

  test('DISCORD_BOT_TOKEN switches Discord on, with the addresses of the environment', async () => {
    const env = {
      DISCORD_BOT_TOKEN: ' MTAwMQ.abcdef.ghijklmnop\n',
      DISCORD_API_ROOT: 'http://127.0.0.1:9000/api/',
      DISCORD_CDN_ROOT: 'http://127.0.0.1:9000/cdn',
    };
    const { config, warnings } = await loadConfig({ home, env });
    expect(config.channels).toEqual({
      terminal: { enabled: 'auto' },
      discord: {
        token: 'MTAwMQ.abcdef.ghijklmnop',
        apiRoot: 'http://127.0.0.1:9000/api',
        cdnRoot: 'http://127.0.0.1:9000/cdn',
        threads: 'per-task',
        guilds: [],
        archiveMinutes: 1,
        access: { dm: 'pairing', groups: 'mention', allow: [], chats: [], memory: 'direct' },
        live: 'auto',
        injection: 'steer',
        attach: 'auto',
      },
    });
    expect(warnings).toEqual([]);
    expect(terminalEnabled(config)).toBe(false);
    expect(scrub('Bot MTAwMQ.abcdef.ghijklmnop')).toBe('Bot [secret]');
  });

  test('SLACK_BOT_TOKEN needs a second secret, which chooses the mode', async () => {
    const bot = { SLACK_BOT_TOKEN: 'xoxb-1234567890' };
    const socket = await loadConfig({ home, env: { ...bot, SLACK_APP_TOKEN: 'xapp-1234567890' } });
    expect(socket.config.channels.slack).toEqual({
      botToken: 'xoxb-1234567890',
      appToken: 'xapp-1234567890',
      mode: 'socket',
      apiRoot: 'https://slack.com/api/',
      command: '/viber',
      path: '/webhooks/slack',
      access: { dm: 'pairing', groups: 'mention', allow: [], chats: [], memory: 'direct' },
      live: 'auto',
      injection: 'steer',
      attach: 'auto',
    });
    expect(terminalEnabled(socket.config)).toBe(false);
    const env = { ...bot, SLACK_SIGNING_SECRET: '0123456789abcdef', SLACK_API_ROOT: 'http://127.0.0.1:9000/api' };
    const { slack } = (await loadConfig({ home, env })).config.channels;
    expect(slack).toMatchObject({ mode: 'http', signingSecret: '0123456789abcdef' });
    expect(slack?.apiRoot).toBe('http://127.0.0.1:9000/api/');
    const both = await loadConfig({ home, env: { ...env, SLACK_APP_TOKEN: 'xapp-1234567890' } });
    expect(both.config.channels.slack?.mode).toBe('socket');

    for (const lonely of [bot, { SLACK_APP_TOKEN: 'xapp-1234567890' }, { SLACK_SIGNING_SECRET: 'abcdefgh' }]) {
      const { config, warnings } = await loadConfig({ home, env: lonely });
      expect(config).toEqual(defaults);
      const sentence =
        /^SLACK_\w+: not enough .*SLACK_BOT_TOKEN and SLACK_APP_TOKEN, or SLACK_BOT_TOKEN and SLACK_SIGNING/;
      expect(warnings).toEqual([expect.stringMatching(sentence)]);
    }
    expect((await loadConfig({ home, env: { SLACK_API_ROOT: 'http://h/', DISCORD_API_ROOT: 'x' } })).warnings).toEqual(
      [],
    );
  });

  test('secrets of the environment are kept out of everything that is written', async () => {
    await loadConfig({ home, env: { ANTHROPIC_API_KEY: 'sk-ant-0123456789' } });
    expect(scrub('key sk-ant-0123456789.')).toBe('key [secret].');
  });
});

describe('which file', () => {
  test('config.yaml, else config.json, else openai.yaml', async () => {
    await writeFile(join(home, 'openai.yaml'), 'maxSteps: 3');
    const third = await loadConfig({ home, env: {} });
    await writeFile(join(home, 'config.json'), '{\n\t"maxSteps": 2\n}');
    const second = await loadConfig({ home, env: {} });
    const first = await load('maxSteps: 1');
    expect([first, second, third].map(({ config }) => config.maxSteps)).toEqual([1, 2, 3]);
    expect(first.source).toBe(join(home, 'config.yaml'));
  });

  test('the one that is named goes before those of the home, and must be there', async () => {
    await writeFile(join(home, 'config.yaml'), 'maxSteps: 1');
    const file = join(home, 'other.yaml');
    await expect(loadConfig({ file, home, env: {} })).rejects.toThrow(`${file}: there is no such file`);
    await expect(loadConfig({ file: home, home, env: {} })).rejects.toThrow(/this is a directory/);
    await writeFile(file, 'maxSteps: 2');
    expect((await loadConfig({ file, home, env: {} })).config.maxSteps).toBe(2);
  });
});

describe('values', () => {
  test('a section says only what differs', async () => {
    const { config } = await load('memory: { retention: { dailyLogsDays: 7 } }\ntimeouts: { idle: 0.5 }');
    expect(config.memory).toEqual({ ...defaults.memory, retention: { dailyLogsDays: 7, indexRebuildDays: 7 } });
    expect(config.timeouts).toEqual({ ...defaults.timeouts, idle: 0.5 });
  });

  test('ids may be numbers or texts and keep every digit', async () => {
    const { config } = await load(
      'channels: { telegram: { token: "1:a", access: { allow: [1001, "1002", 9007199254740993], chats: [-1001234567890] } } }',
    );
    expect(config.channels.telegram?.access.allow).toEqual(['1001', '1002', '9007199254740993']);
    expect(config.channels.telegram?.access.chats).toEqual(['-1001234567890']);
  });

  test('"off" is a word, not false', async () => {
    const { config } = await load('channels: { telegram: { token: "1:a", live: off, access: { dm: off } } }');
    expect(config.channels.telegram).toMatchObject({ live: 'off', access: { dm: 'off' } });
  });

  test('what the file says of Telegram goes before the environment, which fills the rest in', async () => {
    const env = { TELEGRAM_BOT_TOKEN: '1:env', TELEGRAM_API_ROOT: 'http://127.0.0.1:1' };
    const file = await load('channels: { telegram: { token: "2:file", apiRoot: "http://127.0.0.1:2" } }', env);
    expect(file.config.channels.telegram).toMatchObject({ token: '2:file', apiRoot: 'http://127.0.0.1:2' });
    const both = await load('channels:\n  telegram:\n', env);
    expect(both.config.channels.telegram).toMatchObject({ token: '1:env', apiRoot: 'http://127.0.0.1:1' });
    const elsewhere = await load('maxSteps: 4', env);
    expect(elsewhere.config.channels.telegram?.token).toBe('1:env');
  });

  test('people', async () => {
    const { config } = await load('people: [{ name: alex, ids: ["telegram:1001", "slack:T01:U03"] }]');
    expect(config.people).toEqual([{ name: 'alex', role: 'member', ids: ['telegram:1001', 'slack:T01:U03'] }]);
  });

  test.each(['Alex Kim', 'Zoë O’Brien-Lee', '陳 大文'])('takes a name of several words: %s', async (name) => {
    const { config } = await load(`people: [{ name: "${name}", ids: ["telegram:1001"] }]`);
    expect(config.people).toMatchObject([{ name }]);
  });

  test.each([' alex', 'alex ', 'a  b', 'a\\tb', 'a~b', 'a b c '.repeat(20)])(
    'takes no name like "%s"',
    async (name) => {
      await expect(load(`people: [{ name: "${name}", ids: ["telegram:1001"] }]`)).rejects.toThrow('people.0.name');
    },
  );

  test('the terminal is on by itself only where there is no chat channel', async () => {
    const on = async (channels: string) => terminalEnabled((await load(`channels: { ${channels} }`)).config);
    expect(await on('discord: { token: a.b.c }')).toBe(false);
    expect(await on('slack: { botToken: xoxb-1, appToken: xapp-1 }')).toBe(false);
    expect(await on('slack: { botToken: xoxb-1, appToken: xapp-1 }, terminal: { enabled: true }')).toBe(true);
    expect(await on('terminal: {}')).toBe(true);
  });
});

describe('Discord', () => {
  const discord = (more: string) => `channels: { discord: { token: a.b.c, ${more} } }`;

  test('ids are snowflakes beyond the exact numbers of JavaScript, and keep every digit', async () => {
    const text = discord(
      'guilds: [175928847299117063, "81384788765712384", { id: 9223372036854775807, groups: all }],' +
        'access: { allow: [1159487162913493012], chats: [1159487162913493013, "*"] }',
    );
    const { config } = await load(text);
    expect(config.channels.discord?.guilds).toEqual([
      { id: '175928847299117063' },
      { id: '81384788765712384' },
      { id: '9223372036854775807', groups: 'all' },
    ]);
    expect(config.channels.discord?.access.allow).toEqual(['1159487162913493012']);
    expect(config.channels.discord?.access.chats).toEqual(['1159487162913493013', '*']);
    const json = await load('{"channels": {"discord": {"token": "a.b.c", "guilds": [175928847299117063]}}}');
    expect(json.config.channels.discord?.guilds).toEqual([{ id: '175928847299117063' }]);
  });

  test('a token of another shape is taken: an emulator may use it', async () => {
    const { config } = await load('channels: { discord: { token: emulated } }');
    expect(config.channels.discord?.token).toBe('emulated');
  });

  test('the environment fills in what a section leaves out', async () => {
    const env = { DISCORD_BOT_TOKEN: 'a.b.env', DISCORD_API_ROOT: 'http://127.0.0.1:1' };
    const { config } = await load('channels:\n  discord:\n    apiRoot: http://127.0.0.1:2\n', env);
    expect(config.channels.discord).toMatchObject({ token: 'a.b.env', apiRoot: 'http://127.0.0.1:2' });
  });
});

describe('Slack', () => {
  const slack = (more: string) => `channels: { slack: { botToken: xoxb-1, ${more} } }`;

  test('the mode is the one that is named, or the one whose secret is there', async () => {
    const mode = async (more: string, env = {}) => (await load(slack(more), env)).config.channels.slack?.mode;
    expect(await mode('mode: socket', { SLACK_APP_TOKEN: 'xapp-1' })).toBe('socket');
    expect(await mode('signingSecret: abc')).toBe('http');
    expect(await mode('appToken: xapp-1, signingSecret: a, mode: http')).toBe('http');
  });

  test('keys', async () => {
    const more = 'appToken: xapp-1, apiRoot: "http://127.0.0.1:1/api", command: /robot, path: /slack, live: text';
    const { config } = await load(slack(`${more}, access: { allow: [U012AB3CD], chats: [C024BE91L, G1, "*"] }`));
    expect(config.channels.slack).toMatchObject({
      apiRoot: 'http://127.0.0.1:1/api/',
      command: '/robot',
      path: '/slack',
      live: 'text',
      access: { dm: 'pairing', groups: 'mention', allow: ['U012AB3CD'], chats: ['C024BE91L', 'G1', '*'] },
    });
  });
});

test('origins are scheme, host and port', async () => {
  const origins = '["https://viber.example.org", "http://10.0.0.5:6009/", "http://[fd00::1]:80"]';
  expect((await load(`http: { origins: ${origins} }`)).config.http.origins).toHaveLength(3);
  expect((await load('maxSteps: 3')).config.http.origins).toEqual([]);
});

describe('accessRulesOf', () => {
  const access = (more: string) => `access: { dm: allowlist, ${more} }`;
  const load3 = async () =>
    (
      await load(`channels:
  telegram: { token: "1:a", ${access('chats: [-1]')} }
  slack: { botToken: xoxb-1, appToken: xapp-1, ${access('groups: all')} }
  discord: { token: a.b.c, guilds: [10, { id: 11, groups: all }, { id: 12, groups: off }], ${access('chats: [500]')} }
`)
    ).config;

  test('each channel has its own; a listed server opens all its channels, any other only those that are listed', async () => {
    const config = await load3();
    const rules = (channel: string, workspace?: string) =>
      accessRulesOf(config, workspace === undefined ? { channel } : { channel, workspace });
    const base = { dm: 'allowlist', groups: 'mention', allow: [], memory: 'direct' };
    expect(rules('telegram')).toEqual({ ...base, chats: ['-1'] });
    expect(rules('slack', 'T01')).toEqual({ ...base, groups: 'all', chats: [] });
    expect(rules('discord')).toEqual({ ...base, chats: ['500'] });
    expect(rules('discord', '10')).toEqual({ ...base, chats: ['*'] });
    expect(rules('discord', '11')).toEqual({ ...base, groups: 'all', chats: ['*'] });
    expect(rules('discord', '12')).toEqual({ ...base, groups: 'off', chats: ['*'] });
    expect(rules('discord', '99')).toEqual({ ...base, chats: ['500'] });
  });

  test("the machine's own doors are open to whoever sits there; a channel that is off lets nobody in", async () => {
    for (const channel of ['terminal', 'local']) {
      expect(accessRulesOf(defaults, { channel })).toEqual({
        dm: 'open',
        groups: 'off',
        allow: [],
        chats: [],
        memory: 'direct',
      });
    }
    for (const channel of ['telegram', 'discord', 'slack', 'one-that-nobody-knows']) {
      expect(accessRulesOf(defaults, { channel })).toEqual({
        dm: 'off',
        groups: 'off',
        allow: [],
        chats: [],
        memory: 'direct',
      });
    }
  });
});

describe('engine', () => {
  test('is files of the home unless told, and a server when it has an address', async () => {
    expect((await load('language: auto')).config.engine).toEqual(defaults.engine);
    const text = 'engine: { kind: redis, url: "redis://:${REDIS_PASSWORD}@h:6380/1", roles: [work], leaseMs: "9000" }';
    const { config, warnings } = await load(text, { REDIS_PASSWORD: 'not-to-be-shown' });
    expect(config.engine).toEqual({
      ...{ ...defaults.engine, kind: 'redis', url: 'redis://:not-to-be-shown@h:6380/1' },
      ...{ roles: ['work'], leaseMs: 9000 },
    });
    expect(warnings).toEqual([]);
    expect(scrub('at redis://:not-to-be-shown@h:6380/1')).not.toContain('not-to-be-shown');
  });
});

describe('${ENV}', () => {
  test('is replaced in texts, numbers and switches, with a default where one is given', async () => {
    const text =
      'model: "${MODEL}"\nmaxSteps: ${STEPS}\nmemory: { autoAccept: "${AUTO:-true}" }\n' +
      'providers: { local: { baseURL: "http://${HOST:-127.0.0.1}:${PORT}/v1", headers: { X: "$${NOT}" } } }';
    const { config } = await load(text, { MODEL: 'local/m', STEPS: '25', PORT: '8080' });
    expect(config.model).toBe('local/m');
    expect(config.maxSteps).toBe(25);
    expect(config.memory.autoAccept).toBe(true);
    expect(config.providers.local).toEqual({ baseURL: 'http://127.0.0.1:8080/v1', headers: { X: '${NOT}' } });
  });

  test('a missing variable is a problem that names the key and the variable, once', async () => {
    const text = 'model: "${M}"\nchannels: { telegram: { token: "${T}", access: { allow: ["${ME}"] } } }';
    expect(await problems(text, { T: '' })).toEqual([
      "model: the environment variable M isn't set",
      "channels.telegram.token: the environment variable T isn't set",
      "channels.telegram.access.allow.0: the environment variable ME isn't set",
    ]);
  });

  test('an optional secret that comes out empty is not there', async () => {
    const { config } = await load('http: { token: "${NO:-}" }\nproviders: { local: { apiKey: "${NO:-}" } }');
    expect(config.http.token).toBeUndefined();
    expect(config.providers.local?.apiKey).toBeUndefined();
  });

  test('secrets are registered, plain values are not', async () => {
    const text =
      'http: { token: plain-in-the-file }\nmodel: "${THE_MODEL}"\n' +
      'providers: { local: { headers: { X-Key: header-value-1 }, baseURL: "http://h/${PATH_KEY}" } }';
    await load(text, { THE_MODEL: 'local/some-model', PATH_KEY: 'substituted-9' });
    const line = scrub('plain-in-the-file header-value-1 substituted-9 local/some-model');
    expect(line).toBe('[secret] [secret] [secret] local/some-model');
  });
});

/** A block each of `fixtures/config-said.txt`: a file, and what is said of it. `RECORD=1` writes anew what is said. */
describe('what is said of a file', () => {
  const file = join(import.meta.dirname, 'fixtures', 'config-said.txt');
  const isSaid = (line: string) => /^[!?] /.test(line);
  const blocks = readFileSync(file, 'utf8')
    .split(/^### /m)
    .slice(1)
    .map((block) => {
      const [name = '', ...lines] = block.trimEnd().split('\n');
      return { name, text: lines.filter((line) => !isSaid(line)).join('\n'), lines: lines.filter(isSaid) };
    });
  afterAll(async () => {
    const all = blocks.map(({ name, text, lines }) => [`### ${name}`, text, ...lines].join('\n'));
    if (process.env.RECORD) await writeFile(file, `${all.join('\n')}\n`);
  });

  test.each(blocks)('$name', async (block) => {
    const lines = await load(`${block.text}\n`).then(
      ({ warnings }) => warnings.map((warning) => `? ${warning}`),
      (error: unknown) => {
        if (!(error instanceof ConfigError)) throw error;
        return error.problems.map((problem) => `! ${said(problemSaid(problem))}`);
      },
    );
    const now = lines.map((line) => line.replaceAll(home, '~'));
    if (process.env.RECORD) block.lines = now;
    expect(now).toEqual(block.lines);
  });
});

describe('what stands beside mistakes', () => {
  test('prices are numbers, also as words', async () => {
    const priced = 'model: a/b\nprices: { "a/b": { input: 1, output: "2.5" } }\nlimits: { costPerDay: 0.5 }';
    const { config, warnings } = await load(priced);
    expect(warnings).toEqual([]);
    expect([config.prices, config.limits.costPerDay]).toEqual([{ 'a/b': { input: 1, output: 2.5 } }, 0.5]);
  });

  test('what stands beside an unknown key is taken', async () => {
    const { config } = await load('modle: x/y\nhttp: { prot: 1, port: 7000, color: red }');
    expect(config.http).toEqual({ host: '127.0.0.1', port: 7000, clients: {}, origins: [] });
  });

  test('a webhook has an address and a secret', async () => {
    const telegram = (more: string) => `channels: { telegram: { token: "1:a", mode: webhook, ${more} } }`;
    const section = 'webhook: { url: "https://x.example/t", secret: abcdefghijklmnop }';
    const webhook = { url: 'https://x.example/t', secret: 'abcdefghijklmnop', path: '/webhooks/telegram' };
    expect((await load(telegram(section))).config.channels.telegram?.webhook).toEqual(webhook);
    const polling = telegram(section).replace('webhook,', 'polling,');
    expect((await load(polling)).config.channels.telegram).not.toHaveProperty('webhook');
  });
});

describe('files as Windows saves them', () => {
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  test.each([
    ['UTF-8 with a mark', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16', utf16],
    ['UTF-16, the other way round', (text: string) => utf16(text).swap16()],
  ])('%s: the configuration and .env are read, and .env can be added to', async (_, saved) => {
    await writeFile(join(home, 'config.yaml'), saved('model: offline/viber\r\n'));
    await writeFile(join(home, '.env'), saved('FIRST=eins\r\nSECOND="zwei"\r\n'));
    expect((await loadConfig({ home, env: {} })).config.model).toBe('offline/viber');
    await writeEnvFile(home, { SECOND: '2', THIRD: 'drei' });
    expect(withEnvFile({}, home)).toEqual({ FIRST: 'eins', SECOND: '2', THIRD: 'drei' });
  });
});

describe('.env', () => {
  const read = async (text: string, env: NodeJS.ProcessEnv = {}) => {
    await writeFile(join(home, '.env'), text);
    return withEnvFile(env, home);
  };

  test.each([
    ['A=p@ss#word', 'p@ss#word'],
    ['A=#FF0000', '#FF0000'],
    ['A=http://x/y#z # a comment', 'http://x/y#z'],
    ['A= # a comment', ''],
    ['A=', ''],
    ['  export A = sp ace  ', 'sp ace'],
    ['A="x # y" # a comment', 'x # y'],
    ["A='x # y'# a comment", 'x # y'],
    ['A=`it\'s "x" # y`', 'it\'s "x" # y'],
    ['A="one\\ntwo"', 'one\ntwo'],
    ['A="{\\"a\\": 1}"', '{"a": 1}'],
    ['A="one\ntwo # B=3"', 'one\ntwo # B=3'],
    ['A="C:\\temp"', 'C:\\temp'],
    ['A="never closed', '"never closed'],
    ["A=it's", "it's"],
    ['# A=0\nA=1\r\nA=2\r', '2'],
  ])('%j', async (text, value) => {
    expect(await read(`${text}\nLAST=1`)).toEqual({ A: value, LAST: '1' });
  });

  test.each(['x#y', '"x" # y', "it's # 5", 'back\\slash # "x"', '  spaces  ', '#', '\\n', '$HOME', 'a=b'])(
    '%j is written so that it is read as it was, beside lines that stay',
    async (value) => {
      await writeFile(join(home, '.env'), 'A=0\n# note\nA="old\nvalue" # old\nB=#1');
      await writeEnvFile(home, { A: value });
      expect(withEnvFile({}, home)).toEqual({ A: value, B: '#1' });
      expect(await readFile(join(home, '.env'), 'utf8')).toMatch(/^A=0\n# note\n/);
    },
  );

  test.each([
    ['A=old # why', 'A=new # why'],
    ['A="old" # why', 'A=new # why'],
    ["export A='old'# why\r", 'export A=new # why\r'],
    ['A= # none yet', 'A=new # none yet'],
    ['A=old#1', 'A=new'],
    ['A="old # value"', 'A=new'],
  ])('%j keeps its comment when its value changes', async (before, after) => {
    await writeFile(join(home, '.env'), `${before}\nB=1 # b\n`);
    await writeEnvFile(home, { A: 'new' });
    expect(await readFile(join(home, '.env'), 'utf8')).toBe(`${after}\nB=1 # b\n`);
    expect(withEnvFile({}, home)).toEqual({ A: 'new', B: '1' });
  });

  test('a value with every kind of quotation mark is refused, not changed', async () => {
    await expect(writeEnvFile(home, { A: `'"\\\`` })).rejects.toThrow(/^A can't be written/);
  });

  test('what systemd or Docker have made of the same line is read again, what was set elsewhere wins', async () => {
    const lines = 'A="x" # y\nB=1#2\nC=file';
    expect(await read(lines, { A: '"x" # y', B: '1', C: 'set' })).toEqual({ A: 'x', B: '1#2', C: 'set' });
  });
});

describe('broken and hostile files', () => {
  test.each([
    ['', /line 1: the file is empty/],
    ['\n  \n', /line 1: the file is empty/],
    ['\0\0\0\0', /line 1: /],
    ['mod', /line 1: expected keys with values/],
    ['- a', /line 1: expected keys with values/],
    ['model: a/b\nhttp: { host: "127.0', /line 2: .*half-written/],
    ['model: a/b\nhttp: { host: x,\n', /line 3: .*half-written/],
    ['model: a/b\n  http: 1\n', /line 1: this line is indented below a key that already has a value/],
    ['model: a/b\nhttp:\n\tport: 1\n', /line 3: a line can't begin with a tab/],
    ['http: { token: ${T} }', /line 1: .*in quotes/],
    ['a: *nothing', /line 1: a value that begins with \* belongs in quotes/],
    ['b: 1\na: [1, 2\nc: 3\n', /line 3: a bracket isn't closed: \] is missing/],
    ['a: { b: 1 c: 2 }', /line 1: /],
    ['a: [1,, 2]', /line 1: there is one comma too many/],
    ['a: "x"# note', /line 1: a comment needs a space before its #/],
    ['a: "C:\\Users"', /line 1: in double quotes a backslash changes the character after it/],
    ['a:\n  - 1\n  2\n', /line 3: /],
    ['a: 1\n---\nb: 2', /line 2: a second document begins here/],
    ['channels:\n\u00a0\u00a0telegram:\n', /line 2: a non-breaking space \(U\+00A0\) stands here instead of a space/],
    ['channels:\n  telegram:\n  \u202f token: x\n', /^[^\n]*line 3: a non-breaking space \(U\+202F\)[^\n]*$/],
    ['a:\n  - b\n\u00a0\u00a0- c\n', /line 3: a non-breaking space[^;]*; use ordinary spaces$/],
    ['model: a/b\nlanguage:\u00a0de\n', /line 2: a non-breaking space/],
    ['language:\u00a0de', /line 1: a non-breaking space/],
    ['{\n\u00a0"model": "a/b"}', /line 2: a non-breaking space/],
    ['conversations:\n  1: {}\n  "1": {}\n', /line 3: the key "1" appears twice/],
    ['conversations: { true: {}, "true": {} }', /line 1: the key "true" appears twice/],
    ['providers:\n  a: &x { baseURL: "http://a" }\n  b:\n    <<: *x\n', /line 4: keys can't be merged with <</],
  ])('%j is refused with its line', async (text, message) => {
    expect((await problems(text)).join('\n')).toMatch(message);
  });

  test('a non-breaking space inside a text, and a quoted key, are as written', async () => {
    const text =
      'people:\n  - name: "a\u00a0b"\n    ids:\n      - telegram:1\nconversations: { "<<": { model: "a/b" } }\n';
    expect((await problems(text)).join('\n')).not.toMatch(/non-breaking|merged/);
  });

  test('each cut of a file is refused or still a valid whole, never another kind of error', async () => {
    const text =
      'channels:\n  telegram: { token: "1:a", access: { allow: [1001] } }\npeople:\n  - name: alex\n    ids: [telegram:1001]\n';
    for (let length = 0; length < text.length; length++) {
      await load(text.slice(0, length)).catch((error: unknown) => expect(error).toBeInstanceOf(ConfigError));
    }
  });

  test('a file that would take minutes is done in a moment', async () => {
    const seconds = async (text: string) => {
      const start = ownTime();
      const found = await problems(text);
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThan(200);
      return (ownTime() - start) / 1000;
    };
    const many = Array.from({ length: 35_000 }, (_, index) => `${index.toString(36)}: 1`).join('\n');
    expect(many.length).toBeLessThan(256 * 1024);
    expect(await seconds(many)).toBeLessThan(5);
    expect(await seconds(`${many}\n${many}`)).toBeLessThan(1);
    expect(await seconds(`a: ${'['.repeat(100_000)}`)).toBeLessThan(5);
    expect(await seconds(`a: ${'{a: '.repeat(500)}${'}'.repeat(500)}`)).toBeLessThan(5);
    const level = (index: number) => `a${index}: &a${index} [${`*a${index - 1},`.repeat(9)}]`;
    const bomb = `a0: &a0 [x]\n${Array.from({ length: 12 }, (_, index) => level(index + 1)).join('\n')}`;
    expect(await seconds(bomb)).toBeLessThan(1);
    expect(await seconds('a: &x [*x]')).toBeLessThan(1);
  });

  test('keys of the language itself change nothing', async () => {
    const { config } = await load('__proto__: { polluted: 1 }\nproviders: { constructor: { baseURL: "http://a" } }');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(config.http).toEqual(defaults.http);
  });
});

describe('several vibers', () => {
  const text = `
viber: lab
vibers: [lab]
channels:
  telegram: { token: "1:a", viber: ops }
  discord: { token: a.b.c, guilds: [{ id: "9", viber: dev }] }
people: [{ name: kim, ids: ["telegram:7"], viber: kims }]
conversations:
  "telegram:-5": { viber: dev }
  "telegram:-5:3": { viber: kims }
  "telegram:7": { viber: dev }
`;

  test('the narrowest place that names one decides', async () => {
    for (const id of ['lab', 'ops', 'dev', 'kims']) await mkdir(join(home, 'vibers', id), { recursive: true });
    const { config } = await load(text);
    const at = (channel: string, chat: string, more: object = {}) =>
      configuredViber(config, { channel, chat, isDirect: !chat.startsWith('-'), ...more });
    expect(at('telegram', '8')).toBe('ops');
    expect(at('telegram', '8', { person: 'kim' })).toBe('kims');
    expect(at('telegram', '7', { person: 'kim' })).toBe('dev');
    // In a group everybody talks to the same one.
    expect(at('telegram', '-6', { person: 'kim' })).toBe('ops');
    expect(at('telegram', '-5', { person: 'kim' })).toBe('dev');
    expect(at('telegram', '-5', { thread: '2' })).toBe('dev');
    expect(at('telegram', '-5', { thread: '3' })).toBe('kims');
    expect(at('discord', '-1', { workspace: '9' })).toBe('dev');
    expect(at('discord', '-1', { workspace: '8' })).toBe('lab');
    expect(at('discord', '1', { person: 'kim' })).toBe('kims');
    expect(at('local', '1')).toBe('lab');
    expect(configuredViber(structuredClone(defaults), { channel: 'local', chat: '1', isDirect: true })).toBe('default');
  });

  test('a name that means none is told with its setting, each of them at once', async () => {
    await mkdir(join(home, 'agents'));
    await writeFile(join(home, 'agents', 'dev.yaml'), 'mode: ask\n');
    await mkdir(join(home, 'vibers', 'lab'), { recursive: true });
    const wrong = await problems(text.replace('viber: ops', 'viber: Ops').replace('viber: dev }]', 'viber: devs }]'));
    expect(wrong.map((line) => line.replace(/: it has neither.*home/, ''))).toEqual([
      'channels.discord.guilds.0.viber: there is no viber "devs"; did you mean dev?',
      'people.0.viber: there is no viber "kims"',
      'conversations.telegram:-5:3.viber: there is no viber "kims"',
      'channels.telegram.viber: expected the id of a viber, for example dev, found "Ops"',
    ]);
    expect(await problems('conversations: { general: { viber: dev } }')).toHaveLength(1);
  });
});

describe('a section that a feature brings', () => {
  const dice = { name: 'dice', settings: z.strictObject({ sides: z.int('expected a whole number').default(6) }) };
  async function withDice(text: string) {
    await writeFile(join(home, 'config.yaml'), text);
    return loadConfig({ home, env: {}, sections: [dice] });
  }

  test('has its default where the file says nothing, beside all others', async () => {
    const { config, warnings } = await withDice('language: de');
    expect(config).toEqual({ ...defaults, language: 'de', dice: { sides: 6 } });
    expect(warnings).toEqual([]);
  });

  test('is read, and a mistake in it is told with its path', async () => {
    expect((await withDice('dice: { sides: 20 }')).config).toMatchObject({ dice: { sides: 20 } });
    await expect(withDice('dice: { sides: many }')).rejects.toThrow('dice.sides: expected a whole number');
  });

  test('is suggested for a key that is nearly its name', async () => {
    expect((await withDice('dise: { sides: 20 }')).warnings).toEqual([
      'dise: unknown key, ignored; did you mean dice? (line 1, column 1)',
    ]);
  });
});

test('where a mistake is in the environment is unknown', async () => {
  const error: unknown = await loadConfig({ home, env: { TELEGRAM_BOT_TOKEN: 'a b' } }).catch((thrown) => thrown);
  expect(error).toMatchObject({ problems: [{ path: 'channels.telegram.token' }] });
  expect(error).not.toHaveProperty('problems.0.at');
});

describe('a key at the wrong level', () => {
  test.each(
    // biome-ignore format: a row is a line
    [
      ['telegram: { token: "1:a" }', 'telegram', 'channels.telegram'],
      ['port: 7000', 'port', 'http.port'],
      ['Bot_Token: xoxb-1', 'Bot_Token', 'channels.slack.botToken'],
      ['channels: { telegram: { token: "1:a", chats: [-1] } }', 'channels.telegram.chats', 'channels.telegram.access.chats'],
      ['channels: { telegram: { token: "1:a", access: { live: off } } }', 'channels.telegram.access.live', 'channels.telegram.live'],
      ['channels: { telegram: { token: "1:a", people: [] } }', 'channels.telegram.people', 'people'],
      ['memory: { dailyLogsDays: 7 }', 'memory.dailyLogsDays', 'memory.retention.dailyLogsDays'],
      ['providers: { local: { model: x } }', 'providers.local.model', 'model'],
      ['limits: { embedding: x }', 'limits.embedding', undefined],
      ['token: x', 'token', undefined],
    ],
  )('%s: did you mean ...', async (text, key, guess) => {
    const { warnings } = await load(text);
    const hint = guess === undefined ? '' : `; did you mean ${guess}?`;
    expect(warnings).toEqual([expect.stringMatching(/./)]);
    expect(warnings[0]?.replace(/ \(line .*\)$/, '')).toBe(`${key}: unknown key, ignored${hint}`);
  });
});

describe('an old spelling', () => {
  test('of a key is understood, and all are named in one sentence', async () => {
    const text =
      'small_model: a/b\nmemory: { max_memory_tokens: 5, retention: { daily-logs-days: 3 } }\n' +
      'providers: { local: { base_url: "http://h/v1", API_KEY: k } }\nhistory: { MaxTokens: 9 }\n' +
      'channels: { telegram: { token: "1:a", poll_seconds: 7 } }\n';
    const { config, warnings } = await load(text);
    expect(config).toMatchObject({
      smallModel: 'a/b',
      memory: { maxMemoryTokens: 5, retention: { dailyLogsDays: 3 } },
      providers: { local: { baseURL: 'http://h/v1', apiKey: 'k' } },
      history: { maxTokens: 9 },
      channels: { telegram: { pollSeconds: 7 } },
    });
    expect(warnings).toEqual([
      '7 old spellings that are still understood, with the new one in parentheses: small_model (smallModel), ' +
        'memory.max_memory_tokens (maxMemoryTokens), memory.retention.daily-logs-days (dailyLogsDays), ' +
        'providers.local.base_url (baseURL), providers.local.API_KEY (apiKey), history.MaxTokens (maxTokens), ' +
        'channels.telegram.poll_seconds (pollSeconds)',
    ]);
  });

  test('is left out where the new one is there too', async () => {
    expect((await load('maxSteps: 3\nmax_steps: 4\n')).config.maxSteps).toBe(3);
  });

  test('of a name that people choose is that name', async () => {
    const { config } = await load(
      'providers: { api_key: { baseURL: "http://h/v1" } }\nmcp: { my-docs: { command: x, env: { max_steps: "1" } } }\n' +
        'conversations: { "telegram:max_steps": {} }\n',
    );
    expect(Object.keys(config.providers)).toEqual(['api_key']);
    expect(config.mcp['my-docs']?.env).toEqual({ max_steps: '1' });
    expect(Object.keys(config.conversations)).toEqual(['telegram:max_steps']);
  });

  test('in the file is the one that a change is written to', async () => {
    const change = (path: string[]) =>
      withSettings('memory:\n  auto_accept: false # why\n', [{ path, value: true }], 'c.yaml');
    expect(await change(['memory', 'autoAccept'])).toBe('memory:\n  auto_accept: true # why\n');
    const servers = 'mcp:\n  my-docs: { url: "https://a" }\n';
    const added = await withSettings(servers, [{ path: ['mcp', 'mydocs', 'url'], value: 'https://b' }], 'c.yaml');
    expect(parse(added)).toEqual({ mcp: { 'my-docs': { url: 'https://a' }, mydocs: { url: 'https://b' } } });
  });

  test('in the file of one viber too', async () => {
    await mkdir(join(home, 'agents'));
    const file = join(home, 'agents', 'old.yaml');
    await writeFile(file, 'max_steps: 4\nplan_approval: on\n');
    await utimes(file, new Date(0), new Date(0));
    expect(await agentIn(home, 'old')).toMatchObject({
      ...{ maxSteps: 4, planApproval: 'on' },
      warnings: [expect.stringMatching(/^agents\/old\.yaml: 2 old spellings .*max_steps \(maxSteps\)/)],
    });
  });
});

describe('a token in the wrong place', () => {
  test('of the environment is named by its variable', async () => {
    const { warnings } = await loadConfig({ home, env: { OPENAI_API_KEY: 'sk-or-v1-0123456789abcdef' } });
    expect(warnings).toEqual([
      'OPENAI_API_KEY: this looks like a key of OpenRouter, which belongs in providers.openrouter.apiKey',
    ]);
  });

  test("is fine at an address of one's own, and where it belongs", async () => {
    const own = 'providers: { openai: { baseURL: "https://proxy.example/v1", apiKey: sk-ant-x } }';
    expect((await load(own)).warnings).toEqual([]);
    const env = {
      ANTHROPIC_API_KEY: 'sk-ant-api03-aaaaaaaaaaaaaaaaaaaa',
      OPENAI_API_KEY: 'sk-proj-x',
      XAI_API_KEY: 'xai-x',
      MISTRAL_API_KEY: 'x',
    };
    expect((await loadConfig({ home, env })).warnings).toEqual([]);
  });
});

describe('a secret in a file', () => {
  const inFile = async (name: string, text: string) => {
    await writeFile(join(home, name), text);
    return join(home, name);
  };

  test('switches a chat on as its variable does, and is kept out of everything that is written', async () => {
    const file = await inFile('telegram', '123456:in-the-file-0\n');
    const { config, warnings } = await loadConfig({ home, env: withEnvFile({ TELEGRAM_BOT_TOKEN_FILE: file }, home) });
    expect(config.channels.telegram?.token).toBe('123456:in-the-file-0');
    expect(warnings).toEqual([]);
    expect(scrub('at 123456:in-the-file-0')).toBe('at [secret]');
  });

  test('fills in ${NAME} of any name', async () => {
    const file = await inFile('pass', 'pass-of-redis\r\n');
    const text = 'engine: { kind: redis, url: "redis://:${REDIS_PASS}@h" }';
    expect((await load(text, { REDIS_PASS_FILE: file })).config.engine.url).toBe('redis://:pass-of-redis@h');
    expect(scrub('pass-of-redis')).toBe('[secret]');
  });

  test('counts less than the variable itself, and may be named in .env', async () => {
    const file = await inFile('key', 'from-file-1');
    await writeFile(join(home, '.env'), `OPENAI_API_KEY_FILE=${file}\nGROQ_API_KEY_FILE=${file}\n`);
    expect(withEnvFile({ GROQ_API_KEY: 'itself' }, home)).toMatchObject({
      ...{ OPENAI_API_KEY: 'from-file-1', GROQ_API_KEY: 'itself' },
    });
  });

  test("that can't be read is named, with its file and why, and nothing else is read", async () => {
    const empty = await inFile('empty', '\n');
    const env = {
      GROQ_API_KEY_FILE: '/nowhere/key',
      XAI_API_KEY_FILE: home,
      OPENAI_API_KEY_FILE: empty,
      SSL_CERT_FILE: '/x',
    };
    expect(withEnvFile(env, home)).toEqual(env);
    expect(secretFileProblems(env).map(said).sort()).toEqual([
      "GROQ_API_KEY_FILE names /nowhere/key, which can't be used: it doesn't exist",
      `OPENAI_API_KEY_FILE names ${empty}, which can't be used: it is empty`,
      `XAI_API_KEY_FILE names ${home}, which can't be used: it isn't a file`,
    ]);
    expect(await problems('http: { token: "${DOOR}" }', { DOOR_FILE: '/nowhere/door' })).toEqual([
      "http.token: DOOR_FILE names /nowhere/door, which can't be used: it doesn't exist",
    ]);
  });
});

describe('config.example.yaml', () => {
  const file = join(import.meta.dirname, '..', 'config.example.yaml');
  const env = {
    TELEGRAM_BOT_TOKEN: '1:a',
    DISCORD_BOT_TOKEN: 'a.b.c',
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_APP_TOKEN: 'xapp-1',
  };

  test('needs nothing but the tokens, and there is nothing to warn of', async () => {
    const { config, warnings } = await loadConfig({ file, home, env });
    expect(warnings).toEqual([]);
    expect(config.channels).toMatchObject({
      telegram: { token: '1:a' },
      discord: { token: 'a.b.c' },
      slack: { botToken: 'xoxb-1', mode: 'socket' },
    });
  });

  test('shows every key there is, with its default', async () => {
    const { config } = await loadConfig({ file, home, env });
    for (const key of ['maxSteps', 'history', 'limits', 'timeouts', 'log', 'mesh'] as const) {
      expect(config[key], key).toEqual(defaults[key]);
    }
    for (const key of ['memory', 'jobs'] as const) expect(config[key], key).toMatchObject(defaults[key]);
    const shown: Record<string, Record<string, Record<string, unknown>>> = parse(await readFile(file, 'utf8'));
    const { configSchema } = await import('../src/config/schema.ts');
    expect(Object.keys(shown)).toEqual(Object.keys(configSchema.shape));
    for (const [key, section] of Object.entries(defaults)) {
      if (typeof section === 'object' && !Array.isArray(section)) {
        expect(Object.keys(shown[key] ?? {}), key).toEqual(expect.arrayContaining(Object.keys(section)));
      }
    }
    for (const { name: channel, settings } of channelKinds()) {
      const inner = await settings();
      const known = Object.keys(Reflect.get('in' in inner ? Object(inner.in) : inner, 'shape')).sort();
      expect(Object.keys(shown.channels?.[channel] ?? {}).sort(), channel).toEqual(known);
    }
  });

  test('explains every key in a comment above it', async () => {
    const lines = (await readFile(file, 'utf8')).split('\n');
    const bare = lines.filter((line, index) => {
      const isKey = /^\s*(- )?[\w-]+:/.test(line);
      return isKey && !/^\s*#/.test(lines[index - 1] ?? '') && !/^ {4}(live|injection|attach): /.test(line);
    });
    expect(bare).toEqual([]);
  });
});

describe('agents/{viber}.yaml', () => {
  const old = new Date(Date.now() - 60_000);
  async function write(text: string, time: Date | 'now' = old) {
    await mkdir(join(home, 'agents'), { recursive: true });
    await writeFile(join(home, 'agents', 'dev.yaml'), text);
    if (time !== 'now') await utimes(join(home, 'agents', 'dev.yaml'), time, time);
  }

  test('is not needed', async () => {
    expect(await agentIn(home, 'dev')).toEqual({ warnings: [] });
  });

  test('says what one viber has of its own', async () => {
    await write(
      'model: a/b\nfallback: [c/d]\nmaxSteps: 25\nsystemPrompt: Be brief.\ntools: [read_file]\nskills: []\ncolor: red\n',
    );
    expect(await agentIn(home, 'dev')).toEqual({
      model: 'a/b',
      fallback: ['c/d'],
      maxSteps: 25,
      prompt: 'Be brief.',
      tools: ['read_file'],
      skills: [],
      warnings: ['agents/dev.yaml: color: unknown key, ignored'],
    });
  });

  test('words with a hash are words, not the beginning of a comment', async () => {
    await write(
      'description: Looks after C# and #general # ours\nprompt: Answer in #support, see #12.\nmaxSteps: 5 # few\n',
    );
    expect(await agentIn(home, 'dev')).toMatchObject({
      ...{
        description: 'Looks after C# and #general',
        prompt: 'Answer in #support, see #12.',
        maxSteps: 5,
        warnings: [],
      },
    });
  });

  test('is read again when it changes, and only then', async () => {
    await write('maxSteps: 1');
    const first = await loadAgent(home, 'dev');
    expect(await loadAgent(home, 'dev')).toBe(first);
    await write('maxSteps: 2', 'now');
    expect((await agentIn(home, 'dev')).maxSteps).toBe(2);
    await rm(join(home, 'agents', 'dev.yaml'));
    expect(await agentIn(home, 'dev')).toEqual({ warnings: [] });
  });

  test('its limits hold while an editor puts the old file aside', async () => {
    await write('tools: [read_file]');
    await agentIn(home, 'dev');
    const file = join(home, 'agents', 'dev.yaml');
    await rename(file, `${file}~`);
    setTimeout(() => void write('tools: [read_file, list_files]'), 60);
    expect(await agentIn(home, 'dev')).toMatchObject({ tools: ['read_file', 'list_files'] });
  });

  test('a broken version leaves the previous one in use, with a warning, until it is fixed', async () => {
    await write('prompt: good');
    await agentIn(home, 'dev');
    await write('prompt: [', new Date(Date.now() - 50_000));
    const { prompt, warnings } = await agentIn(home, 'dev');
    expect(prompt).toBe('good');
    expect(warnings).toEqual([expect.stringMatching(/agents\/dev\.yaml line 1: .*stays in use/)]);
    await write('prompt: better', new Date(Date.now() - 40_000));
    expect(await agentIn(home, 'dev')).toMatchObject({ prompt: 'better', warnings: [] });
  });

  test('a broken first version is told apart from no file: what it forbids is not known', async () => {
    await write('maxSteps: many');
    const { warnings, ...agent } = await agentIn(home, 'dev');
    expect(agent).toEqual({ isBroken: true });
    expect(warnings).toEqual([expect.stringMatching(/maxSteps: expected a whole number/)]);
    await write('maxSteps: 3', new Date(Date.now() - 40_000));
    expect(await agentIn(home, 'dev')).toEqual({ maxSteps: 3, warnings: [] });
  });

  test('half a file is never used while it is being written', async () => {
    await write('maxSteps: 100');
    await agentIn(home, 'dev');
    const text = 'maxSteps: 250\nprompt: a prompt of some length\n';
    const seen = new Set<string>();
    let writing = true;
    const reader = (async () => {
      while (writing) {
        const { maxSteps, prompt } = await agentIn(home, 'dev');
        seen.add(`${maxSteps} ${prompt}`);
        // The reader comes again and again.
        await sleep(5);
      }
    })();
    for (let length = 1; length <= text.length; length++) {
      await writeFile(join(home, 'agents', 'dev.yaml'), text.slice(0, length));
      // The writer takes its time.
      await sleep(20);
    }
    writing = false;
    await reader;
    const { maxSteps, prompt } = await agentIn(home, 'dev');
    seen.delete('100 undefined');
    seen.delete('250 a prompt of some length');
    expect([...seen]).toEqual([]);
    expect({ maxSteps, prompt }).toEqual({ maxSteps: 250, prompt: 'a prompt of some length' });
  });

  test('an id is a name, never a path', async () => {
    for (const id of ['../config', '', 'a/b', '.hidden', 'x'.repeat(65)]) {
      await expect(agentIn(home, id)).rejects.toThrow(ConfigError);
    }
  });
});

describe('hosts of the web', () => {
  test('are taken as they are written, in the form that addresses have', async () => {
    const { config } = await load(
      'web: { hosts: [Example.ORG, "*.docs.example.org", "wiki.intra:8443", bücher.example, "end.example.", "a.example:443", "[::1]:80"] }\n',
    );
    expect(config.web.hosts).toEqual([
      ...['example.org', '*.docs.example.org', 'wiki.intra:8443', 'xn--bcher-kva.example', 'end.example', 'a.example'],
      '[::1]:80',
    ]);
  });

  test.each([
    ...['https://example.org', 'example.org/path', '*', '*.org', '*.*.example.org', 'a.*.example', 'me@example.org'],
    ...['', ' ', 'a b', 'example.org?x', 'example.org:99999', 'example.org\\evil', '*.127.0.0.1'],
  ])('%j is refused, with what was expected', async (host) => {
    expect(await problems(JSON.stringify({ web: { hosts: [host] } }))).toEqual([
      expect.stringMatching(/^web\.hosts(\[0\]|\.0): expected a host such as example\.org/),
    ]);
  });
});

test('names each line of .env that says nothing, by file and line, and shows none of it', async () => {
  // biome-ignore format: a list is filled
  const lines = [
    '# mine', 'A=1', 'sk-secret-without-a-name', '', 'export B="two', 'lines"', 'C D=3', 'E: 4', '  F = 5 # five',
  ];
  await writeFile(join(home, '.env'), `${lines.join('\n')}\n`);
  const file = join(home, '.env');
  expect(unreadLines(home)).toEqual(
    [3, 7, 8].map((line) => `${file}, line ${line}: this isn't NAME=value, so it is left out`),
  );
  await writeFile(file, lines.join('\r\n'));
  expect(unreadLines(home)).toHaveLength(3);
  expect(unreadLines(join(home, 'nowhere'))).toEqual([]);
});

describe('a setting is put into a file', () => {
  const TOKEN = { path: ['channels', 'telegram', 'token'], value: '${BOT}' };
  const MODEL = { path: ['model'], value: 'a/b' };
  const OWNER = { path: ['people', 1], value: { name: 'b' } };
  const ARGS = { path: ['mcp', 'a', 'args'], value: ['z'] };
  const MODELS = { path: ['models'], value: ['a/b'] };
  test.each(
    // biome-ignore format: a row is a line
    [
      ['a comment after the value', '# top\nmodel: x/y # why\n', MODEL, '# top\nmodel: a/b # why\n'],
      ['comments in an empty section', 'channels:\n  # none yet\n', TOKEN, 'channels:\n  # none yet\n  telegram:\n    token: ${BOT}\n'],
      ['lines that end as on Windows', '# top\r\nmodel: x/y # why\r\n', MODEL, '# top\r\nmodel: a/b # why\r\n'],
      ['wide indentation', 'http:\n    port: 1\nmodel: x/y\n', MODEL, 'http:\n    port: 1\nmodel: a/b\n'],
      ['brackets', 'http: {port: 1}\nmodel: x/y\n', MODEL, 'http: {port: 1}\nmodel: a/b\n'],
      ['what an alias brings', 'x: &x {live: off}\nchannels: {telegram: *x}\n', TOKEN, 'x: &x {live: off}\nchannels: {telegram: {live: off, token: "${BOT}"}}\n'],
      ['a list that is an alias', 'x: &x [{name: a}]\npeople: *x\n', OWNER, 'x: &x [{name: a}]\npeople:\n  - name: a\n  - name: b\n'],
      ['values that share an anchor', 'model: &m x/y\njobs: {model: *m}\n', MODEL, 'model: a/b\njobs: {model: x/y}\n'],
      ['a section that shares an anchor', 'mcp:\n  a: &s\n    command: x\n    args: [y]\n  b: *s\n', ARGS, 'mcp:\n  a: &s\n    command: x\n    args: [z]\n  b:\n    command: x\n    args:\n      - y\n'],
      ['what shared a removed key', 'mcp:\n  a: &s\n    command: x\n    args: [y]\n  b: *s\n', { ...ARGS, value: undefined }, 'mcp:\n  a: &s\n    command: x\n  b:\n    command: x\n    args:\n      - y\n'],
      ['a list that shares an anchor', 'models: &m [x/y]\nfallback: *m\n', MODELS, 'models: &m [a/b]\nfallback:\n  - x/y\n'],
      ['a key that is a number', 'mcp:\n  1:\n    command: x\n', { path: ['mcp', '1', 'args'], value: ['y'] }, 'mcp:\n  1:\n    command: x\n    args:\n      - y\n'],
      ['the comments of items that stay', 'models:\n  - x/y # first\n  # second\n  - a/b\n', MODELS, 'models:\n  # second\n  - a/b\n'],
      ['a file of YAML 1.1', '%YAML 1.1\n---\nmodel: x/y\n', TOKEN, '%YAML 1.1\n---\nmodel: x/y\nchannels:\n  telegram:\n    token: ${BOT}\n'],
    ],
  )('and keeps %s', async (_what, text, setting, changed) => {
    expect(await withSettings(text, [setting], 'config.yaml')).toBe(changed);
  });

  test.each([
    ['channels: telegram\n', 'config.yaml'],
    ['channels:\n  telegram: 123:ABC\n', 'config.yaml'],
    ['channels: [telegram]\n', 'config.yaml'],
    ['- channels\n', 'config.yaml'],
    ['hello\n', 'config.yaml'],
    ['{"channels": "telegram"}', 'config.json'],
    ['{"channels": ["telegram"]}', 'config.json'],
  ])('but never over something else: %j', async (text, file) => {
    await expect(withSettings(text, [TOKEN], file)).rejects.toThrow(ConfigError);
  });

  test('that is not UTF-8 only after a copy of it is kept', async () => {
    const file = join(tempFolder(), 'config.yaml');
    await writeFile(file, Buffer.from('# Gr\xfc\xdfe\nmodel: x/y\n', 'latin1'));
    await writeSettings(file, [MODEL], '');
    expect((await readFile(`${file}.bad`)).toString('latin1')).toContain('Grüße');
    expect(await readFile(file, 'utf8')).toContain('model: a/b');
  });

  test('in JSON as it is written', async () => {
    expect(await withSettings('\ufeff{\n\t"model": "x/y"\n}\n', [MODEL], 'c.json')).toBe('{\n\t"model": "a/b"\n}\n');
  });
});
