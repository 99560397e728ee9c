/** Parts of a run that a viber delegates to itself: what they may, what they share, how they end, and that none is paid twice. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunAbort } from '../../../src/runtime/contract/abort.ts';
import { RunError } from '../../../src/runtime/contract/run-error.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import type { LlmRequest, Turn } from '../../emulators/llm.ts';
import { openMeshWorld, TASK } from './world.ts';

const isPart = ({ system }: LlmRequest): boolean => system.includes('You work on one part of a larger task');
const goalOf = (request: LlmRequest): string => /^\S+/.exec(request.lastUser)?.[0] ?? '';
interface Goal {
  goal: string;
  tools?: string[];
}
const delegating = (...tasks: (string | Goal)[]): Turn => ({
  toolCalls: [
    {
      name: 'delegate',
      arguments: { tasks: tasks.map((task) => (typeof task === 'string' ? { goal: task } : task)) },
    },
  ],
});
const heard = (request: LlmRequest | undefined): { reports: { goal: string; report?: string; failed?: string }[] } =>
  JSON.parse(request?.toolResults.at(-1) ?? '{}');

type World = Awaited<ReturnType<typeof openMeshWorld>>;
const partsOf = (world: World, goal: string) =>
  world.llm.requests().filter((request) => isPart(request) && goalOf(request) === goal);
const ownOf = (world: World) => world.llm.requests().filter((request) => !isPart(request));
const sessionsIn = (world: World): string[] => {
  const folder = path.join(world.home.agents, 'default/sessions', TASK.id);
  return fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
};

describe('a part of a run', () => {
  it('is the same viber with an empty context and a session of its own, and its report comes back', async () => {
    const world = await openMeshWorld();
    const usage = { prompt_tokens: 100, completion_tokens: 10 };
    world.llm.script((request) => {
      if (isPart(request)) return { text: `${goalOf(request)} is there.`, usage };
      return {
        ...(request.toolResults.length === 0 ? delegating('first', 'second') : { text: 'Both are there.' }),
        usage,
      };
    });
    const { outcome } = await world.say('Are they there? The code word is blue.');
    expect(outcome.text).toBe('Both are there.');
    const own = ownOf(world);
    expect(own).toHaveLength(2);
    expect(heard(own[1])).toEqual({
      reports: [
        { goal: 'first', report: 'first is there.' },
        { goal: 'second', report: 'second is there.' },
      ],
    });
    const [part] = partsOf(world, 'first');
    // The goal, and the person's words as context; nothing else of the conversation.
    expect(part?.lastUser).toBe(
      'first\n\nThe whole request, for context only:\n> Are they there? The code word is blue.',
    );
    expect(sessionsIn(world)).toHaveLength(2);
    expect((await world.session('default')).map(({ type }) => type)).toEqual(['message', 'step', 'step']);
    // The person of the run pays, and sees it in the usage of the run.
    expect(world.costs.ofRun('run1')).toMatchObject({ inputTokens: 400, outputTokens: 40 });
    expect(world.costs.today('telegram:1001')).toMatchObject({ inputTokens: 400 });
    // Whoever follows the run sees how many reports are in, and no words of a part.
    const notes = world.events.flatMap((event) =>
      event.type === 'state-change' && event.progress ? [event.progress.note] : [],
    );
    expect(notes).toEqual(['0 of 2 reports in', '1 of 2 reports in', '2 of 2 reports in']);
    expect(new Set(world.events.map(({ runId }) => runId))).toEqual(new Set(['run1']));
    await openTask(world.home, TASK.id).remove();
    expect(sessionsIn(world)).toEqual([]);
  });

  it('works beside the others', async () => {
    const world = await openMeshWorld();
    const all = Promise.withResolvers<void>();
    let begun = 0;
    world.llm.script(async (request) => {
      if (!isPart(request)) return request.toolResults.length === 0 ? delegating('a', 'b', 'c') : { text: 'done' };
      begun += 1;
      if (begun === 3) all.resolve();
      await all.promise;
      return { text: 'ok' };
    });
    expect((await world.say('go')).outcome.text).toBe('done');
  });

  it('only reads, has what it is given by name, and neither asks nor delegates', async () => {
    const world = await openMeshWorld({ agents: { coder: 'description: c\n' } });
    const write = { name: 'write_file', arguments: { path: 'workspace/x.md', content: 'x' } };
    const file = { title: 'f.txt', type: 'text/plain', content: 'x' };
    world.llm.script((request) => {
      const isFirst = request.toolResults.length === 0;
      if (!isPart(request))
        return isFirst
          ? delegating(
              'reads',
              { goal: 'writes', tools: ['write_file', 'create_artifact'] },
              { goal: 'nests', tools: ['delegate'] },
            )
          : { text: 'done' };
      if (goalOf(request) === 'reads') return { text: 'read' };
      if (isFirst) return { toolCalls: [write, { name: 'create_artifact', arguments: file }] };
      return { text: `heard ${request.toolResults.join(' | ')}` };
    });
    const { outcome, made } = await world.say('go');
    expect(outcome.finish).toBe('stop');
    const reader = partsOf(world, 'reads')[0]?.tools ?? [];
    expect(reader).toEqual(expect.arrayContaining(['read_file', 'list_files']));
    for (const tool of [
      'write_file',
      'create_artifact',
      'update_plan',
      'ask_user',
      'ask_agent',
      'delegate',
      'remember',
    ])
      expect(reader).not.toContain(tool);
    expect(partsOf(world, 'writes')[0]?.tools).toEqual(expect.arrayContaining(['write_file', 'create_artifact']));
    const { reports } = heard(ownOf(world).at(-1));
    // A file in the workspace needs consent: nobody is asked, nothing is written.
    expect(reports[1]?.report).toMatch(/needs the consent of a person/);
    expect(fs.existsSync(path.join(world.home.root, 'workspace/x.md'))).toBe(false);
    expect(made.refs.map(({ title }) => title)).toEqual(['f.txt']);
    expect(reports[2]).toMatchObject({ goal: 'nests', failed: expect.stringContaining("can't use delegate") });
  });

  it('is not offered to an agent that is asked, nor to a guest', async () => {
    const world = await openMeshWorld({ agents: { coder: 'description: c\n' } });
    world.llm.script((request) =>
      request.system.includes('Another agent asks you') || request.toolResults.length > 0
        ? { text: 'ok' }
        : { toolCalls: [{ name: 'ask_agent', arguments: { agent: 'coder', message: 'x' } }] },
    );
    await world.say('go');
    expect(world.by('coder')[0]?.tools).not.toContain('delegate');
    expect(world.by('default')[0]?.tools).toContain('delegate');
  });

  it('that fails is a report that says so, and a long report is cut', async () => {
    const world = await openMeshWorld();
    world.llm.script((request) => {
      if (!isPart(request)) return request.toolResults.length === 0 ? delegating('fails', 'long') : { text: 'done' };
      return goalOf(request) === 'fails' ? { fault: 'no-credit' } : { text: 'w'.repeat(50_000) };
    });
    expect((await world.say('go')).outcome.text).toBe('done');
    const { reports } = heard(ownOf(world).at(-1));
    expect(reports[0]?.failed).toContain('no credit');
    expect(reports[1]?.report).toMatch(/^w{12000} \[cut\]$/);
  });
});

describe('what a run and its parts share', () => {
  it('is the number of model calls', async () => {
    const world = await openMeshWorld();
    const list = { toolCalls: [{ name: 'list_files', arguments: { path: '.' } }] };
    world.llm.script((request) => {
      // Another folder each time, or it would be seen as stuck.
      if (isPart(request))
        return { toolCalls: [{ name: 'list_files', arguments: { path: `workspace/${request.toolResults.length}` } }] };
      return request.toolResults.length === 0 ? delegating('a', 'b') : list;
    });
    const { outcome } = await world.say('go');
    expect(outcome.finish).toMatch(/max-steps|stuck/);
    // Of ten, the run has made one and keeps a quarter of the rest.
    expect(partsOf(world, 'a')).toHaveLength(3);
    expect(partsOf(world, 'b')).toHaveLength(3);
    expect(world.llm.requests().length).toBeLessThanOrEqual(10);
  });

  it('ends parts where too few calls are left', async () => {
    const world = await openMeshWorld();
    world.llm.script((request) => {
      if (isPart(request)) return { text: 'ok' };
      return request.toolResults.length < 9 ? delegating(`g${request.toolResults.length}`, 'b', 'c') : { text: 'done' };
    });
    await world.say('go');
    const last = ownOf(world).at(-1)?.toolResults ?? [];
    expect(last.some((text) => text.includes('too few for that: do it yourself'))).toBe(true);
    expect(world.llm.requests().length).toBeLessThanOrEqual(10);
  });

  it('is the daily cap of the person', async () => {
    const world = await openMeshWorld({ caps: { tokensPerPersonPerDay: 250 } });
    const usage = { prompt_tokens: 90, completion_tokens: 10 };
    world.llm.script((request) => {
      if (!isPart(request)) return { ...delegating('a'), usage };
      return {
        toolCalls: [{ name: 'list_files', arguments: { path: `workspace/${request.toolResults.length}` } }],
        usage,
      };
    });
    await expect(world.say('go')).rejects.toMatchObject({ kind: 'cap' });
    expect(partsOf(world, 'a')).toHaveLength(2);
  });
});

describe('when the run is ended', () => {
  it.each(['stop', 'shutdown'] as const)('by %s, all parts end at once', async (reason) => {
    const world = await openMeshWorld();
    world.llm.script((request) =>
      isPart(request) ? { text: 'half of it', fault: 'stall-middle' } : delegating('a', 'b', 'c'),
    );
    const controller = new AbortController();
    const ended = world.say('go', { signal: controller.signal }).catch((error: unknown) => error);
    for (const goal of ['a', 'b', 'c']) await world.llm.waitFor((r) => isPart(r) && goalOf(r) === goal);
    controller.abort(new RunAbort(reason));
    expect(await ended).toBeInstanceOf(RunError);
    await expect.poll(() => world.llm.stats().active).toBe(0);
    const states = () =>
      sessionsIn(world).map((name) => {
        const text = fs.readFileSync(path.join(world.home.agents, 'default/sessions', TASK.id, name), 'utf8');
        return /"type":"result".*"state":"(\w+)"/.exec(text)?.[1];
      });
    await expect.poll(states).toEqual(Array(3).fill(reason === 'stop' ? 'stopped' : undefined));
  });

  it('in the middle by a crash, finished reports are kept, and the others go on where they were', async () => {
    const world = await openMeshWorld();
    let isLate = false;
    const stalled = Promise.withResolvers<void>();
    world.llm.script((request) => {
      const isFirst = request.toolResults.length === 0;
      // Asked again it would put it in other words: it must not be asked again.
      if (!isPart(request)) return isFirst ? delegating(isLate ? 'other' : 'quick', 'slow') : { text: 'all done' };
      if (goalOf(request) !== 'slow') return { text: 'quick is done' };
      if (isFirst) return { toolCalls: [{ name: 'list_files', arguments: { path: '.' } }] };
      if (isLate) return { text: 'slow is done' };
      stalled.resolve();
      return { text: 'half', fault: 'stall-middle' };
    });
    const controller = new AbortController();
    const ended = world.say('go', { signal: controller.signal }).catch((error: unknown) => error);
    await stalled.promise;
    await expect
      .poll(() => world.events.some((e) => e.type === 'state-change' && e.progress?.note === '1 of 2 reports in'))
      .toBe(true);
    controller.abort(new RunAbort('shutdown'));
    await ended;
    // The journal shows which is finished.
    expect(sessionsIn(world)).toHaveLength(2);
    isLate = true;
    expect((await world.say('go')).outcome.text).toBe('all done');
    expect(heard(ownOf(world).at(-1)).reports).toEqual([
      { goal: 'quick', report: 'quick is done' },
      { goal: 'slow', report: 'slow is done' },
    ]);
    expect(partsOf(world, 'quick')).toHaveLength(1);
    expect(partsOf(world, 'slow').map(({ toolResults }) => toolResults.length)).toEqual([0, 1, 1]);
    expect(ownOf(world)).toHaveLength(2);
    expect(sessionsIn(world)).toHaveLength(2);
  });

  it('two delegations with the same words in one run are two', async () => {
    const world = await openMeshWorld();
    world.llm.script((request) => {
      if (isPart(request)) return { text: 'ok' };
      return request.toolResults.length < 2 ? delegating('same') : { text: 'done' };
    });
    await world.say('go');
    expect(partsOf(world, 'same')).toHaveLength(2);
    expect(sessionsIn(world)).toHaveLength(2);
  });
});
