/** Agents that ask each other: what they may, what they cost, how they end, and that nothing is done twice. */

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunAbort } from '../../../src/runtime/contract/abort.ts';
import { RunError } from '../../../src/runtime/contract/run-error.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import type { LlmRequest, Turn } from '../../emulators/llm.ts';
import { eventually } from '../../helpers/eventually.ts';
import { ownTime } from '../../helpers/own-time.ts';
import { openMeshWorld, TASK, workerOf } from './world.ts';

const ask = (agent: string, message: string): Turn => ({
  toolCalls: [{ name: 'ask_agent', arguments: { agent, message } }],
});
const CODER = { coder: 'description: Knows the code.\nprompt: You are the coder.\n' };
/** The last result the model was given, as text. */
const heard = (request: LlmRequest | undefined): string => request?.toolResults.at(-1) ?? '';

describe('an agent that is asked', () => {
  it('works on the same task as itself: own settings, memory and session, the same files', async () => {
    const world = await openMeshWorld({ agents: { coder: `${CODER.coder}model: local/coder-model\n` } });
    const { llm, home, say, by, session, events, costs } = world;
    fs.mkdirSync(path.join(home.root, 'vibers/coder'), { recursive: true });
    fs.writeFileSync(
      path.join(home.root, 'vibers/coder/MEMORY.md'),
      '# Memory\n\n## Learned Patterns\n- tabs, never spaces\n',
    );
    const file = { title: 'patch.diff', type: 'text/plain', content: '+ one' };
    const usage = { prompt_tokens: 100, completion_tokens: 10 };
    llm.script((request) => {
      if (workerOf(request) === 'coder')
        return request.toolResults.length === 0
          ? { toolCalls: [{ name: 'create_artifact', arguments: file }], usage }
          : { text: 'I patched it.', usage };
      return request.toolResults.length === 0
        ? { ...ask('coder', 'Patch it.'), usage }
        : { text: 'The coder did it.', usage };
    });
    const { outcome, made } = await say('Get it patched.');
    expect(outcome.text).toBe('The coder did it.');
    expect(made.refs.map((ref) => ref.title)).toEqual(['patch.diff']);
    const [first, second] = by('coder');
    expect(first?.model).toBe('coder-model');
    expect(first?.system).toContain('You are the coder.');
    expect(first?.system).toContain('tabs, never spaces');
    expect(first?.lastUser).toBe('Patch it.');
    expect(first?.tools).not.toEqual(expect.arrayContaining(['update_plan']));
    for (const tool of ['update_plan', 'remember', 'ask_user', 'ask_agent']) expect(first?.tools).not.toContain(tool);
    expect(heard(second)).toContain('artifacts/20261121-abcde/');
    expect(by('default')[0]?.system).not.toContain('tabs, never spaces');
    expect(JSON.parse(heard(by('default')[1]))).toMatchObject({
      text: 'I patched it.',
      artifacts: [{ title: 'patch.diff' }],
    });
    expect((await session('coder')).map((entry) => entry.type)).toEqual(['message', 'step', 'result']);
    expect((await session('default')).map((entry) => entry.type)).toEqual(['message', 'step']);
    // Costs are the outermost run's, and its person's.
    expect(costs.ofRun('run1')).toMatchObject({ inputTokens: 400, outputTokens: 40 });
    expect(costs.today('telegram:1001')).toMatchObject({ inputTokens: 400 });
    // The talk is on the bus; what is done for the run is shown as part of it, the agent's words are not.
    const seen = events.filter(({ agentId }) => agentId === 'coder');
    expect(seen[0]).toMatchObject({ type: 'tool-call', tool: 'ask_agent', args: { message: 'Patch it.' } });
    expect(seen.at(-1)).toMatchObject({ type: 'tool-result', result: { text: 'I patched it.' } });
    expect(seen.filter(({ type, runId }) => type === 'tool-call' && runId === 'run1')).toMatchObject([
      { tool: 'create_artifact' },
    ]);
    expect(seen.filter(({ type, runId }) => type === 'text-delta' && runId === 'run1')).toEqual([]);
  });

  it('is offered only where there is one, with bounded descriptions', async () => {
    const world = await openMeshWorld();
    world.llm.script(() => ({ text: 'hi' }));
    await world.say('hello');
    expect(world.by('default')[0]?.tools).not.toContain('ask_agent');
    world.write('default', 'description: me\n');
    await world.say('hello', { run: 'run2' });
    expect(world.by('default')[1]?.tools).not.toContain('ask_agent');
    for (let n = 10; n < 70; n++) world.write(`a${n}`, `description: "${'long words '.repeat(100)}"\n`);
    await world.say('hello', { run: 'run3' });
    const tools = world.by('default')[2]?.body.tools as { function: { name: string; description: string } }[];
    const about = tools.find((tool) => tool.function.name === 'ask_agent')?.function.description ?? '';
    expect(about).toContain('- a10: long words');
    expect(about).toContain('(and 40 more)');
    expect(about.length).toBeLessThan(4_000);
  });

  it.each(['nobody', '../coder', '..', '', '__proto__', 'coder.yaml', 'a\u0000b', 'x'.repeat(5_000), '𝒄oder'])(
    'must be one there is (%#)',
    async (name) => {
      const { llm, say, by, home } = await openMeshWorld({ agents: CODER });
      llm.script(({ toolResults }) => (toolResults.length === 0 ? ask(name, 'x') : { text: 'ok' }));
      await say('go');
      expect(heard(by('default')[1])).toMatch(/There is no agent ".*"\. There are: coder\./s);
      expect(fs.readdirSync(home.agents).sort()).toEqual(['coder.yaml', 'default']);
    },
  );

  it('is found by its name in other spellings', async () => {
    const { llm, registry, by, say } = await openMeshWorld({ agents: { ...CODER, 'qa-engineer': 'description: q\n' } });
    expect(['QA Engineer', 'qa_engineer', ' Qa-Engineer ', 'QAEngineer'].map((name) => registry.find(name))).toEqual(
      Array(4).fill('qa-engineer'),
    );
    llm.script((request) =>
      workerOf(request) === 'default' && request.toolResults.length === 0 ? ask('Coder', 'x') : { text: 'ok' },
    );
    await say('go');
    expect(by('coder')).toHaveLength(1);
  });

  it('does not work without the limits of its file when that is broken', async () => {
    const { llm, say, by } = await openMeshWorld({ agents: { coder: 'tools: [read_file\n' } });
    llm.script(({ toolResults }) => (toolResults.length === 0 ? ask('coder', 'x') : { text: 'ok' }));
    await say('go');
    expect(by('coder')).toHaveLength(0);
    expect(heard(by('default')[1])).toContain("agents/coder.yaml can't be used");
  });
});

describe('what it may', () => {
  it('is no more than whoever asks may, and what needs a person waits for one', async () => {
    const { llm, say, by, home } = await openMeshWorld({
      agents: { ...CODER, default: 'tools: [ask_agent, read_file, write_file]\n' },
    });
    const write = { name: 'write_file', arguments: { path: 'workspace/x.md', content: 'x' } };
    llm.script((request) => {
      const isFirst = request.toolResults.length === 0;
      if (workerOf(request) === 'coder') return isFirst ? { toolCalls: [write] } : { text: `told: ${heard(request)}` };
      return isFirst ? ask('coder', 'x') : { text: 'ok' };
    });
    const { outcome } = await say('go');
    expect(outcome.finish).toBe('parked');
    expect(outcome.parked).toMatchObject([{ tool: 'ask_agent', below: { viber: 'coder' } }]);
    expect(outcome.parked?.[0]?.below?.waiting.parked).toMatchObject([{ tool: 'write_file' }]);
    expect(by('coder')[0]?.tools.sort()).toEqual(['read_file', 'write_file']);
    expect(by('coder')).toHaveLength(1);
    expect(fs.existsSync(path.join(home.root, 'vibers/coder/x.md'))).toBe(false);
  });

  it('is done with the consents of the task', async () => {
    const { llm, say, home } = await openMeshWorld({
      agents: { coder: 'mode: execute\n', default: 'mode: execute\n' },
    });
    const write = { name: 'write_file', arguments: { path: 'workspace/x.md', content: 'x' } };
    llm.script((request) => {
      const isFirst = request.toolResults.length === 0;
      if (workerOf(request) === 'coder') return isFirst ? { toolCalls: [write] } : { text: 'done' };
      return isFirst ? ask('coder', 'x') : { text: 'ok' };
    });
    await say('go');
    expect(fs.readFileSync(path.join(home.root, 'vibers/coder/x.md'), 'utf8')).toBe('x');
  });

  it('ends at the depth that is set', async () => {
    const agents = { a: 'description: a\n', b: 'description: b\n', c: 'description: c\n' };
    const { llm, say, by } = await openMeshWorld({ agents, limits: { maxDepth: 2 } });
    const next: Record<string, string> = { default: 'a', a: 'b', b: 'c' };
    llm.script((request) => {
      const to = next[workerOf(request)];
      return to && request.toolResults.length === 0 ? ask(to, `to ${to}`) : { text: `${workerOf(request)} is done` };
    });
    await say('go');
    expect(by('a')[0]?.tools).toContain('ask_agent');
    expect(by('b')[0]?.tools).not.toContain('ask_agent');
    expect(by('c')).toHaveLength(0);
    expect(JSON.parse(heard(by('default')[1])).text).toBe('a is done');
  });

  it('is never to ask those who wait for it', async () => {
    const { llm, say, by } = await openMeshWorld({
      agents: { a: 'description: a\n', b: 'description: b\n', c: 'description: c\n' },
    });
    llm.script((request) => {
      if (request.toolResults.length > 0) return { text: `heard: ${heard(request)}` };
      const to = { default: 'a', a: 'b' }[workerOf(request)];
      return ask(to ?? 'a', 'x');
    });
    await say('go');
    expect(by('a')).toHaveLength(2);
    expect(heard(by('b')[1])).toContain('a waits for this answer itself (default -> a -> b)');
  });

  it('ends at the number of questions of a run, all depths together', async () => {
    const { llm, say, by } = await openMeshWorld({
      agents: { a: 'description: a\n', b: 'description: b\n' },
      limits: { maxCalls: 3 },
    });
    llm.script((request) => {
      const count = request.toolResults.length;
      if (workerOf(request) === 'default' && count < 4) return ask('a', `question ${count}`);
      if (workerOf(request) === 'a' && count === 0 && request.lastUser === 'question 0') return ask('b', 'x');
      return { text: 'fine' };
    });
    await say('go');
    expect(by('a').filter(({ toolResults }) => toolResults.length === 0)).toHaveLength(2);
    expect(by('b')).toHaveLength(1);
    expect(heard(by('default').at(-1))).toContain('has asked 3 times already (mesh.maxCalls)');
  });

  it('ends at the daily cap of the person who began it', async () => {
    const { llm, say, by } = await openMeshWorld({ agents: CODER, caps: { tokensPerPersonPerDay: 150 } });
    const usage = { prompt_tokens: 90, completion_tokens: 10 };
    llm.script((request) =>
      workerOf(request) === 'default'
        ? { ...ask('coder', 'x'), usage }
        : { toolCalls: [{ name: 'list_files', arguments: { path: '.' } }], usage },
    );
    await expect(say('go')).rejects.toMatchObject({ kind: 'cap' });
    expect(by('coder')).toHaveLength(1);
    expect(by('default')).toHaveLength(1);
  });
});

it('that fails is told to whoever asked', async () => {
  const { llm, say, by, session } = await openMeshWorld({ agents: CODER });
  llm.script((request) => {
    if (workerOf(request) === 'coder') return { fault: 'no-credit' };
    return request.toolResults.length === 0 ? ask('coder', 'x') : { text: 'I did it myself.' };
  });
  expect((await say('go')).outcome.text).toBe('I did it myself.');
  expect(heard(by('default')[1])).toContain('coder could not answer: The provider "local" has no credit left');
  expect((await session('coder')).at(-1)).toMatchObject({ type: 'result', state: 'error', error: 'quota' });
});

describe('when the asking run is ended', () => {
  it.each(['stop', 'steer', 'shutdown'] as const)('by %s, it ends at once', async (reason) => {
    const { llm, say, by, session } = await openMeshWorld({ agents: CODER });
    llm.script((request) =>
      workerOf(request) === 'default' ? ask('coder', 'x') : { text: 'half of it', fault: 'stall-middle' },
    );
    const controller = new AbortController();
    const ended = say('go', { signal: controller.signal }).catch((error: unknown) => error);
    await llm.waitFor((request) => workerOf(request) === 'coder');
    const begun = ownTime();
    controller.abort(new RunAbort(reason));
    expect(await ended).toBeInstanceOf(RunError);
    expect(ownTime() - begun).toBeLessThan(500);
    await llm.waitFor((request) => workerOf(request) === 'coder' && request.outcome === 'aborted');
    const result = (await session('coder')).find((entry) => entry.type === 'result');
    if (reason === 'shutdown') expect(result).toBeUndefined();
    else expect(result).toMatchObject({ state: 'stopped', ...(reason === 'steer' ? { error: 'steered' } : {}) });
    expect(by('default')).toHaveLength(1);
  });

  it('and goes on after a restart, it goes on from its journal, and asked twice it is asked twice', async () => {
    const { llm, say, by, session, home } = await openMeshWorld({ agents: CODER });
    const file = { title: 'f.txt', type: 'text/plain', content: 'x' };
    let isCut = false;
    const said = Promise.withResolvers<void>();
    llm.script((request) => {
      const count = request.toolResults.length;
      if (workerOf(request) === 'default') return count < 2 ? ask('coder', 'the same words') : { text: 'all done' };
      if (count === 0) return { toolCalls: [{ name: 'create_artifact', arguments: file }] };
      if (isCut) return { text: 'made it' };
      said.resolve();
      return { text: 'made', fault: 'stall-middle' };
    });
    const controller = new AbortController();
    const ended = say('go', { signal: controller.signal }).catch((error: unknown) => error);
    await said.promise;
    controller.abort(new RunAbort('shutdown'));
    expect(await ended).toBeInstanceOf(RunError);
    isCut = true;
    const { outcome } = await say('go');
    expect(outcome.text).toBe('all done');
    // The first question: its file was made once, before the restart. The second is one of its own.
    expect(by('coder').map(({ toolResults }) => toolResults.length)).toEqual([0, 1, 1, 0, 1]);
    const runs = new Set((await session('coder')).flatMap((entry) => ('run' in entry ? [entry.run] : [])));
    expect(runs.size).toBe(2);
    for (const run of runs) {
      const types = openTask(home, TASK.id, 'coder')
        .session.run(run)
        .map((entry) => entry.type);
      expect(types).toEqual(['message', 'step', 'result']);
    }
  });

  it.each(['stop', 'shutdown'] as const)('by %s, so does what was asked further down', async (reason) => {
    const { llm, say, by, session } = await openMeshWorld({ agents: { a: 'description: a\n', b: 'description: b\n' } });
    let isLate = false;
    llm.script((request) => {
      const worker = workerOf(request);
      if (worker === 'b') return isLate ? { text: 'b is done' } : { text: 'half', fault: 'stall-middle' };
      if (request.toolResults.length === 0) return ask(worker === 'default' ? 'a' : 'b', 'x');
      return { text: `${worker} heard ${heard(request)}` };
    });
    const controller = new AbortController();
    const ended = say('go', { signal: controller.signal }).catch((error: unknown) => error);
    await llm.waitFor((request) => workerOf(request) === 'b');
    controller.abort(new RunAbort(reason));
    expect(await ended).toBeInstanceOf(RunError);
    for (const viber of ['a', 'b']) {
      // What the outer agent does not wait for any more is written down a moment later.
      await eventually(async () => {
        const results = (await session(viber)).filter((entry) => entry.type === 'result');
        expect(results).toMatchObject(reason === 'stop' ? [{ state: 'stopped' }] : []);
      });
    }
    isLate = true;
    if (reason === 'stop') return;
    const { outcome } = await say('go');
    expect(outcome.text).toContain('b is done');
    expect(by('b').at(-1)?.lastUser).toBe('x');
    expect((await session('b')).filter((entry) => entry.type === 'message')).toHaveLength(1);
    expect((await session('a')).filter((entry) => entry.type === 'message')).toHaveLength(1);
  });
});
