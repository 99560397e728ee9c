/** Commands of a task in several gateway processes of one home: each is reached wherever it runs, and missed when its process is gone. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SharedBy } from '../../src/features/projects/commands/neighbours.ts';
import { Processes } from '../../src/features/projects/commands/processes.ts';
import { processTool } from '../../src/features/projects/tools/process.ts';
import { runCommand } from '../../src/features/projects/tools/run-command.ts';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { openShop } from './commands.ts';

/** State and news as several processes share them. */
function sharedBy(): SharedBy & { kept: Map<string, string>; heard: string[] } {
  const kept = new Map<string, string>();
  const heard: string[] = [];
  const listeners = new Map<string, Set<(text: string) => void>>();
  const state: SharedBy['state'] = {
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    create: async () => false,
    cas: async () => false,
    delete: async (key) => void kept.delete(key),
    async add(key, by) {
      const sum = Number(kept.get(key) ?? 0) + by;
      kept.set(key, String(sum));
      return sum;
    },
  };
  return {
    ...{ kept, heard, state },
    publish(topic, text) {
      heard.push(text);
      setImmediate(() => listeners.get(topic)?.forEach((on) => void on(text)));
    },
    subscribe(topic, on) {
      const all = listeners.get(topic) ?? new Set();
      listeners.set(topic, all.add(on));
      return async () => void all.delete(on);
    },
  };
}

async function openTwo() {
  const by = sharedBy();
  const shop = await openShop();
  const open = () => {
    const processes = new Processes(shop.home, { by });
    onTestFinished(() => processes.close());
    const run = { ...shop.run, processes };
    const options = (callId: string) => ({ signal: new AbortController().signal, callId });
    const call = async (command: string, given: object = {}, callId = 'call-1'): Promise<object> =>
      Object(await runCommand.execute(runCommand.input.parse({ command, ...given }), run, options(callId)));
    const look = async (given: object): Promise<object> =>
      Object(await processTool.execute(processTool.input.parse(given), run, options('call-1')));
    return { processes, call, look };
  };
  return { by, shop, open, one: open(), other: open() };
}

describe.skipIf(!isSandboxed)(`a process of another gateway process ${IN_SANDBOX}`, () => {
  it('is listed, looked at, written to and ended', async () => {
    const { one, other } = await openTwo();
    await one.call('while read line; do echo "got $line"; done; echo bye', { background: true });
    expect(other.processes.running('t-1')).toMatchObject([{ id: 'p1', command: expect.stringContaining('read line') }]);
    expect(await other.processes.tell('t-1', 'run-2')).toEqual([
      expect.stringMatching(/^p1 `while .*` is running, in another process/),
    ]);
    expect(await other.look({ id: 'p1', action: 'input', input: 'tea', wait: 20 })).toMatchObject({
      output: 'got tea',
    });
    expect(await other.call('sleep 600', { background: true })).toMatchObject({ id: 'p2' });
    await expect(other.look({ id: 'p3', action: 'output' })).rejects.toThrow(/no process p3; it has p2, p1/);
    expect(await other.look({ id: 'p1', action: 'stop' })).toMatchObject({ ended: expect.stringContaining('stopped') });
    await expect(other.look({ id: 'p1', action: 'input', input: 'x' })).rejects.toThrow('p1 has ended');
    expect(await one.processes.tell('t-1', 'run-3')).toEqual([
      expect.stringMatching(/^p1 .* ended/),
      expect.stringMatching(/^p2 .* is running, in another process/),
    ]);
    expect((await other.processes.tell('t-1', 'run-4')).join()).not.toContain('p1');
  });

  it('is ended by a stop that reaches any of them', async () => {
    const { one, other } = await openTwo();
    await Promise.all([one.call('sleep 600', { background: true }), one.call('sleep 601', { background: true })]);
    await other.call('sleep 602', { background: true });
    expect(await other.processes.endEverywhere('t-1')).toBe(3);
    expect(other.processes.running('t-1')).toEqual([]);
    expect(await other.processes.endEverywhere('t-1')).toBe(0);
  });

  it('counts for the limit of its task', async () => {
    const { one, other } = await openTwo();
    for (let n = 0; n < 8; n++) await one.call('sleep 600', { background: true });
    await expect(other.call('sleep 600', { background: true })).rejects.toThrow('8 processes');
  });

  it('is missed once its process is gone, and its call isn’t run again even before', async () => {
    const { by, one, open, shop } = await openTwo();
    await one.call('sleep 600', { background: true });
    const [name = ''] = fs.readdirSync(shop.taskFolder).filter((each) => each.startsWith('processes-'));
    const file = path.join(shop.taskFolder, name);
    const written = JSON.parse(fs.readFileSync(file, 'utf8'));
    // As a process on another machine leaves it behind when it is killed.
    const gone = { ...written, instance: '00000000-0000-4000-8000-000000000000', host: 'elsewhere', pid: 1 };
    gone.processes = [gone.processes[0], { ...gone.processes[0], id: 'p2', callId: 'call-9' }];
    fs.writeFileSync(path.join(shop.taskFolder, `processes-${gone.instance}.json`), JSON.stringify(gone));
    by.kept.set(`command.here.${gone.instance}`, 'here');
    await one.processes.close();
    fs.rmSync(file);
    const third = open();
    expect(await third.call('echo again >> runs', {}, 'call-9')).toMatchObject({
      ended: expect.stringContaining('restarted'),
    });
    by.kept.delete(`command.here.${gone.instance}`);
    expect(await third.processes.tell('t-1', 'run-2')).toEqual([
      expect.stringMatching(/^p1 `sleep 600` ended when the gateway restarted/),
      expect.stringMatching(/^p2 /),
    ]);
    expect(await third.processes.tell('t-1', 'run-3')).toEqual([]);
    expect(fs.readdirSync(shop.taskFolder).filter((each) => each.startsWith('processes'))).toEqual([]);
    expect(fs.existsSync(path.join(shop.folder, 'runs'))).toBe(false);
  });

  it('does nothing for a question that the home did not ask, or asked long ago', async () => {
    const { by, one } = await openTwo();
    await one.call('cat > written', { background: true });
    const [, instance = ''] = /command\.here\.(\S+)/.exec([...by.kept.keys()].join(' ')) ?? [];
    const question = { what: 'end', taskId: 't-1' };
    by.publish('commands', '? unknown');
    by.kept.set('command.asked.old', JSON.stringify({ to: instance, at: Date.now() - 600_000, question }));
    by.publish('commands', '? old');
    by.kept.set('command.asked.new', JSON.stringify({ to: 'another', at: Date.now(), question }));
    by.publish('commands', '? new');
    // An answer to a later question shows that these were heard.
    by.kept.set(
      'command.asked.last',
      JSON.stringify({ to: instance, at: Date.now(), question: { ...question, what: 'tell', run: 'r' } }),
    );
    by.publish('commands', '? last');
    await expect.poll(() => by.kept.get('command.answered.last')).toContain('p1');
    expect(one.processes.running('t-1')).toHaveLength(1);
  });
});

it('forgets tasks whose commands have ended', async () => {
  const { home } = await openShop();
  const processes = new Processes(home);
  for (let n = 0; n < 1_000; n++) await processes.tell(`t-${n}`, 'run-1');
  expect(processes.size).toBeLessThanOrEqual(200);
});
