/**
 * Shows a run's status: typing, then one message that is edited as the run goes on. Best effort, and separate from
 * delivery. Invariants: nothing here throws; an answer before `typingAfter` costs no call; after `end` the run makes no
 * call except the one that deletes its message, and no write of the message is under way when the answer takes it over.
 */

import { clip } from '../../lib/text.ts';
import { within } from '../../lib/within.ts';
import type { Address, AgentStreamEvent, LiveMode } from '../channel.ts';
import { createLiveRuns, type Live, type LiveRun, type Painter, plan, takeTurn } from './live-runs.ts';

/** Times in milliseconds. */
export interface StatusTiming {
  typingAfter: number;
  /** How long the platform shows typing. */
  typingEvery: number;
  statusAfter: number;
  statusEvery: number;
  textEvery: number;
  /** A longer run is answered by a new message, which notifies people. */
  longRun: number;
  /** How long an answer waits for a pending progress call. */
  late: number;
}

/** A run with its status message. */
export interface Shown extends LiveRun {
  messageId?: string;
  /** The message's current content, as JSON of `Words`. */
  shown: string;
}

/** A line to show as it is, or the beginning of an answer. */
export type Words = { line: string } | { markdown: string };

/** The platform's calls. None of them rejects. */
export interface StatusCalls {
  /** Marks the answered message as seen for as long as the run goes on; `unmark` removes the mark. */
  mark?(run: Shown): Promise<void>;
  unmark?(run: Shown): Promise<void>;
  type(run: Shown): Promise<void>;
  publish(run: Shown, words: Words): Promise<void>;
  /**
   * Deletes the message; retries while the platform is unreachable, because a leftover would claim for ever that the
   * run is at work.
   */
  remove(run: Shown): Promise<void>;
}

export interface StatusOptions {
  calls: StatusCalls;
  /** The default where a conversation has chosen none. */
  mode: LiveMode;
  timing: StatusTiming;
  /** The most characters of a growing answer that are shown. */
  maxText: number;
  /** Returns whether the address may show an answer as it grows. Default: everywhere. */
  maySeeText?: (address: Address) => boolean;
  pace: Live['pace'];
}

interface Run extends Shown {
  /** The model's text since its last tool call; kept only if it is shown. */
  text: string;
  marking: Promise<void> | undefined;
}

/** A status is renewed at least this often, because a Telegram draft lasts half a minute. */
const MAX_EVERY_MS = 25_000;
/** A run whose end is never reported stops typing after this time. */
const MAX_RUN_MS = 30 * 60_000;

export function createStatus(options: StatusOptions): Live {
  return { ...createLiveRuns(new StatusPainter(options), options.mode), pace: options.pace };
}

class StatusPainter implements Painter<Run> {
  readonly #to: StatusOptions;

  constructor(options: StatusOptions) {
    this.#to = options;
  }

  begin(given: LiveRun): Run {
    const { kept } = given.view;
    const run: Run = { ...given, shown: '', text: '', marking: undefined };
    if (kept !== undefined) run.messageId = kept;
    plan(run, 'type', this.#to.timing.typingAfter, () => {
      run.marking = this.#to.calls.mark?.(run);
      this.#type(run);
    });
    plan(run, 'show', this.#to.timing.statusAfter, () => void this.#show(run));
    return run;
  }

  hear(run: Run, event: AgentStreamEvent): void {
    if (event.type === 'tool-call' || (event.type === 'state-change' && event.state === 'thinking')) run.text = '';
    if (event.type !== 'text-delta' || !this.#showsText(run)) return;
    if (run.text === '') plan(run, 'show', this.#to.timing.textEvery, () => void this.#show(run));
    if (run.text.length <= this.#to.maxText) run.text += event.content;
  }

  over(run: Run): void {
    void run.marking?.then(() => this.#to.calls.unmark?.(run));
  }

  async end(run: Run, isAnswered: boolean): Promise<string | undefined> {
    const isLate = (await within(Promise.resolve(run.call), this.#to.timing.late, () => 'late')) === 'late';
    if (isAnswered && !isLate && Date.now() - run.startedAt < this.#to.timing.longRun) return run.messageId;
    const gone = this.#takeAway(run);
    if (!isAnswered) await gone;
    return undefined;
  }

  #type(run: Run): void {
    if (run.isOver || Date.now() - run.startedAt > MAX_RUN_MS) return;
    plan(run, 'type', this.#to.timing.typingEvery, () => this.#type(run));
    if (run.view.state !== 'waiting-approval') void this.#to.calls.type(run);
  }

  /**
   * Sends or edits the message when its turn comes, if there is something new to show by then. One call of a run at a
   * time.
   */
  async #show(run: Run): Promise<void> {
    if (run.isOver || run.isQueued || run.call) return;
    if (!(await takeTurn(run, this.#isNew(run)))) return;
    if (this.#isNew(run)) {
      const before = run.messageId;
      run.call = this.#to.calls.publish(run, this.#wordsFor(run));
      await run.call;
      run.call = undefined;
      if (run.messageId !== undefined && run.messageId !== before) run.view.keep(run.messageId);
    }
    if (!run.isOver) plan(run, 'show', this.#interval(run), () => void this.#show(run));
  }

  /** Returns the wait before the next update; the updates of a status get rarer as the run gets longer. */
  #interval(run: Run): number {
    if (this.#showsText(run) && run.text !== '') return this.#to.timing.textEvery;
    return Math.max(this.#to.timing.statusEvery, Math.min(MAX_EVERY_MS, (Date.now() - run.startedAt) / 10));
  }

  async #takeAway(run: Run): Promise<void> {
    await run.call;
    await this.#to.calls.remove(run);
  }

  #showsText({ view, address }: Run): boolean {
    return (view.mode ?? this.#to.mode) === 'text' && (this.#to.maySeeText?.(address) ?? true);
  }

  #wordsFor(run: Run): Words {
    const isText = this.#showsText(run) && run.text.trim() !== '';
    return isText ? { markdown: clip(run.text, this.#to.maxText) } : { line: run.view.line() };
  }

  #isNew(run: Run): boolean {
    return JSON.stringify(this.#wordsFor(run)) !== run.shown;
  }
}
