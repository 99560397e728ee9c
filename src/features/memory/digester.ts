/**
 * The model call of a compaction: metered and capped like every call, with the viber's own model and fallback, limited
 * in time and length. Failures become results, and never fail the run that came before.
 */
import type { Logger } from '../../log.ts';
import { type Agent, RunError } from '../../runtime/agent/agent.ts';
import { OFFLINE_MODEL } from '../../runtime/contract/providers.ts';
import type { Spending } from '../../runtime/contract/spending.ts';

import type { Part } from './covered.ts';
import { type Digest, digestInstructions, digestQuestion, maxAnswer, readDigest, splitFacts } from './digest.ts';
import { offlineDigest } from './digest-offline.ts';

/** The session, and the person who is charged. */
export interface CompactionOrder {
  viber: string;
  taskId: string;
  /** A principal as text. */
  person: string;
}

export interface DigestWish {
  /** The text of the previous compaction; '' if there is none. */
  before: string;
  /** The limit of the final summary in bytes. */
  room: number;
  signal: AbortSignal;
  withoutModel: boolean;
}

export interface Digester {
  /** `unusable`: the model's answer was not a digest. `unreachable`: the model did not answer. */
  digest(
    order: CompactionOrder,
    part: Part,
    wish: DigestWish,
  ): Promise<Digest | 'cap' | 'unusable' | 'unreachable' | 'closed'>;
}

export interface DigesterOptions {
  agent: Pick<Agent, 'run'>;
  costs: Pick<Spending, 'overCap' | 'add' | 'addToTask'>;
  /** Returns a viber's model (`provider/model`) and its fallback. */
  modelOf: (viber: string) => Promise<{ model: string; fallback: string[] }>;
  /** Tokens of the conversation per call. */
  maxTokens: number;
  log: Logger;
}

const TIMEOUT_MS = 120_000;

export function createDigester({ agent, costs, modelOf, maxTokens, log }: DigesterOptions): Digester {
  return {
    async digest({ viber, taskId, person }, part, { before, room, signal, withoutModel }) {
      const { model, fallback } = await modelOf(viber);
      const [soFar] = splitFacts(before);
      if (withoutModel || model === OFFLINE_MODEL) return offlineDigest(part.messages, soFar, room);
      if (costs.overCap(person)) return 'cap';
      const run = `compact-${part.through}`;
      const enough = new AbortController();
      let told = 0;
      try {
        const outcome = await agent.run(
          {
            taskId,
            runId: run,
            viber,
            goal: '',
            model,
            fallback,
            maxSteps: 1,
            tools: [],
            resume: [],
            instructions: [digestInstructions(room)],
            messages: [{ role: 'user', text: digestQuestion(part.messages, before, maxTokens) }],
          },
          {
            signal: AbortSignal.any([signal, enough.signal, AbortSignal.timeout(TIMEOUT_MS)]),
            onEvent(event) {
              if (event.type === 'state-change') told = 0;
              if (event.type !== 'text-delta') return;
              told += event.content.length;
              if (told > maxAnswer(room)) enough.abort(new Error('too long'));
            },
            onCall: () => Promise.resolve(),
            onStep: () => Promise.resolve(),
            onUsage: (name, usage, ms) => costs.add({ run, task: taskId, person, model: name, ms, ...usage }),
          },
        );
        const digest = outcome.finish === 'stop' ? readDigest(outcome.text, room) : undefined;
        if (!digest) log.warn({ task: taskId, finish: outcome.finish }, 'a digest could not be used');
        return digest ?? 'unusable';
      } catch (error) {
        if (signal.aborted) return 'closed';
        if (!(error instanceof RunError)) throw error;
        log.warn({ task: taskId, err: error }, 'a digest failed');
        return enough.signal.aborted || error.kind === 'empty' || error.kind === 'cut-off' ? 'unusable' : 'unreachable';
      } finally {
        await costs.addToTask(run, taskId);
      }
    },
  };
}
