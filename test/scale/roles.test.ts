/** Several processes on one home: who takes in, who works, who sends, and how each is found. */

import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runningGateways } from '../../src/cli/running.ts';
import { openRunFolder, runFolders } from '../../src/engine/run-folder.ts';
import { hasRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import { tempFolder } from '../helpers/temp.ts';
import { quiet } from '../kit/quiet.ts';
import { type Platform, waitFor } from '../platforms/platform.ts';
import { NAMES } from '../platforms/world.ts';
import { openFleet } from './fleet.ts';

const readyz = async (port: number) => (await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()) as Ready;
interface Ready {
  ready: boolean;
  channels: Record<string, { state: string }>;
  roles: { own: string[]; missing: string[]; detail?: string };
}

it.runIf(hasRedis)(`three processes with one role each answer on all three platforms${WITHOUT_REDIS}`, async () => {
  const fleet = await openFleet({ on: NAMES });
  fleet.llm.script((request) => ({ text: `re ${request.lastUser.replace(/^\[.*?\]: /, '')}` }));
  const worker = await fleet.start(['work']);
  const sender = await fleet.start(['deliver']);
  for (const { port } of [worker, sender])
    expect(await readyz(port)).toMatchObject({
      ready: true,
      roles: { missing: expect.arrayContaining(['ingress']) },
    });
  // Of the three Telegram alone keeps what is said to a bot that never was there.
  const [telegram] = fleet.platforms as [Platform];
  telegram.say(telegram.dm('alex'), 'hello');
  await quiet({ except: /Telegram/ });
  expect(telegram.answers(telegram.dm('alex'))).toEqual([]);

  const ingress = await fleet.start(['ingress']);
  await waitFor(telegram, telegram.dm('alex'), { text: 're hello' });
  for (const platform of fleet.platforms) {
    platform.say(platform.dm('alex'), 'again');
    await waitFor(platform, platform.dm('alex'), { text: 're again' });
    const texts = platform.answers(platform.dm('alex')).map(({ text }) => text);
    expect(texts.filter((text) => text.startsWith('re again'))).toHaveLength(1);
  }
  const folder = path.join(fleet.home, 'agents', 'default', 'sessions');
  const lines = fs.readdirSync(folder).flatMap((name) => fs.readFileSync(path.join(folder, name), 'utf8').split('\n'));
  // Of whose lane they are stands in them, above whatever a server counted that was lost.
  for (const line of lines.filter((text) => /"type":"(message|result)"/.test(text)))
    expect(JSON.parse(line).epoch).toBeGreaterThan(1_700_000_000_000);
  expect((await readyz(ingress.port)).roles).toEqual({ own: ['ingress'], missing: [] });
  const metrics = await (await fetch(`http://127.0.0.1:${worker.port}/metrics`)).text();
  expect(metrics).toMatch(/viber_role\{role="work"\} 1/);
  expect(metrics).not.toMatch(/role="ingress"/);
  expect(worker.logs.find(({ msg }) => msg === 'ready')).toMatchObject({ roles: ['work'] });

  const found = await runningGateways({ home: fleet.home, config: undefined, env: fleet.env });
  expect(found.map(({ roles }) => roles)).toEqual([['work'], ['deliver'], ['ingress']]);
  expect(fs.existsSync(path.join(fleet.home, 'run', 'gateway.json'))).toBe(false);
  await sender.stop();
  expect(await runningGateways({ home: fleet.home, config: undefined, env: fleet.env })).toHaveLength(2);
});

it('folders of a machine are given one process each, and again when it is gone', () => {
  const [home, base] = [tempFolder(), tempFolder()];
  const env = { XDG_RUNTIME_DIR: base };
  const [one, two] = [openRunFolder(home, env), openRunFolder(home, env)];
  expect(one.folder).not.toBe(two.folder);
  expect(path.join(two.folder, 'gateway.sock').length).toBeLessThan(base.length + 60);
  expect(fs.statSync(one.folder).mode & 0o777).toBe(0o700);
  one.release();
  const three = openRunFolder(home, env);
  expect(three.folder).toBe(one.folder);
  expect(runFolders(home, env)).toEqual([one.folder, two.folder]);
  // Another home has others.
  const other = openRunFolder(tempFolder(), env);
  expect(runFolders(home, env)).not.toContain(other.folder);
  const chosen = path.join(tempFolder(), 'mine');
  const mine = openRunFolder(home, env, chosen);
  expect(mine.folder).toBe(chosen);
  expect(() => openRunFolder(home, env, chosen)).toThrow(/another gateway uses .*engine\.runDir/);
  for (const each of [two, three, other, mine]) each.release();
});

it('a link that somebody else has put in the way is not followed', () => {
  const [home, base, elsewhere] = [tempFolder(), tempFolder(), tempFolder()];
  const uid = process.getuid?.() ?? 0;
  fs.symlinkSync(elsewhere, path.join(base, `openviber-${uid}`));
  expect(() => openRunFolder(home, { XDG_RUNTIME_DIR: base })).toThrow(/engine\.runDir/);
});
