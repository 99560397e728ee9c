/**
 * Updates the memory after a run, once its answer is durable: adds a line to the day's log, except for a guest's run.
 * Facts worth keeping longer become suggestions, which owners are asked about directly unless the answer already asks
 * one of them. Nothing here delays or fails an answer. The first line after a quiet moment is written at once, and
 * lines within the next second are combined. A run that is concluded again after a crash produces the same line, which
 * is then already there.
 */

import type { QueueItem } from '../../engine/engine.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { type Logger, scrub } from '../../log.ts';
import { lines } from '../../messages/messages.ts';
import type { Entry } from '../../runtime/contract/entry.ts';
import type { Suggestion } from '../../runtime/contract/memory.ts';
import type { Answer } from '../../runtime/contract/outcome.ts';
import type { TaskResult } from '../../runtime/contract/task.ts';
import type { OwnerNotifier } from '../../runtime/conversations/owner-notifier.ts';
import { channelName, plainName } from '../../runtime/conversations/places.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import { askOwner } from './question.ts';
import { appendDailyLogs, clockOf, type DailyEntry, localDay } from './store/daily.ts';
import { shareIn } from './store/same-words.ts';
import { listSuggestions } from './store/suggestions.ts';

export interface FinishedRun {
  viber: string;
  title: string;
  /** When its result was recorded, ISO 8601. The same time again after a crash. */
  at: string;
  result: TaskResult & Pick<Answer, 'decisions' | 'asks'>;
  words?: string | undefined;
  /** Whether the built-in model answered and did nothing. */
  isTalk?: boolean | undefined;
}

export interface ConcludedRun {
  run: string;
  items: readonly QueueItem<Entry>[];
  /** Whether it may have been concluded before. */
  isAgain: boolean;
}

export interface AfterRun {
  /**
   * Returns the outcome with its pending suggestions, including those of an earlier process or from before a question.
   */
  complete(turn: ConcludedRun, outcome: Answer): Promise<Answer>;
  /** Asks the owners in direct messages, unless the answer asks one. Repeating it has no effect. */
  ask(turn: ConcludedRun, outcome: Answer): Promise<void>;
  /**
   * Adds to the day's log. Never throws and doesn't wait.
   * @param at when the result was recorded, ISO 8601
   */
  note(turn: ConcludedRun, outcome: Answer, at: string): void;
  flush(): Promise<void>;
}

export interface AfterRunOptions {
  home: Home;
  log: Logger;
  askOwners: OwnerNotifier['askOwners'];
}

const GATHER_MS = 1_000;
const MAX_TITLE = 60;
const MIN_LENGTH = 12;
/** Greetings and thanks. Not "yes" or "ok", which may have started any work. */
const SMALL_TALK =
  /^(?:(?:hi|hello|hey|hallo|thanks?|thank you|thx|good (?:morning|evening|night|day)|bye|great|cool|nice|how are you)\b[\s!.,?)(:]*){1,3}$/i;

export function createAfterRun(options: AfterRunOptions): AfterRun {
  const { home, log } = options;
  const noted = new Map<string, { viber: string; date: string; entries: Omit<DailyEntry, 'date'>[] }>();
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    const all = [...noted.values()];
    noted.clear();
    for (const { viber, date, entries } of all) {
      await appendDailyLogs(home, viber, date, entries).catch((error: unknown) =>
        log.warn({ err: error, viber }, 'the daily log could not be written'),
      );
    }
  }

  /** Writes at once after a quiet moment, or at the end of the current interval. */
  function schedule(): void {
    if (timer !== undefined) return;
    writing = write();
    timer = setTimeout(() => {
      timer = undefined;
      if (noted.size > 0) schedule();
    }, GATHER_MS).unref();
  }

  function add(run: FinishedRun): void {
    const entry = entryOf(run);
    if (!entry) return;
    const date = localDay(new Date(run.at));
    const key = `${run.viber}/${date}`;
    const known = noted.get(key) ?? { viber: run.viber, date, entries: [] };
    known.entries.push(entry);
    noted.set(key, known);
    // Lets pending work go first, such as the answer's own writes.
    setImmediate(schedule);
  }

  return {
    async complete({ run, items, isAgain }, outcome) {
      const { viber, resume } = entryAt(items);
      if (outcome.state !== 'completed' || (!isAgain && !resume)) return outcome;
      const waiting = (await listSuggestions(home, viber)).filter((suggestion) => suggestion.run === run);
      const asks = [...new Map([...(outcome.asks ?? []), ...waiting].map((each) => [each.id, each])).values()];
      return asks.length > 0 ? { ...outcome, asks } : outcome;
    },
    async ask({ run, items }, { asks = [] }) {
      const { viber, principal, job } = entryAt(items);
      if (asks.length === 0 || items.some(({ message }) => message.principal.role === 'owner' && !message.job)) return;
      await options.askOwners(`memory-${run}`, (messages) => {
        const { text, buttons } = askOwner(asks, messages, viber);
        const whose = `${plainName(principal.name)} (${channelName(principal.channel, messages, 'alone')})`;
        const heading = job
          ? messages.text('memory.fromJob', { job: plainName(job.name) })
          : messages.text('memory.fromWork', { whose });
        return { text: lines(heading, '', text), buttons };
      });
    },
    note({ items }, outcome, at) {
      if (outcome.state !== 'completed' || items.some(({ message }) => message.principal.role === 'guest')) return;
      const { viber, taskId } = entryAt(items);
      const words = items.map(({ message }) => message.message.text).join(' ');
      try {
        const title = openTask(home, taskId).record()?.title ?? '';
        add({ viber, title, at, result: outcome, words, isTalk: outcome.isTalk });
      } catch (error) {
        log.warn({ err: error, task: taskId }, 'a run has no line in the daily log');
      }
    },
    async flush() {
      clearTimeout(timer);
      timer = undefined;
      await writing;
      await write();
    },
  };
}

const entryAt = (items: readonly QueueItem<Entry>[]): Entry => (items[0] as QueueItem<Entry>).message;

export function entryOf({ title, at, result, words = '', isTalk }: FinishedRun): Omit<DailyEntry, 'date'> | undefined {
  const { decisions = [], asks = [] } = result;
  const summary = withoutWaiting(result.summary, asks);
  const hasFiles = result.artifactRefs.length > 0;
  if (!hasFiles && (isTalk || summary.length < MIN_LENGTH || SMALL_TALK.test(words.trim()))) return undefined;
  const clock = clockOf(new Date(at));
  const name = cutText(plainLine(title), MAX_TITLE) || 'Untitled';
  const files = hasFiles
    ? ` [${result.artifactRefs
        .slice(0, 3)
        .map((ref) => plainLine(ref.title))
        .join(', ')}]`
    : '';
  return {
    summary: scrub(`- ${clock} ${name}: ${summary || 'files'}${files}`),
    decisions: decisions.map((decision) => scrub(`- ${clock} ${decision} (${name})`)),
  };
}

/** Sentences that share this much with a pending suggestion are left out of the log. */
const TELLS = 0.6;

function withoutWaiting(summary: string, asks: readonly Suggestion[]): string {
  const sentences = summary.split(/(?<=[.!?…])\s+/);
  return sentences.filter((each) => !asks.some(({ text }) => shareIn(each, text) >= TELLS)).join(' ');
}
