/**
 * Makes the model call of a compaction: metered and capped like every call, with the viber's own model and fallback,
 * and limited in time and length. A failure becomes a result and never fails the run that came before.
 */
import type { Logger } from '../../log.ts';
import type { Agent } from '../../runtime/contract/agent.ts';
import { OFFLINE_MODEL } from '../../runtime/contract/providers.ts';
import { RunError } from '../../runtime/contract/run-error.ts';
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
  /** The limit of history in the request that had to omit something; by default, that of the viber's own model. */
  maxTokens?: number;
}

/** `unusable`: the model's answer wasn't a digest. `unreachable`: the model didn't answer. */
type DigestFailure = 'cap' | 'unusable' | 'unreachable' | 'closed';

export interface DigesterOptions {
  agent: Pick<Agent, 'run'>;
  costs: Pick<Spending, 'overCap' | 'add' | 'addToTask'>;
  /** Returns a viber's model (`provider/model`) and its fallback. */
  modelOf: (viber: string) => Promise<{ model: string; fallback: string[] }>;
  /** Tokens of the conversation per call. */
  maxTokens: number;
  /** The limit of a summary in bytes. */
  room: number;
  log: Logger;
  signal: AbortSignal;
}

const TIMEOUT_MS = 120_000;

/**
 * @param before the text of the previous compaction; '' if there is none
 * @param withoutModel true after a model has failed several times
 */
export async function digestPart(
  { viber, taskId, person }: CompactionOrder,
  part: Part,
  { before, withoutModel }: { before: string; withoutModel: boolean },
  { agent, costs, modelOf, maxTokens, room, log, signal }: DigesterOptions,
): Promise<Digest | DigestFailure> {
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
}
