/** A home that another process holds: one sentence says who does, and what happens now. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { acquireLock } from '../../src/engine/local/lock.ts';
import { openHome } from '../../src/workspace/home.ts';
import { tempFolder } from '../helpers/temp.ts';
import { viberProcess } from '../helpers/viber.ts';

/** A home that this process holds, and what `viber start` says there. */
async function heldHome() {
  const home = path.join(tempFolder(), 'home');
  await openHome(home);
  const run = path.join(home, 'run');
  const lock = acquireLock(run);
  const note = (pid: number) =>
    fs.writeFileSync(path.join(run, 'gateway.json'), JSON.stringify({ pid, startedAt: '2026-11-28T09:00:00Z' }));
  const start = (LANG = 'C') => viberProcess(home, ['start', '--home', home], { env: { LANG } });
  return { home, lock, note, start };
}

describe.runIf(process.platform === 'linux')('a second viber start', () => {
  test('names the process of the gateway, how to stop that, and ends, in the language of its reader', async () => {
    const { home, lock, note, start } = await heldHome();
    note(process.pid);
    expect(await start()).toEqual({
      code: 3,
      out: '',
      err: `Process ${process.pid} already runs a gateway on ${home}, so this command ends: stop that one first (kill ${process.pid}), or choose another home with --home.\n`,
    });
    expect((await start('de_DE.UTF-8')).err).toMatch(/^Der Prozess \d+ ist schon ein Gateway mit .*\n$/);
    expect((await start('es_ES.UTF-8')).err).toMatch(/^El proceso \d+ ya es un gateway con .*\n$/);
    lock.release();
  });

  test('says so before it reads or loads anything, and takes no number for a gateway that nobody is', async () => {
    const { home, lock, note, start } = await heldHome();
    fs.writeFileSync(path.join(home, 'config.yaml'), 'model: gpt\n');
    note(process.pid);
    expect(await start()).toMatchObject({ code: 3, err: expect.stringContaining(`Process ${process.pid} already`) });
    lock.release();
    expect(await start()).toMatchObject({ code: 2, err: expect.stringContaining('model: expected') });
  });

  test('names a process that is still starting, or works on the home, and never one that a file alone names', async () => {
    const { home, lock, note, start } = await heldHome();
    const said = `Process ${process.pid} is starting, restoring or deleting ${home}, so this command ends: try again when it is done, or choose another home with --home.\n`;
    expect(await start()).toEqual({ code: 3, out: '', err: said });
    // A gateway that crashed left its number, which another program has by now.
    note(process.ppid);
    expect((await start()).err).toBe(said);
    lock.release();
  });
});
