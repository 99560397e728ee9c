/**
 * Compacts a session: in future requests, a summary replaces all finished runs except the newest.
 * finished runs -> digest (a model, metered) -> day's log, suggestions -> session: compaction
 * Invariants: nothing from a run with a guest goes into memory. Originals never change. The facts are durable before
 * the line in the session; until then nothing has changed, and a later run repeats the same part. The new summary
 * includes the old one and keeps its facts, whatever the model says.
 */

import { crashPoint } from '../../crash-points.ts';
import { createLru } from '../../lib/lru.ts';
import { type HistoryLimits, newestRuns } from '../../runtime/context/history-window.ts';
import { type HistorySettings, historyLimits } from '../../runtime/model/models.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask, type Session } from '../../workspace/tasks/index.ts';
import type { SessionEntry } from '../../workspace/types.ts';
import { type Choice, choosePart, type Part } from './covered.ts';
import { compactionText, summaryRoom } from './digest.ts';
import { type CompactionOrder, type DigesterOptions, digestPart } from './digester.ts';
import { type FlushedFact, factLine, memoryFlush } from './flush.ts';
import type { Question } from './store/questions.ts';

export interface CompactionResult {
  /** `more`: another part remains. `later`: a model failed recently. `closed`: the gateway is stopping. */
  end: 'done' | 'more' | 'nothing' | 'later' | 'cap' | 'failed' | 'closed';
  /** The number of messages and answers that this pass added to the summary. */
  messages: number;
  facts: number;
  /** The number of facts that wait for an owner's decision. */
  waiting: number;
  /** The current summary; '' if nothing was done. */
  text: string;
}

export interface CompactOptions extends Omit<DigesterOptions, 'maxTokens' | 'room'> {
  home: Home;
  limits: HistorySettings;
  /** Returns whether an approval still exists. If so, the run that asked for it is still waiting. */
  waits: (approval: string) => boolean;
  /** Called after the question was stored. Must not throw. */
  askOwners: (question: Question, viber: string) => void;
  now?: () => number;
}

export type Pass = (order: CompactionOrder, isDemand: boolean) => Promise<CompactionResult>;

/** The maximum number of digests in one pass; a long session needs several passes. */
const MAX_PARTS = 10;
/** Bytes to read for one digest; more if tools have filled the session, up to the maximum. */
const SPAN_BYTES = 128 * 1024;
const FULL_SPAN_BYTES = 2 * 1024 * 1024;
const MAX_SPAN_BYTES = 32 * 1024 * 1024;
const RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;
/** After this many unusable answers, the part is digested without a model. */
const TRIES = 3;
/** The share of the request limit that stays uncompacted. */
const KEPT = 0.5;
/** Compaction on request keeps only the newest run. */
const NEWEST: HistoryLimits = { maxMessages: 1, maxTokens: 1 };

interface Sizes {
  /** Tokens of the conversation per digest. */
  maxTokens: number;
  /** The limit of a summary in bytes. */
  room: number;
}

/** Agents that were asked have their own sessions in the same task. */
const sessionKey = ({ viber, taskId }: CompactionOrder): string => `${viber}/${taskId}`;

async function sizesFor(
  { viber, maxTokens: requested }: CompactionOrder,
  { limits, modelOf }: CompactOptions,
): Promise<Sizes & { half: HistoryLimits }> {
  const { model, fallback } = await modelOf(viber);
  const { maxMessages, maxTokens } = historyLimits(limits, [model, ...fallback]);
  const most = requested ?? maxTokens;
  return {
    maxTokens,
    room: summaryRoom(Math.min(maxTokens, most)),
    half: { maxMessages: maxMessages * KEPT, maxTokens: most * KEPT },
  };
}

export function createPass(options: CompactOptions): Pass {
  const { home, log, now = Date.now } = options;
  const failures = createLru<{ count: number; until: number; through: string }>(1_000);

  async function digest(order: CompactionOrder, part: Part, before: string, sizes: Sizes) {
    const key = sessionKey(order);
    const failed = failures.get(key);
    const count = failed?.through === part.through ? failed.count : 0;
    const how = { before, withoutModel: count >= TRIES };
    const made = await digestPart(order, part, how, { ...options, ...sizes });
    if (made === 'closed') return made;
    if (typeof made !== 'string') {
      failures.delete(key);
      return made;
    }
    // Only an unusable answer counts against the part, not an unreachable model.
    const tries = count + (made === 'unusable' ? 1 : 0);
    const until = now() + Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** tries);
    failures.set(key, { count: tries, until, through: part.through });
    return made === 'cap' ? made : 'failed';
  }

  /** Digests the part that may be covered, piece by piece. Writes nothing. */
  async function gather(order: CompactionOrder, isDemand: boolean) {
    const { session } = openTask(home, order.taskId, order.viber);
    const { half, ...sizes } = await sizesFor(order, options);
    const keep = newestRuns(session.window(undefined, 2 * half.maxTokens), isDemand ? NEWEST : half);
    const last = session.compaction();
    let from = last ? session.uncoveredFrom(last) : 0;
    let text = last?.entry.text ?? '';
    let through = '';
    let said = 0;
    const facts = new Map<string, FlushedFact>();
    let end: CompactionResult['end'] = 'nothing';
    for (let parts = 0; ; parts += 1) {
      const part = nextPart(session, from, { keep, maxTokens: sizes.maxTokens, waits: options.waits });
      if (!part) break;
      const made = parts < MAX_PARTS ? await digest(order, part, text, sizes) : 'more';
      if (typeof made === 'string') {
        end = through === '' ? made : 'more';
        break;
      }
      if (!part.hasGuest) for (const fact of made.facts) facts.set(factLine(fact), fact);
      text = compactionText(made, text, sizes.room);
      ({ end: from, through } = part);
      said += part.said;
      end = 'done';
    }
    return { end, text, through, said, covers: from, facts: [...facts.values()] };
  }

  return async (order, isDemand) => {
    const { viber, taskId } = order;
    const nothing = { messages: 0, facts: 0, waiting: 0, text: '' };
    if (!isDemand && now() < (failures.get(sessionKey(order))?.until ?? 0)) return { ...nothing, end: 'later' };
    const { end, text, through, said, covers, facts } = await gather(order, isDemand);
    if (through === '') {
      // Its beginning isn't finished yet, so retrying after each run would be pointless.
      if (end === 'nothing') failures.set(sessionKey(order), { count: 0, until: now() + RETRY_MS, through });
      return { ...nothing, end };
    }
    crashPoint('compaction:extracted');
    const at = new Date(now());
    const { waiting, question } = await memoryFlush({ home, ...order }, facts, at);
    crashPoint('compaction:flushed');
    // Writes one line for all pieces, so that the end of a session doesn't fill with summaries.
    const line: SessionEntry = { type: 'compaction', at: at.toISOString(), text, through, covers };
    await openTask(home, taskId, viber).session.append([line], { sync: true });
    log.info({ task: taskId, messages: said, facts: facts.length, through }, 'session compacted');
    if (question) options.askOwners(question, viber);
    return { end, messages: said, facts: facts.length, waiting, text };
  };
}

/** Returns the first part after byte `from`, or undefined if nothing more may be covered. */
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
