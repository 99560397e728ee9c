/**
 * Compaction of one session: runs that are over, but for the newest, are put into a summary that stands for them in requests from
 * then on.
 *
 *   finished runs -> digest (a model, metered) -> day's log, suggestions -> session: compaction
 *
 * Invariants: nothing is flushed of what a guest has spoken in; originals are never touched; the flush is durable before the line; before the line nothing has changed, and the same
 * part is taken again after a later run; the new summary is given the old one, and keeps its facts whatever the model says.
 */

import { crashPoint } from '../../crash-points.ts';
import { createLru } from '../../lib/lru.ts';
import type { Logger } from '../../log.ts';
import { type HistoryLimits, newestRuns } from '../../runtime/context/history-window.ts';
import type { Home } from '../../workspace/home.ts';
import type { Question } from '../../workspace/memory/questions.ts';
import { openTask, type Session } from '../../workspace/tasks/index.ts';
import type { SessionEntry } from '../../workspace/types.ts';
import { type Choice, choosePart, type Part } from './covered.ts';
import { compactionText, summaryRoom } from './digest.ts';
import type { CompactionOrder } from './digester.ts';
import { createDigester, type DigesterOptions } from './digester.ts';
import { type FlushedFact, factLine, memoryFlush } from './flush.ts';

export interface Compacted {
  /** `more`: another part is left. `later`: a model failed shortly before. `closed`: the gateway stops. */
  end: 'done' | 'more' | 'nothing' | 'later' | 'cap' | 'failed' | 'closed';
  /** Messages of people and answers that the summary stands for since this pass. */
  messages: number;
  facts: number;
  /** Facts that wait for an owner's word. */
  waiting: number;
  /** The summary as it stands now; '' when nothing was done. */
  text: string;
}

export interface CompactOptions extends Omit<DigesterOptions, 'maxTokens'> {
  home: Home;
  limits: HistoryLimits;
  /** Whether an approval is kept somewhere: as long as it is, a run that has asked for it and got no decision waits. */
  waits: (approval: string) => boolean;
  /** Closes the question once it was asked. Must not throw. */
  askOwners: (question: Question, viber: string) => void;
  log: Logger;
  signal: AbortSignal;
  now?: () => number;
}

export type Pass = (order: CompactionOrder, isDemand: boolean) => Promise<Compacted>;

/** Digests of one pass: a long session that was never compacted takes several passes. */
const MAX_PARTS = 10;
/** What is read for one digest: more where tools have filled the session, up to here if there is anything for it. */
const SPAN_BYTES = 128 * 1024;
const FULL_SPAN_BYTES = 2 * 1024 * 1024;
const MAX_SPAN_BYTES = 32 * 1024 * 1024;
const RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;
/** What a model cannot put into words so many times is put down without one. */
const TRIES = 3;
/** Of what a request may carry, this much stays as it was said. */
const KEPT = 0.5;
/** On demand nothing but the newest run does. */
const NEWEST: HistoryLimits = { max_messages: 1, max_tokens: 1 };

/** Agents that were asked have sessions of their own in the same task. */
const keyOf = ({ viber, taskId }: CompactionOrder): string => `${viber}/${taskId}`;

export function createPass(options: CompactOptions): Pass {
  const { home, limits, log, signal, now = Date.now } = options;
  const maxTokens = limits.max_tokens;
  const room = summaryRoom(maxTokens);
  const digester = createDigester({ ...options, maxTokens });
  const half: HistoryLimits = { max_messages: limits.max_messages * KEPT, max_tokens: maxTokens * KEPT };
  const failures = createLru<{ count: number; until: number; through: string }>(1_000);

  async function digest(order: CompactionOrder, part: Part, before: string) {
    const key = keyOf(order);
    const failed = failures.get(key);
    const count = failed?.through === part.through ? failed.count : 0;
    const made = await digester.digest(order, part, { before, room, signal, withoutModel: count >= TRIES });
    if (made === 'closed') return made;
    if (typeof made !== 'string') {
      failures.delete(key);
      return made;
    }
    // A model that cannot be reached says nothing about the part.
    const tries = count + (made === 'unusable' ? 1 : 0);
    const until = now() + Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** tries);
    failures.set(key, { count: tries, until, through: part.through });
    return made === 'cap' ? made : 'failed';
  }

  /** The part that may be covered, one digest after the other, each going on from the one before. Nothing is written. */
  async function gather(order: CompactionOrder, isDemand: boolean) {
    const { session } = openTask(home, order.taskId, order.viber);
    const tail = session.window();
    const keep = newestRuns(tail, isDemand ? NEWEST : half);
    const last = session.compaction();
    let from = last ? session.uncoveredFrom(last) : 0;
    let text = last?.entry.text ?? '';
    let through = '';
    let said = 0;
    const facts = new Map<string, FlushedFact>();
    let end: Compacted['end'] = 'nothing';
    for (let parts = 0; ; parts += 1) {
      const part = nextPart(session, from, { keep, maxTokens, waits: options.waits });
      if (!part) break;
      const made = parts < MAX_PARTS ? await digest(order, part, text) : 'more';
      if (typeof made === 'string') {
        end = through === '' ? made : 'more';
        break;
      }
      if (!part.hasGuest) for (const fact of made.facts) facts.set(factLine(fact), fact);
      text = compactionText(made, text, room);
      ({ end: from, through } = part);
      said += part.said;
      end = 'done';
    }
    return { end, text, through, said, covers: from, facts: [...facts.values()] };
  }

  return async (order, isDemand) => {
    const { viber, taskId } = order;
    const nothing = { messages: 0, facts: 0, waiting: 0, text: '' };
    if (!isDemand && now() < (failures.get(keyOf(order))?.until ?? 0)) return { ...nothing, end: 'later' };
    const { end, text, through, said, covers, facts } = await gather(order, isDemand);
    if (through === '') {
      // Something at its beginning is not over yet: looking again after each run would be in vain.
      if (end === 'nothing') failures.set(keyOf(order), { count: 0, until: now() + RETRY_MS, through });
      return { ...nothing, end };
    }
    crashPoint('compaction:extracted');
    const at = new Date(now());
    const { waiting, question } = await memoryFlush({ home, ...order }, facts, at);
    crashPoint('compaction:flushed');
    // One line however many parts there were: what is read of a session's end must not fill with summaries.
    const line: SessionEntry = { type: 'compaction', at: at.toISOString(), text, through, covers };
    await openTask(home, taskId, viber).session.append([line], { sync: true });
    log.info({ task: taskId, messages: said, facts: facts.length, through }, 'session compacted');
    if (question) options.askOwners(question, viber);
    return { end, messages: said, facts: facts.length, waiting, text };
  };
}

/** The first part after the byte `from`; undefined when nothing more may be covered. */
function nextPart(session: Session, from: number, how: Pick<Choice, 'keep' | 'maxTokens' | 'waits'>): Part | undefined {
  for (let bytes = SPAN_BYTES; ; bytes *= 4) {
    const span = session.span(from, bytes);
    if (!span) return undefined;
    const { lines, end, size } = span;
    const part = choosePart(lines, { end, isCut: end < size, ...how });
    const isEnough = part && (part.tokens > how.maxTokens / 2 || bytes >= FULL_SPAN_BYTES);
    if (isEnough || end >= size || bytes >= MAX_SPAN_BYTES) return part;
  }
}
