/** A home that is worked on with the other engine: what waits there is told of, and two engines never work on it at once. */

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { run as backup } from '../../src/cli/backup/backup.ts';
import { run as restore } from '../../src/cli/backup/restore.ts';
import { LockedError } from '../../src/errors.ts';
import { NO_OPTIONS } from '../helpers/cli.ts';
import { hasRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import { tempFolder } from '../helpers/temp.ts';
import type { Platform } from '../platforms/platform.ts';
import { type Fleet, openFleet } from './fleet.ts';

const ALL = ['ingress', 'work', 'deliver'] as const;
const local = { engine: { kind: 'local', url: undefined } };

/** Two messages that nobody answers: one at work, one that waits. */
async function begin(fleet: Fleet): Promise<void> {
  const [telegram] = fleet.platforms as [Platform];
  fleet.llm.script(() => ({ text: 'never', delayMs: 60_000 }));
  telegram.say(telegram.dm('alex'), 'write the report');
  await fleet.llm.waitFor(({ lastUser }) => /report/.test(lastUser));
  telegram.say(telegram.dm('alex'), 'and another');
}

async function command(run: typeof backup, fleet: Fleet, more: object): Promise<string> {
  const lines: string[] = [];
  const context = { config: `${fleet.home}/config-1.json`, home: fleet.home, json: false, ...NO_OPTIONS, env: {} };
  expect(await run({ ...context, args: [], print: (line) => void lines.push(line), ...more })).toBe(0);
  return lines.join('\n');
}

describe.skipIf(!hasRedis)(`a home with a server${WITHOUT_REDIS}`, () => {
  it('is not started without it while others work on it; afterwards what waits there is told of, until nothing does', async () => {
    const fleet = await openFleet();
    const [telegram] = fleet.platforms as [Platform];
    const alex = telegram.dm('alex');
    const one = await fleet.start(ALL, { process: true });
    await begin(fleet);
    await expect.poll(() => one.logs.filter(({ msg }) => msg === 'accepted').length).toBe(2);
    const refused = fleet.start(ALL, local).catch((error: unknown) => error);
    expect(await refused).toBeInstanceOf(LockedError);
    expect(String(await refused)).toMatch(/engine\.kind redis use .*127\.0\.0\.1:\d+/);
    await one.stop();

    fleet.llm.script(({ lastUser }) => ({ text: `re ${lastUser.replace(/^\[.*?\]: /, '')}` }));
    const alone = await fleet.start(ALL, local);
    const warned = alone.logs.find(({ msg }) => String(msg).includes('from the time of engine.kind redis'));
    expect(warned).toMatchObject({ messages: 2, answers: 0, server: expect.stringMatching(/^127\.0\.0\.1:/) });
    telegram.say(alex, 'hello');
    await expect.poll(() => telegram.answers(alex).map(({ text }) => text)).toContain('re hello');
    // The other way round as well.
    const locked = fleet.start(ALL, { process: true }).catch((error: unknown) => error);
    expect(String(await locked)).toMatch(/Process \d+ already runs a gateway on .*stop that one first \(kill \d+\)/);
    await alone.stop();

    const again = await fleet.start(ALL, { process: true });
    await expect.poll(() => telegram.answers(alex).length).toBe(3);
    await again.stop();
    const after = await fleet.start(ALL, local);
    expect(after.logs.filter(({ level }) => level === 'warn')).toEqual([]);
    expect(fs.existsSync(path.join(fleet.home, 'spool', 'server.json'))).toBe(false);
  });

  it('whose server is away says so when it is started without it, and never shows a password', async () => {
    const fleet = await openFleet();
    const one = await fleet.start(ALL);
    await one.stop();
    const file = path.join(fleet.home, 'spool', 'server.json');
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual({ url: fleet.redis.url, shards: 1 });
    await fleet.redis.stop();
    const alone = await fleet.start(ALL, local);
    expect(alone.logs.find(({ msg }) => String(msg).includes('its server cannot be reached'))).toMatchObject({
      server: new URL(fleet.redis.url).host,
    });
    expect(fs.existsSync(file)).toBe(true);
  });

  it('is backed up without what is under way, and that is said, also at the restore', async () => {
    const fleet = await openFleet();
    const one = await fleet.start(ALL);
    await begin(fleet);
    await expect.poll(() => one.logs.filter(({ msg }) => msg === 'accepted').length).toBe(2);
    const folder = tempFolder();
    const file = path.join(folder, 'home.tar.gz');
    const said = await command(backup, fleet, { args: [file] });
    expect(said).toMatch(
      /Not in the backup: what is in progress.* server at 127\.0\.0\.1:\d+ \(2 messages and 0 answers now\)/,
    );
    expect(said).toContain('append-only folder');
    const restored = await command(restore, fleet, { args: [file], home: path.join(folder, 'home') });
    expect(restored).toContain('was on a server (engine.url), not in the backup');
    expect(restored).not.toContain('After the next start');
    await fleet.redis.kill();
    const away = await command(backup, fleet, { args: [path.join(folder, 'second.tar.gz')] });
    expect(away).toMatch(/Not in the backup: .*cannot be asked/);
    await fleet.redis.start();
  });
});
