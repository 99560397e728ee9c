/** Commands in the sandbox: off unless switched on, each asked about as it is, bounded, and nowhere near the rest of the machine. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { LlmRequest, Turn } from '../emulators/llm.ts';
import { eventually } from '../helpers/eventually.ts';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { openChat, press } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';

/** Whether this machine is to have no sandbox. */
const machine = vi.hoisted(() => ({ isWithoutSandbox: false }));
vi.mock(import('../../src/skills/sandbox.ts'), async (original) => {
  const real = await original();
  return {
    ...real,
    hasSandbox: async () => !machine.isWithoutSandbox && (await real.hasSandbox()),
    findSandbox: async () => (machine.isWithoutSandbox ? undefined : await real.findSandbox()),
  };
});

const running =
  (...commands: (string | { command: string; seconds: number })[]) =>
  ({ toolResults, tools }: LlmRequest): Turn => {
    if (!tools.includes('shell')) return { text: 'I have no shell.' };
    const next = commands[toolResults.length];
    if (next === undefined) return { text: `I was told: ${toolResults.join(' | ').slice(0, 1_500)}` };
    const given = typeof next === 'string' ? { command: next } : next;
    return { toolCalls: [{ name: 'shell', arguments: given }] };
  };

const open = (shell: 'off' | 'on' | 'network' = 'on', agent?: string) =>
  openChat({
    channel: { injection: 'followup' },
    config: { skills: { shell } },
    files: agent === undefined ? {} : { 'agents/default.yaml': agent },
  });

const COMMAND = 'for n in 1 2 3; do echo "line $n" >> numbers.txt; done\nwc -l < numbers.txt';

describe.skipIf(!isSandboxed)(`a command ${IN_SANDBOX}`, () => {
  it('is shown as it is, runs once after a yes, and what it wrote comes back', async () => {
    const { world, platform, dm } = await open();
    world.llm.script(running(COMMAND));
    platform.say(dm, 'count to three in a file');
    const asked = await waitFor(platform, dm, { text: 'May I run this command?' });
    expect(asked.text).toContain('for n in 1 2 3; do echo "line $n" >> numbers.txt; done');
    expect(asked.text).toContain('wc -l < numbers.txt');
    expect(world.llm.requests()).toHaveLength(1);
    const told = await press(platform, dm, 'Yes', 'I was told');
    expect(told.text).toMatch(/"output":"3"/);
    await eventually(() => {
      const file = platform
        .answers(dm)
        .flatMap(({ files }) => files)
        .find((each) => each.name === 'numbers.txt');
      expect(file && platform.bytes(file).toString()).toBe('line 1\nline 2\nline 3\n');
    });
  });

  it('is not run after a no', async () => {
    const { world, platform, dm } = await open();
    world.llm.script(running('touch ran.txt'));
    platform.say(dm, 'touch it');
    await waitFor(platform, dm, { text: 'May I run this command?' });
    expect((await press(platform, dm, 'No', 'I was told')).files).toEqual([]);
    const [task = ''] = world.tasks();
    expect(fs.existsSync(path.join(world.home, 'artifacts', task, 'work', 'ran.txt'))).toBe(false);
  });
});

describe.skipIf(!isSandboxed)('in the sandbox a command', () => {
  it('reaches neither the home nor the network, ends when its time is up, and fills no disk', async () => {
    const { world, platform, dm } = await open('on', 'mode: execute\n');
    world.llm.script(
      running(
        `cat ${world.home}/config.json || echo hidden`,
        'cat /proc/net/dev | tail -n +3 | grep -v lo: || echo alone',
        { command: 'sleep 30', seconds: 1 },
        'yes flood | head -c 100000000 || true',
      ),
    );
    await ask(platform, dm, 'try it', { text: 'I was told' });
    const results = world.llm.requests().at(-1)?.toolResults ?? [];
    expect(results[0]).toMatch(/hidden/);
    expect(results[0]).not.toContain('sk-test-model-key');
    expect(results[1]).toMatch(/alone/);
    expect(results[2]).toMatch(/ended after 1 seconds/);
    expect(results[3]?.length).toBeLessThan(20_000);
    expect(results[3]).toContain('"truncated":true');
  });

  it('“always” covers that command and no other', async () => {
    const { world, platform, dm } = await open();
    world.llm.script(running('echo one', 'echo one', 'echo two'));
    platform.say(dm, 'go');
    await waitFor(platform, dm, { text: 'echo one' });
    await platform.press(dm, 'Always for this task');
    await waitFor(platform, dm, { text: 'echo two' });
    expect(
      world.llm
        .requests()
        .at(-1)
        ?.toolResults.filter((each) => each.includes('"output":"one"')),
    ).toHaveLength(2);
  });
});

describe('there are no commands', () => {
  it('unless they are switched on, for guests, and without a sandbox', async () => {
    const off = await open('off');
    off.world.llm.script(running('echo'));
    await ask(off.platform, off.dm, 'go', { text: 'I have no shell.' });
    expect((await off.platform.command(off.dm, 'skills')).text).not.toContain('shell');
    const on = await open('on');
    on.world.llm.script(running('echo'));
    const said = on.platform.say(on.platform.room, 'go', { by: 'kim', mention: true });
    await waitFor(on.platform, on.platform.answerPlace(said), { text: 'I have no shell.' });
    machine.isWithoutSandbox = true;
    const bare = await open('on', 'mode: execute\n');
    bare.world.llm.script(running('echo'));
    await ask(bare.platform, bare.dm, 'go', { text: 'I have no shell.' });
    expect((await bare.platform.command(bare.dm, 'skills')).text).toContain('install bubblewrap');
    machine.isWithoutSandbox = false;
  });
});
