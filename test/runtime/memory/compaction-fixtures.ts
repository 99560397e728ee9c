/** A session in a home, the real agent with an emulated model, and what the next request of the task would carry. */

import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type CostLimits, Costs } from '../../../src/features/costs/costs.ts';
import { type Compaction, createCompaction } from '../../../src/features/memory/compaction.ts';
import { recall } from '../../../src/features/memory/recall.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/log.ts';
import { createAgent } from '../../../src/runtime/agent/agent.ts';
import { assembleContext, type MemoryLimits } from '../../../src/runtime/context/context.ts';
import type { Suggestion } from '../../../src/runtime/contract/memory.ts';
import { createModels } from '../../../src/runtime/model/models.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import { saveTask } from '../../../src/workspace/tasks/record.ts';
import type { SessionEntry } from '../../../src/workspace/types.ts';
import { type LlmRequest, startLlm } from '../../emulators/llm.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { QUICK } from '../agent/fixtures.ts';

export const TASK = '20261121-abcde';
const AT = '2026-11-21T10:00:00.000Z';
const PERSON = 'telegram:1';
const MEMORY: MemoryLimits = {
  ...{ maxMemoryTokens: 2000, maxTaskTokens: 1000, maxDailyLogs: 3, truncationStrategy: 'smart' },
};

export const said = (run: string, text: string, name = 'Al'): SessionEntry => ({
  ...{
    type: 'message',
    id: `m-${run}`,
    run,
    at: AT,
    text,
    from: { channel: 'telegram', user: PERSON, name },
    files: [],
  },
});
export const answered = (run: string, text: string, error?: string): SessionEntry => ({
  ...{ type: 'result', run, at: AT, state: 'completed', text, summary: '', artifactRefs: [] },
  ...(error === undefined ? {} : { error, state: 'stopped' }),
});
/** Runs `from` to `to`, each a message and its answer; `words` may change what is said in one. */
export const turns = (from: number, to: number, words: Record<number, string> = {}): SessionEntry[] =>
  Array.from({ length: to - from }, (_, n) => from + n).flatMap((n) => [
    said(`run${n}`, words[n] ?? `Question number ${n}: what about part ${n} of the work?`),
    answered(`run${n}`, `Part ${n} is fine, and nothing has to be done about it.`),
  ]);

/** What a good model would say: the facts are the lines that begin with FACT, and what it was told so far is kept. */
export function digestOf({ lastUser }: LlmRequest): string {
  const conversation = /<conversation>([\s\S]*)<\/conversation>/.exec(lastUser)?.[1] ?? '';
  const facts = [...conversation.matchAll(/FACT: ([^\n]*)/g)].map(([, fact]) => `- ${fact}`);
  const numbers = [...conversation.matchAll(/Question number (\d+)/g)].map(([, n]) => n);
  return `<facts>\n${facts.join('\n')}\n</facts>\n<summary>\nThey went through parts ${numbers[0]} to ${numbers.at(-1)}.\n</summary>`;
}

export const isDigest = (request: LlmRequest): boolean => request.system.startsWith('You keep the notes');

export interface CompactionOptions {
  model?: string;
  isAutomatic?: boolean;
  waiting?: Set<string>;
  caps?: CostLimits;
  home?: string;
  limits?: { maxMessages: number; maxTokens: number };
}

export async function compactionWorld(options: CompactionOptions = {}) {
  const llm = await startLlm();
  const root = options.home ?? path.join(tempFolder(), 'home');
  const home = await openHome(root);
  const limits = options.limits ?? { maxMessages: 40, maxTokens: 8000 };
  const models = createModels({ providers: { local: { baseURL: llm.url, apiKey: 'k' } }, env: {} });
  const agent = createAgent({ models, timeouts: QUICK, log: silentLog() });
  const prices = { 'local/test-model': { input: 1, output: 10 } };
  const costs = new Costs({ home, limits: options.caps ?? {}, prices, currency: 'USD', log: silentLog() });
  const asked: Suggestion[] = [];
  const clock = { now: Date.parse('2026-11-21T12:00:00Z') };
  const waiting = options.waiting ?? new Set<string>();
  const open = (): Compaction =>
    createCompaction({
      ...{
        home,
        agent,
        costs,
        limits,
        log: silentLog(),
        isAutomatic: options.isAutomatic ?? true,
        now: () => clock.now,
      },
      modelOf: async () => ({ model: options.model ?? 'local/test-model', fallback: [] }),
      waits: (approval) => waiting.has(approval),
      askOwners: ({ suggestions }) => void asked.push(...suggestions),
    });
  const compaction = open();
  llm.script((request) => (isDigest(request) ? { text: digestOf(request) } : undefined));
  await saveTask(home, {
    ...{ id: TASK, viber: 'default', goal: 'g', title: 'g', state: 'completed', runs: 1, createdAt: AT, updatedAt: AT },
    ...{ people: [PERSON], conversations: [] },
  });
  onTestFinished(async () => {
    await compaction.close();
    await llm.close();
  });
  const order = { viber: 'default', taskId: TASK, person: PERSON };
  const file = home.sessionPath('default', TASK);
  const context = (run = 'now', history: object = {}) =>
    assembleContext({
      ...{ home, viber: 'default', taskId: TASK, run: { id: run }, channelNote: '', query: 'x' },
      limits: { memory: MEMORY, history: { ...limits, ...history } },
      recall: (of) => recall(of, { home, config: { memory: MEMORY }, clock: { ...systemClock, now: () => clock.now } }),
    });
  return {
    ...{ llm, home, compaction, open, costs, asked, clock, order, file, waiting, context },
    append: (entries: SessionEntry[], task = TASK) => openTask(home, task, 'default').session.append(entries),
    /** As a run does that had to leave something out, once it has its answer. */
    async automatically() {
      if ((await context()).isOver) compaction.due(order);
      await compaction.ended(TASK);
    },
    demand: () => compaction.compact(order, { afterRun: false }),
    /** The words of the request. */
    async request(run?: string) {
      const { messages, instructions } = await context(run);
      return { all: JSON.stringify([instructions, messages]), messages };
    },
    session: () => fs.readFileSync(file, 'utf8'),
    compactions: () =>
      fs
        .readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('{"type":"compaction"'))
        .map((line) => JSON.parse(line)),
    log: () => {
      const dir = path.join(home.viberDir('default'), 'memory');
      return fs
        .readdirSync(dir)
        .filter((name) => name.endsWith('.md'))
        .map((name) => fs.readFileSync(path.join(dir, name), 'utf8'))
        .join('\n');
    },
    digests: () => llm.requests().filter(isDigest),
  };
}
