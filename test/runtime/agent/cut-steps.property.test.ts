/**
 * A step of any calls, cut at any instant by a stop or a crash: every result that was noted is in the history which the model sees next,
 * what had begun to have an effect and has no result is said to be cut off, nothing else is, and nothing has its effect twice.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { silentLog } from '../../../src/log.ts';
import { createAgent } from '../../../src/runtime/agent/agent.ts';
import { buildHistory } from '../../../src/runtime/context/history-window.ts';
import { cutCall } from '../../../src/runtime/context/past-run.ts';
import type { RuntimeTool, ToolEffect } from '../../../src/runtime/contract/task.ts';
import { journal, progressOf } from '../../../src/runtime/run/journal.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import type { SessionEntry, TaskRecord } from '../../../src/workspace/types.ts';
import { type Llm, startLlm } from '../../emulators/llm.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { modelsOf, PATIENT, record, request } from './fixtures.ts';

let llm: Llm;
const ends: (() => void)[] = [];
beforeAll(async () => {
  llm = await startLlm();
});
afterAll(async () => {
  for (const end of ends) end();
  await llm.close();
});

interface Call {
  effect: ToolEffect;
  isBeside: boolean;
  fails: boolean;
}

const calls = fc.array(
  fc.record<Call>({
    effect: fc.constantFrom('read', 'idempotent', 'external'),
    isBeside: fc.boolean(),
    fails: fc.boolean(),
  }),
  { minLength: 1, maxLength: 6 },
);

const NO_LIMITS = { maxMessages: 1_000, maxTokens: 1_000_000 };
class Killed extends Error {}

/** What the tools have done, by the number of the call, until the cut, which comes at the n-th thing that happens. */
class World {
  readonly begun: number[] = [];
  readonly ended: number[] = [];
  #left: number;
  #isCut = false;
  readonly #cut: () => void;

  constructor(at: number, cut: () => void) {
    this.#left = at;
    this.#cut = cut;
  }

  async passes(): Promise<void> {
    if (this.#left-- === 0) {
      this.#isCut = true;
      this.#cut();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  tools(steps: readonly Call[]): RuntimeTool[] {
    return steps.map(({ effect, isBeside, fails }, n) => ({
      ...{ name: `tool_${n}`, description: 'A tool.', input: z.object({}), effect },
      ...(isBeside && { isBeside: true as const }),
      execute: async () => {
        this.begun.push(n);
        await this.passes();
        if (!this.#isCut) this.ended.push(n);
        if (fails) throw new Error('failed');
        return `result ${n}`;
      },
    }));
  }
}

it.each(['stop', 'crash'] as const)('by a %s', async (way) => {
  await fc.assert(
    fc.asyncProperty(calls, fc.nat(20), async (steps, at) => {
      llm.reset();
      llm.script([{ text: 'All of it.', toolCalls: steps.map((_, n) => ({ name: `tool_${n}`, arguments: {} })) }]);
      const home = await openHome(tempFolder((end) => void ends.push(end)));
      const task = { id: 't1', viber: 'default' } as TaskRecord;
      const run = 'run0';
      let isDead = false;
      const hooks = record();
      const stopped = (): void => {
        isDead = way === 'crash';
        hooks.stop(new Killed(way));
      };
      const world = new World(at, stopped);
      // Nothing that is dead writes.
      const check = () => {
        if (isDead) throw new Killed('dead');
      };
      const owner = { check };
      const said: SessionEntry = {
        ...{ type: 'message', id: run, run, at: new Date().toISOString(), text: 'all of it', files: [] },
        from: { channel: 'terminal', user: 'local', name: 'local' },
      };
      const { session } = openTask(home, task.id, task.viber);
      await session.append([said]);
      const order = { task, run, earlier: [] as SessionEntry[], owner };
      const written = journal(order, progressOf(order), home);
      const noting: typeof written = {
        async onCall(call, part) {
          await written.onCall(call, part);
          await world.passes();
        },
        async onStep(part) {
          await world.passes();
          check();
          await written.onStep(part);
        },
      };
      const agent = createAgent({
        models: modelsOf({ local: { baseURL: llm.url } }),
        timeouts: PATIENT,
        log: silentLog(),
      });
      const asked = request({ tools: world.tools(steps), messages: [{ role: 'user', text: 'all of it' }] });
      await agent.run(asked, { ...hooks, ...noting }).catch(() => undefined);

      const lines = session.run(run);
      const cut = cutCall(lines);
      const noted = JSON.stringify(lines.filter(({ type }) => type === 'step'));
      const openEffects = steps.flatMap(({ effect }, n) =>
        effect === 'external' && world.begun.includes(n) && !noted.includes(`"result ${n}"`) && !hasFailed(lines, n)
          ? [n]
          : [],
      );
      for (const n of openEffects) expect(cut).toContain(`tool_${n}`);
      if (way === 'stop') for (const n of world.ended) if (!steps[n]?.fails) expect(noted).toContain(`"result ${n}"`);

      if (way === 'crash' && cut === undefined) {
        // Nothing is in doubt: the run goes on with what stands in its session.
        isDead = false;
        const tail = { entries: session.tail(), isWhole: true };
        const { resume } = buildHistory(tail, run, NO_LIMITS, () => []);
        const effects = world.begun.filter((n) => steps[n]?.effect === 'external');
        await agent.run({ ...asked, resume }, { ...record(), ...written });
        const again = world.begun.filter((n) => steps[n]?.effect === 'external');
        expect(new Set(again).size).toBe(again.length);
        expect(again.length).toBeGreaterThanOrEqual(effects.length);
      }
      // What the next run is told.
      const tail = { entries: session.tail(), isWhole: true };
      const { messages } = buildHistory(tail, 'next', NO_LIMITS, () => []);
      const results = new Map(
        messages.flatMap((message) => (message.role === 'steps' ? message.messages : [])).flatMap(resultsIn),
      );
      for (const [n, call] of steps.entries()) {
        const told = results.get(`tool_${n}`);
        if (results.size === 0) continue;
        expect(told, `call ${n}`).toBeDefined();
        if (noted.includes(`"result ${n}"`)) expect(told).toBe(`result ${n}`);
        if (told?.startsWith('This was cut off'))
          expect([call.effect, cut]).toEqual(['external', expect.stringContaining(`tool_${n}`)]);
      }
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 40) },
  );
});

const hasFailed = (lines: readonly SessionEntry[], n: number): boolean =>
  JSON.stringify(lines).includes(`The tool tool_${n} failed.`);

function resultsIn(message: unknown): [string, string][] {
  const { role, content } = message as { role: string; content: { toolName: string; output: { value: string } }[] };
  return role === 'tool' ? content.map(({ toolName, output }) => [toolName, output.value]) : [];
}
