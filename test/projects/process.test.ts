/** Processes in the background: they outlive their call, are looked at, written to and ended, and end with their task. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Processes } from '../../src/features/projects/commands/processes.ts';
import { findSandbox } from '../../src/skills/sandbox.ts';
import { openSharedNetwork } from '../../src/skills/shared-network.ts';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { tempFolder } from '../helpers/temp.ts';
import { openShop } from './commands.ts';

const SERVER = `node -e 'require("http").createServer((_, r) => r.end("served")).listen(8123, () => console.log("listening"))'`;

describe.skipIf(!isSandboxed)(`a process ${IN_SANDBOX}`, () => {
  it('serves the other commands of its task, and ends on request', async () => {
    const { call, look, processes } = await openShop();
    const started = await call(SERVER, { background: true });
    expect(started).toMatchObject({ id: 'p1' });
    const said = started.output === '' ? await look({ id: 'p1', action: 'output', wait: 60 }) : started;
    expect(said).toMatchObject({ id: 'p1', output: 'listening' });
    const get = `node -e 'fetch("http://localhost:8123").then((r) => r.text()).then(console.log)'`;
    expect(await call(get)).toMatchObject({ exit: 0, output: 'served' });
    expect(await look({ id: 'p1', action: 'output' })).toMatchObject({ id: 'p1', output: '' });
    expect(await look({ id: 'p1', action: 'stop' })).toMatchObject({ ended: expect.stringContaining('stopped') });
    expect(await call(get)).toMatchObject({ exit: 1 });
    expect(await processes.tell('t-1', 'run-2')).toEqual([
      expect.stringMatching(/^p1 `node .*` ended \(It was stopped\)$/),
    ]);
    expect(await processes.tell('t-1', 'run-3')).toEqual([]);
  });

  it('shares its network however late the sandbox names its first process', async () => {
    const sandbox = await findSandbox();
    if (!sandbox) throw new Error('no sandbox');
    const { command } = sandbox;
    onTestFinished(() => void Object.assign(sandbox, { command }));
    const late = path.join(tempFolder(), 'late');
    const text = `#!/bin/bash\nexec 5>&3\nexec ${command} "$@" 3> >(sleep 0.5; exec cat >&5)\n`;
    fs.writeFileSync(late, text, { mode: 0o700 });
    sandbox.command = late;
    const network = await openSharedNetwork();
    await network?.close();
    expect(network).toBeDefined();
  });

  it('reads what is written to it', async () => {
    const { call, look } = await openShop();
    await call('while read line; do echo "got $line"; done; echo bye', { background: true });
    expect(await look({ id: 'p1', action: 'input', input: 'one', wait: 60 })).toMatchObject({ output: 'got one' });
    expect(await look({ id: 'p1', action: 'input', input: 'two\n', wait: 60 })).toMatchObject({ output: 'got two' });
  });

  it('is a command that takes longer than its timeout', async () => {
    const { call, look, folder } = await openShop();
    const gone = await call('echo first; until [ -e go ]; do sleep 0.1; done; echo last', { timeout: 1 });
    expect(gone).toMatchObject({ id: 'p1', note: 'It is still running in the background as p1.' });
    const first = gone.output || (await look({ id: 'p1', action: 'output', wait: 60 })).output;
    fs.writeFileSync(path.join(folder, 'go'), '');
    expect([first, (await look({ id: 'p1', action: 'output', wait: 60 })).output]).toEqual(['first', 'last']);
  });

  it('is written down while it runs, and missed after a restart, once', async () => {
    const { call, taskFolder, home, processes } = await openShop();
    const file = path.join(taskFolder, 'processes.json');
    await call('sleep 600', { background: true });
    const written = JSON.parse(fs.readFileSync(file, 'utf8'));
    expect(written.processes).toMatchObject([{ id: 'p1', command: 'sleep 600', cwd: '' }]);
    await processes.close();
    fs.writeFileSync(file, JSON.stringify({ ...written, instance: 'another' }));
    const later = new Processes(home);
    expect(await later.tell('t-1', 'run-2')).toEqual([
      expect.stringMatching(/^p1 `sleep 600` ended when the gateway restarted/),
    ]);
    expect(await later.tell('t-1', 'run-2')).toHaveLength(1);
    // A run that was cut off by another restart is told again.
    fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), instance: 'a third' }));
    const last = new Processes(home);
    expect(await last.tell('t-1', 'run-2')).toHaveLength(1);
    expect(await last.tell('t-1', 'run-3')).toEqual([]);
    expect(fs.existsSync(file)).toBe(false);
  });

  it('ends with its task, and only eight run at once', async () => {
    const { call, processes, above } = await openShop();
    await Promise.all(Array.from({ length: 8 }, () => call('sleep 600', { background: true })));
    await expect(call('sleep 600', { background: true })).rejects.toThrow('8 processes');
    expect(await call('sleep 5', { timeout: 1 })).toMatchObject({ note: expect.stringContaining('8 processes') });
    expect(await processes.end('t-1')).toBe(8);
    expect(fs.readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isIn(pid, above))).toEqual([]);
  });
});

/** Whether a process has something of ours in its arguments. */
function isIn(pid: string, folder: string): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(folder);
  } catch {
    return false;
  }
}
