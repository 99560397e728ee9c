/** The memory in the model's requests: what goes in, and how much of a prompt the next turn of the task repeats to the byte. */

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { recall } from '../../../src/features/memory/recall.ts';
import { addToMemory } from '../../../src/features/memory/store/memory.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { assembleContext, type MemoryLimits } from '../../../src/runtime/context/context.ts';
import type { Home } from '../../../src/workspace/home.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import { openWorld, type World } from '../../dialogs/harness.ts';
import type { LlmRequest } from '../../emulators/llm.ts';
import { newHome } from '../../workspace/home-helper.ts';

/** As providers cache it: tools, then the messages in order. */
const promptOf = ({ body, messages }: LlmRequest): string => `${JSON.stringify(body.tools)}${JSON.stringify(messages)}`;

/** How much of the first prompt the second begins with. */
function shared(first: LlmRequest, second: LlmRequest): number {
  const [a, b] = [promptOf(first), promptOf(second)];
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at / a.length;
}

/** Shares of the prompt from each turn to the next. */
async function turns(world: World, words: readonly string[]): Promise<number[]> {
  const before = world.llm.requests().length;
  for (const said of words) await world.ask(said);
  const requests = world.llm.requests().slice(before);
  return requests.slice(1).map((request, i) => shared(requests[i] as LlmRequest, request));
}

const memoryOf = (world: World) => path.join(world.home, 'workspace/MEMORY.md');
const answer = () => ({ text: 'This is done as well, with some words about how it was done.' });

describe('two turns of a task', () => {
  it('share at least 90% of the prompt, also when the memory is large and the words are about other parts of it', async () => {
    const world = await openWorld();
    world.llm.script(answer);
    const topics = Array.from(
      { length: 80 },
      (_, i) => `## Topic ${i}\n- ${`words about thing${i}x and so on `.repeat(8)}\n`,
    );
    fs.writeFileSync(memoryOf(world), `# Memory\n\n${topics.join('\n')}`);
    const shares = await turns(world, [
      'tell me of thing79x please',
      'and thing3x?',
      'compare it with thing55x',
      'why?',
    ]);
    expect(Math.min(...shares)).toBeGreaterThan(0.9);
    // What the task is about is there, though it stands last.
    expect(world.llm.requests().at(-1)?.system).toContain('thing79x');
  });

  it('share at least 90% while complex work fills the daily log', async () => {
    const world = await openWorld();
    const plan = '## Goal\nShip\n\n## Plan\n- [ ] one\n- [ ] two\n- [ ] three\n- [ ] four\n';
    const call = { toolCalls: [{ name: 'update_plan', arguments: { plan } }] };
    world.llm.script((request) =>
      request.lastUser === 'plan it' && request.toolResults.length === 0 ? call : answer(),
    );
    fs.mkdirSync(path.join(world.home, 'workspace/memory'), { recursive: true });
    fs.writeFileSync(path.join(world.home, 'workspace/memory/2020-01-01.md'), '# 2020-01-01\n\n## Notes\n- long ago\n');
    await world.ask('plan it');
    const shares = await turns(world, ['go on with the first', 'go on with the second', 'go on with the third']);
    expect(Math.min(...shares)).toBeGreaterThan(0.9);
    const system = world.llm.requests().at(-1)?.system ?? '';
    expect(system).toContain('long ago');
    // The conversation itself tells what was done in it.
    expect(system).not.toContain('This is done as well');
  });

  it('see a hand edit at once, and what comes before the memory stays', async () => {
    const world = await openWorld();
    world.llm.script(answer);
    await world.ask('begin with the work');
    fs.writeFileSync(memoryOf(world), '# Memory\n\n## Project Context\n- by hand\n');
    await world.ask('and go on');
    const [first, second] = world.llm.requests();
    expect(first?.system).not.toContain('by hand');
    expect(second?.system).toContain('- by hand');
    const start = (request?: LlmRequest) =>
      request?.system.split(/<memory>|<agents>|<tools>|How you work/)[0]?.trimEnd();
    expect(start(second)).toBe(start(first));
  });
});

describe('what a request holds', () => {
  const limits: MemoryLimits & { excludePatterns: string[] } = {
    ...{ maxMemoryTokens: 2000, maxTaskTokens: 1000, maxDailyLogs: 3, truncationStrategy: 'smart' },
    excludePatterns: [],
  };
  const clock = { ...systemClock, now: () => new Date(2026, 10, 21, 15, 4).getTime() };
  const assemble = async (home: Home, memory: MemoryLimits, viber = 'default') => {
    const context = await assembleContext({
      ...{ home, viber, taskId: 'task1', run: { id: 'now' }, channelNote: '', query: 'hello' },
      limits: { memory, history: { maxMessages: 40, maxTokens: 8000 } },
      recall: (of) => recall(of, { home, config: { memory }, clock }),
    });
    return { ...context, memory: /<memory>\n([\s\S]*)\n<\/memory>/.exec(context.instructions)?.[1] ?? '' };
  };
  const steps = ['1', '2', '3'].map((id) => ({ id, title: `Step ${id}`, status: 'pending' as const }));

  async function complex(): Promise<Home> {
    const home = await newHome();
    await addToMemory(home, 'default', { text: 'likes tea', provenance: 'x' });
    for (const day of ['2026-11-19', '2026-11-20', '2026-11-21'])
      fs.writeFileSync(
        path.join(home.viberDir('default'), `memory/${day}.md`),
        `# ${day}\n- 09:00 did ${day}\n- 16:00 later\n`,
      );
    await openTask(home, 'task1').plan.write({ goal: 'Ship', steps });
    return home;
  }

  it('leaves out what the patterns exclude', async () => {
    const home = await complex();
    const all = (await assemble(home, limits)).memory;
    expect(all).toMatch(/likes tea[\s\S]*did 2026-11-21[\s\S]*did 2026-11-20[\s\S]*did 2026-11-19/);
    const some = (await assemble(home, { ...limits, excludePatterns: ['*.secret.md', '2026-11-2*.md'] })).memory;
    expect(some).toMatch(/likes tea[\s\S]*did 2026-11-19/);
    expect(some).not.toMatch(/2026-11-2/);
    expect((await assemble(home, { ...limits, excludePatterns: ['memory/*'] })).memory).not.toContain('did');
    expect((await assemble(home, { ...limits, excludePatterns: ['MEMORY.md'] })).memory).not.toContain('tea');
  });

  it("has today's log up to now, and of its own viber alone", async () => {
    const home = await complex();
    const { memory } = await assemble(home, limits);
    expect(memory).toContain('09:00 did 2026-11-21');
    expect(memory.match(/16:00/g)).toHaveLength(2);
    expect((await assemble(home, limits, 'dev')).memory).toBe('');
    expect(JSON.stringify((await assemble(home, limits, 'dev')).instructions)).not.toMatch(/likes tea|did 2026/);
  });
});
