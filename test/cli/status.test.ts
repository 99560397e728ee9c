/** `viber status` between two gateways: one that starts, stops or restarts is not "none". */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { supervisorFor } from '../../src/cli/service/supervisor.ts';
import { run } from '../../src/cli/status.ts';
import { acquireLock } from '../../src/engine/local/lock.ts';
import { openHome } from '../../src/workspace/home.ts';
import { printed } from '../helpers/cli.ts';
import { PROGRAM } from '../helpers/program.ts';
import { put, tempFolder } from '../helpers/temp.ts';

const BUSY = 'The gateway is starting or stopping. Try again in a moment.';

async function machine() {
  const user = tempFolder();
  const home = path.join(user, 'home');
  await openHome(home);
  const env = { HOME: user, PATH: `${path.join(user, 'bin')}:${process.env.PATH}` };
  const status = (json = false) => printed(run, home, { json, env });
  return { user, home, env, status };
}

describe.runIf(process.platform === 'linux')('viber status', () => {
  test('says that a gateway starts while it holds the home, has noted that it starts anew, or its service runs', async () => {
    const { user, home, status } = await machine();
    const none = { code: 1, text: `No gateway runs on ${home}.` };
    expect(await status()).toMatchObject(none);
    const lock = acquireLock(path.join(home, 'run'));
    expect(await status()).toMatchObject({ code: 1, text: BUSY });
    expect(JSON.parse((await status(true)).text)).toEqual({ running: false, busy: true, home });
    lock.release();
    expect(await status()).toMatchObject(none);
    put(home, 'run/restarting', String(process.ppid));
    expect(await status()).toMatchObject({ code: 1, text: BUSY });
    const old = Date.now() / 1000 - 90;
    fs.utimesSync(path.join(home, 'run/restarting'), old, old);
    expect(await status()).toMatchObject(none);
    for (const wrong of ['1.5', '99999999999', 'x', '']) {
      put(home, 'run/restarting', wrong);
      expect(await status()).toMatchObject(none);
    }
    fs.rmSync(path.join(home, 'run/restarting'));
    fs.symlinkSync('restarting', path.join(home, 'run/restarting'));
    expect(await status()).toMatchObject(none);
    const { file } = supervisorFor('linux', { HOME: user });
    put(user, path.relative(user, file), `ExecStart="viber" "start" "--home" "${home}"\n`);
    const answers = (state: string) => {
      put(user, 'bin/systemctl', `#!/bin/sh\necho '     Active: ${state} since Sat'\nexit 3\n`);
      fs.chmodSync(path.join(user, 'bin/systemctl'), 0o755);
    };
    for (const state of ['activating (auto-restart)', 'active (running)']) {
      answers(state);
      expect(await status()).toMatchObject({ code: 1, text: BUSY });
    }
    for (const state of ['inactive (dead)', 'activating (auto-restart) (Result: exit-code)']) {
      answers(state);
      expect(await status()).toMatchObject(none);
    }
  });

  test('never says that no gateway runs while one restarts with a newer program', async () => {
    const { home, env, status } = await machine();
    fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify({ http: { port: 0 }, limits: { freeBytes: 0 } }));
    const child = spawn(process.execPath, [PROGRAM, 'start', '--home', home], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    let ready = 0;
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('"msg":"ready"')) ready++;
    });
    await expect.poll(() => ready).toBe(1);
    child.kill('SIGUSR2');
    const seen = new Set<string>();
    while (ready < 2) seen.add((await status()).text.split('\n')[0] ?? '');
    expect([...seen].filter((line) => !/^(Gateway|Home) /.test(line))).toEqual([BUSY]);
  });
});
