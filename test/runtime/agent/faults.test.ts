/** R9 and R10: whatever the model does wrong, the person is told in time, and nothing half-done is run or shown as complete. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addSecret } from '../../../src/log.ts';
import type { RunErrorKind } from '../../../src/runtime/contract/run-error.ts';
import { type Llm, type LlmFault, startLlm } from '../../emulators/llm.ts';
import { failureOf, PATIENT, QUICK, record, runWith, tool } from './fixtures.ts';

let llm: Llm;
beforeAll(async () => {
  llm = await startLlm();
  // What a first call loads is no part of what is timed here.
  await runWith(local(), {}, record(), PATIENT);
});
afterAll(() => llm.close());
beforeEach(() => llm.reset());

const local = () => ({ local: { baseURL: llm.url, apiKey: 'sk-local-secret-key' } });

const waitsFor = (fault: LlmFault) => (fault.startsWith('stall') ? QUICK : PATIENT);

/** Each fault on every try: the kind of error, a word the person must read, the number of calls, and the time limit without the 2 s. */
const FAULTS: [LlmFault, RunErrorKind, RegExp, number, number][] = [
  ['refuse', 'unreachable', /providers\.local\.baseURL/, 2, 500],
  ['unauthorized', 'key', /providers\.local\.apiKey/, 1, 500],
  ['model-not-found', 'refused', /test-model.*setting model/, 1, 500],
  ['rate-limited', 'provider', /limiting.*in 1 second\./, 2, 2_000],
  ['server-error', 'provider', /is having problems/, 2, 500],
  ['overloaded', 'overloaded', /busy right now/, 2, 500],
  ['bad-request', 'refused', /refused the request/, 1, 500],
  ['too-long', 'too-long', /a conversation this long.*\/new/, 1, 500],
  ['no-credit', 'quota', /no credit left.*top it up.*\/model/, 1, 500],
  ['stall-start', 'timeout', /didn't begin to answer within 1 second:/, 1, 1_000],
  ['stall-middle', 'timeout', /in the middle of its answer/, 1, 1_500],
  ['cut', 'cut-off', /broke off/, 2, 500],
  ['cut-tool-call', 'cut-off', /broke off/, 2, 500],
  ['html', 'unreachable', /with a web page.*providers\.local\.baseURL/, 1, 500],
  ['no-choices', 'cut-off', /no readable answer/, 2, 500],
  ['empty-text', 'empty', /empty answer/, 2, 500],
  ['bad-chunk', 'cut-off', /broke off/, 2, 500],
  ['huge', 'provider', /never finishes/, 1, 2_000],
];

describe('a model that fails', () => {
  it.each(FAULTS)('%s: is told as %s', async (fault, kind, words, calls, limit) => {
    llm.fault(fault, 10, { text: 'A long answer about the kitchen.' });
    const ran: unknown[] = [];
    const tools = [tool('create_artifact', 'external', async (input) => ran.push(input))];
    const hooks = record();
    const { error, ms } = await failureOf(runWith(local(), { tools }, hooks, waitsFor(fault)));
    expect(error.kind).toBe(kind);
    expect(error.userMessage).toMatch(words);
    expect(llm.stats().requests).toBe(calls);
    expect(ms).toBeLessThan(limit + 2_000);
    expect([ran, hooks.calls, hooks.steps]).toEqual([[], [], []]);
    expect(hooks.events.at(-1)).toMatchObject({ type: 'state-change', state: 'idle' });
  });

  it.each<[LlmFault, string, number]>([
    ['refuse', 'nothing', 0],
    ['unauthorized', 'nothing', 0],
    ['rate-limited', 'nothing', 0],
    ['html', 'nothing', 0],
    ['stall-start', 'its question', 1],
    ['stall-middle', 'what came', 1],
    ['cut', 'what came, each time', 2],
    ['cut-tool-call', 'what came, each time', 2],
    ['huge', 'what came', 1],
    ['empty-text', 'what it says, once for each', 2],
  ])('by %s is charged %s', async (fault, _what, calls) => {
    llm.fault(fault, 10, { text: 'A long answer about the kitchen.' });
    const spent: { inputTokens: number; outputTokens: number; isEstimate?: true }[] = [];
    const hooks = record({ onUsage: (_model, usage) => void spent.push(usage) });
    await failureOf(runWith(local(), {}, hooks, waitsFor(fault)));
    expect(spent).toHaveLength(calls);
    for (const { inputTokens, outputTokens, isEstimate } of spent) {
      expect(inputTokens).toBeGreaterThan(0);
      if (fault !== 'stall-start' && isEstimate) expect(outputTokens).toBeGreaterThan(0);
    }
  });

  it('that breaks off while it thinks is charged for its thoughts', async () => {
    const reasoning = 'They want something. '.repeat(100);
    llm.script([{ reasoning, text: 'x', fault: 'cut' }, { text: 'All is well.' }]);
    const spent: number[] = [];
    await runWith(local(), {}, record({ onUsage: (_model, { outputTokens }) => void spent.push(outputTokens) }));
    expect(spent).toHaveLength(2);
    expect(spent[0]).toBeGreaterThanOrEqual(500);
  });

  it.each(FAULTS)(
    '%s once: the answer comes all the same, or another model gives it',
    async (fault, _kind, _words, calls) => {
      llm.fault(fault);
      llm.script([{ text: 'All is well.' }]);
      const hooks = record();
      const outcome = await runWith(local(), { fallback: ['local/second'] }, hooks, waitsFor(fault));
      expect(outcome.text).toBe('All is well.');
      expect(outcome.model).toBe(calls === 1 ? 'local/second' : 'local/test-model');
      expect(hooks.visible()).toBe('All is well.');
    },
  );

  it('a connection reset in the middle counts as broken off', async () => {
    llm.script(() => ({ fault: 'reset', text: 'A long answer about the kitchen.', chunkDelayMs: 30 }));
    const { error } = await failureOf(runWith(local()));
    expect([error.kind, llm.stats().requests]).toEqual(['cut-off', 2]);
  });

  it('bad tool arguments are told to the model and never run', async () => {
    const ran: unknown[] = [];
    llm.script([
      { fault: 'bad-tool-json', toolCalls: [{ name: 'write', arguments: { text: 'a'.repeat(50_000) } }] },
      { text: 'I could not write it.' },
    ]);
    const hooks = record();
    const outcome = await runWith(
      local(),
      { tools: [tool('write', 'external', async (input) => ran.push(input))] },
      hooks,
    );
    expect(outcome.text).toBe('I could not write it.');
    expect([ran, hooks.calls]).toEqual([[], []]);
    const second = llm.requests()[1];
    expect(second?.toolResults[0]).toMatch(/Invalid input/);
    expect(second?.bytes).toBeLessThan(4_000);
  });

  it('an address where nobody listens is named', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    server.close();
    const { error } = await failureOf(runWith({ local: { baseURL: `http://127.0.0.1:${port}/v1` } }));
    expect(error.kind).toBe('unreachable');
    expect(error.userMessage).toContain('providers.local.baseURL');
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('a certificate or a name that does not fit counts as unreachable', async () => {
    const { error } = await failureOf(runWith({ local: { baseURL: 'http://no-such-host.invalid/v1' } }));
    expect(error.kind).toBe('unreachable');
  });

  it('waits as long as the provider asks, and not at all when that is too long', async () => {
    llm.fault('rate-limited', 1, { retryAfterSeconds: 1 });
    llm.script([{ text: 'Later.' }]);
    const begin = performance.now();
    expect((await runWith(local())).text).toBe('Later.');
    expect(performance.now() - begin).toBeGreaterThan(990);
    llm.reset();
    llm.fault('rate-limited', 2, { retryAfterSeconds: 30 });
    const { error, ms } = await failureOf(runWith(local()));
    expect(error.userMessage).toContain('in 30 seconds');
    expect([llm.stats().requests, ms < 5_000]).toEqual([1, true]);
  });

  it('stays with the fallback for later steps and names both when all fail', async () => {
    llm.script((seen) => {
      if (seen.model === 'test-model') return { fault: 'overloaded' };
      return seen.toolResults.length > 0
        ? { text: 'Done.' }
        : { toolCalls: [{ name: 'look', arguments: { text: 'x' } }] };
    });
    const outcome = await runWith(local(), {
      fallback: ['local/second'],
      tools: [tool('look', 'read', async () => 'seen')],
    });
    expect(outcome).toMatchObject({ text: 'Done.', model: 'local/second', steps: 2 });
    expect(llm.requests().map((seen) => seen.model)).toEqual(['test-model', 'test-model', 'second', 'second']);
    llm.script(() => ({ fault: 'overloaded' }));
    const { error } = await failureOf(runWith(local(), { fallback: ['local/second', 'nowhere/x'] }));
    expect(error.userMessage).toMatch(/busy right now.*The fallback \(local\/second, nowhere\/x\) failed as well\./);
  });

  it('a fallback that is not configured does not hide the failure of the first', async () => {
    llm.fault('unauthorized', 5);
    const { error } = await failureOf(runWith(local(), { fallback: ['nowhere/x'] }));
    expect(error.kind).toBe('key');
    expect(error.userMessage).toContain('providers.local.apiKey');
  });

  it('text of a broken try is declared void before the next begins', async () => {
    llm.script([
      { fault: 'reset', text: 'The kitchen is blue and', chunkDelayMs: 30 },
      { text: 'The kitchen is green.' },
    ]);
    const hooks = record();
    await runWith(local(), {}, hooks);
    const kinds = hooks.events.map((event) =>
      event.type === 'text-delta' ? 'text' : event.type === 'state-change' ? event.state : event.type,
    );
    expect(kinds.join(' ').replaceAll(/(text )+/g, 'text ')).toBe('thinking text thinking text idle');
    expect(hooks.visible()).toBe('The kitchen is green.');
  });

  it('a try that told nothing is repeated without a word', async () => {
    llm.script([{ fault: 'server-error' }, { text: 'Hello.' }]);
    const hooks = record();
    await runWith(local(), {}, hooks);
    expect(hooks.events.filter((event) => event.type === 'state-change').map((event) => event.state)).toEqual([
      'thinking',
      'idle',
    ]);
  });

  it('finish reasons: cut at the length, withheld, and unknown ones', async () => {
    llm.script([{ text: 'Half of', finish: 'length' }]);
    expect(await runWith(local())).toMatchObject({
      finish: 'length',
      text: expect.stringMatching(/^Half of\n\n.*length limit/),
    });
    llm.script([{ text: '', finish: 'content_filter' }]);
    expect(await runWith(local())).toMatchObject({
      finish: 'content-filter',
      text: expect.stringContaining('withheld'),
    });
    llm.script([{ text: 'Whole.', finish: 'eos' }]);
    expect(await runWith(local())).toMatchObject({ finish: 'stop', text: 'Whole.' });
    llm.script(() => ({ text: 'Not whole', finish: 'insufficient_system_resource' }));
    expect((await failureOf(runWith(local()))).error.kind).toBe('cut-off');
  });

  it('a complete call counts whatever its reason is called, unless that says that it broke off', async () => {
    const asked = { text: '', toolCalls: [{ name: 'write', arguments: { text: 'whole' } }] };
    for (const finish of ['function_calls', 'TOOL_USE', 'eos', 'tool-call']) {
      const ran: unknown[] = [];
      llm.script([{ ...asked, finish }, { text: 'Written.' }]);
      const outcome = await runWith(local(), { tools: [tool('write', 'external', async () => ran.push(1))] });
      expect([finish, outcome.text, ran]).toEqual([finish, 'Written.', [1]]);
    }
    for (const finish of ['insufficient_system_resource', 'abort', 'timeout']) {
      const ran: unknown[] = [];
      llm.script(() => ({ ...asked, finish }));
      const given = { tools: [tool('write', 'external', async () => ran.push(1))] };
      expect((await failureOf(runWith(local(), given))).error.kind).toBe('cut-off');
      expect(ran).toEqual([]);
    }
  });

  it('tool calls of an answer cut at its length do not run', async () => {
    const ran: unknown[] = [];
    const half = { text: 'I write', toolCalls: [{ name: 'write', arguments: { text: 'half' } }], finish: 'length' };
    llm.script([half, { text: 'I write less.' }]);
    const outcome = await runWith(local(), { tools: [tool('write', 'external', async () => ran.push(1))] });
    expect([outcome.text, outcome.finish, ran]).toEqual(['I write less.', 'stop', []]);
    expect(llm.requests()[1]?.toolResults[0]).toMatch(/Nothing has run/);
  });

  it('neither the prompt, nor the key, nor the body of a refusal is in the error', async () => {
    addSecret('sk-local-secret-key');
    // biome-ignore format: a list is filled
    const faults: LlmFault[] = [
      'unauthorized', 'bad-request', 'model-not-found', 'server-error', 'bad-chunk', 'html', 'cut', 'reset', 'refuse',
    ];
    for (const fault of faults) {
      llm.reset();
      llm.script(() => ({ fault, text: 'ANSWERWORD more words', chunkDelayMs: 10 }));
      const { error } = await failureOf(
        runWith(local(), { messages: [{ role: 'user', text: 'PROMPTWORD' }], instructions: ['SYSTEMWORD'] }),
      );
      const cause =
        error.cause instanceof Error ? [error.cause.message, error.cause.stack, JSON.stringify(error.cause)] : [];
      const all = [error.message, error.userMessage, error.stack, JSON.stringify(error), ...cause].join('\n');
      expect(all).not.toMatch(/PROMPTWORD|SYSTEMWORD|ANSWERWORD|sk-local|Incorrect API key|Sign in/);
    }
  });

  it('the whole run has a limit, tools included', async () => {
    llm.script(() => ({ toolCalls: [{ name: 'slow', arguments: { text: 'x' } }] }));
    // The tool takes its time.
    const tools = [tool('slow', 'read', () => sleep(300, 'ok'))];
    const { error, ms } = await failureOf(runWith(local(), { tools, maxSteps: 100 }, record(), { ...QUICK, run: 700 }));
    expect([error.kind, ms < 2_700]).toEqual(['timeout', true]);
    expect(error.userMessage).toContain('0.7 seconds');
  });
});
