/**
 * The status message of a run: typing, then one message edited while it goes on. Best effort and apart from delivery.
 * Invariants: nothing here throws; an answer that comes before `typingAfter` costs no call; after `end` no call of that run is
 * made but the one that takes its message away, and none that writes the message is under way when it is given to the answer.
 */

import { createLru } from '../../lib/lru.ts';
import { clip } from '../../lib/text.ts';
import { within } from '../../lib/within.ts';
import type { Address, AgentStreamEvent, LiveMode, LiveView } from '../channel.ts';
import { later } from './wait.ts';

/** Milliseconds. */
export interface StatusTiming {
  typingAfter: number;
  /** How long the platform shows typing. */
  typingEvery: number;
  statusAfter: number;
  statusEvery: number;
  textEvery: number;
  /** A longer run is answered by a new message, which notifies. */
  longRun: number;
  /** How long an answer waits for a call about progress. */
  late: number;
}

/** The message of a run. */
export interface Shown {
  address: Address;
  view: LiveView;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** Once it is there. */
  messageId?: string;
  /** What stands in it, as JSON of `Words`. */
  shown: string;
  /** The run has ended, or its message was deleted, or the bot may not write there. */
  isOver: boolean;
}

/** A line to be shown as it is, or the beginning of an answer. */
export type Words = { line: string } | { markdown: string };

/** The platform's calls. None of them rejects. */
export interface StatusCalls {
  /** Shows on the message itself that it was seen, for as long as the run goes on; the second takes that away. */
  mark?(run: Shown): Promise<void>;
  unmark?(run: Shown): Promise<void>;
  type(run: Shown): Promise<void>;
  publish(run: Shown, words: Words): Promise<void>;
  /** Tried again while the platform cannot be reached: what is left would say for ever that we are at work. */
  remove(run: Shown): Promise<void>;
}

export interface Status {
  event(event: AgentStreamEvent, address: Address, view: LiveView): void;
  /** Gives the id of the status message, if the answer is to replace it; otherwise it is deleted. */
  end(runId: string, address: Address, isAnswered: boolean): Promise<string | undefined>;
  /** What the limits of the place leave; places that share a key share them. */
  pace(address: Address): { key: string; gapMs: number };
  /** Ends every run's progress. */
  close(): void;
}

export interface StatusOptions {
  calls: StatusCalls;
  /** Where a conversation has chosen none. */
  mode: LiveMode;
  timing: StatusTiming;
  /** Characters of an answer that are shown as it grows. */
  maxText: number;
  /** Where an answer may be seen as it grows; everywhere unless told. */
  maySeeText?: (address: Address) => boolean;
  pace: Status['pace'];
}

interface Run extends Shown {
  /** What the model has written since its last tool call; only kept where it is shown. */
  text: string;
  typing: NodeJS.Timeout | undefined;
  showing: NodeJS.Timeout | undefined;
  /** Waits for its turn. */
  isQueued: boolean;
  call: Promise<void> | undefined;
  marking: Promise<void> | undefined;
}

const MAX_RUNS = 500;
/** A status is renewed at least this often: a draft of Telegram's lasts half a minute. */
const MAX_EVERY_MS = 25_000;
/** A run whose end we never hear of stops typing. */
const MAX_RUN_MS = 30 * 60_000;

export function createStatus(options: StatusOptions): Status {
  const runs = new RunStatus(options);
  return {
    event: (event, address, view) => runs.event(event, address, view),
    end: (runId, address, isAnswered) => runs.end(runId, address, isAnswered),
    pace: options.pace,
    close: () => runs.close(),
  };
}

class RunStatus {
  readonly #to: StatusOptions;
  readonly #runs = new Map<string, Run>();
  readonly #ended = createLru<true>(MAX_RUNS);

  constructor(options: StatusOptions) {
    this.#to = options;
  }

  event(event: AgentStreamEvent, address: Address, view: LiveView): void {
    const key = keyOf(event.runId, address);
    if (this.#ended.has(key)) return;
    if (this.#modeOf(view) === 'off') {
      const run = this.#runs.has(key) ? this.#finish(key) : undefined;
      if (run) void this.#takeAway(run);
      return;
    }
    const run = this.#runs.get(key) ?? this.#start(key, address, view);
    run.view = view;
    if (event.type === 'tool-call' || (event.type === 'state-change' && event.state === 'thinking')) run.text = '';
    if (event.type !== 'text-delta' || !this.#showsText(run)) return;
    if (run.text === '') {
      clearTimeout(run.showing);
      run.showing = later(this.#to.timing.textEvery, () => void this.#show(run));
    }
    if (run.text.length <= this.#to.maxText) run.text += event.content;
  }

  async end(runId: string, address: Address, isAnswered: boolean): Promise<string | undefined> {
    const run = this.#finish(keyOf(runId, address));
    if (!run) return undefined;
    const isLate = (await within(Promise.resolve(run.call), this.#to.timing.late, () => 'late')) === 'late';
    if (isAnswered && !isLate && Date.now() - run.startedAt < this.#to.timing.longRun) return run.messageId;
    const gone = this.#takeAway(run);
    if (!isAnswered) await gone;
    return undefined;
  }

  close(): void {
    for (const key of [...this.#runs.keys()]) this.#finish(key);
  }

  #start(key: string, address: Address, view: LiveView): Run {
    const shown = { address, shown: '', isOver: false, text: '', startedAt: Date.now() };
    const kept = view.kept === undefined ? {} : { messageId: view.kept };
    const run: Run = {
      ...shown,
      ...kept,
      view,
      typing: undefined,
      showing: undefined,
      isQueued: false,
      call: undefined,
      marking: undefined,
    };
    run.typing = later(this.#to.timing.typingAfter, () => {
      run.marking = this.#to.calls.mark?.(run);
      this.#type(run);
    });
    run.showing = later(this.#to.timing.statusAfter, () => void this.#show(run));
    this.#runs.set(key, run);
    const oldest = this.#runs.size > MAX_RUNS ? this.#runs.keys().next().value : undefined;
    if (oldest !== undefined) this.#finish(oldest);
    return run;
  }

  #finish(key: string): Run | undefined {
    const run = this.#runs.get(key);
    this.#runs.delete(key);
    clearTimeout(run?.typing);
    clearTimeout(run?.showing);
    if (run) run.isOver = true;
    if (run) void run.marking?.then(() => this.#to.calls.unmark?.(run));
    this.#ended.set(key, true);
    return run;
  }

  #type(run: Run): void {
    if (run.isOver || Date.now() - run.startedAt > MAX_RUN_MS) return;
    run.typing = later(this.#to.timing.typingEvery, () => this.#type(run));
    if (run.view.state !== 'waiting-approval') void this.#to.calls.type(run);
  }

  /** Sends or edits the message when its turn has come, if there is something new to say then; one call of a run at a time. */
  async #show(run: Run): Promise<void> {
    if (run.isOver || run.isQueued || run.call) return;
    run.isQueued = true;
    const isTurn = !this.#isNew(run) || (await run.view.turn());
    run.isQueued = false;
    if (run.isOver || !isTurn) return;
    if (this.#isNew(run)) {
      const before = run.messageId;
      run.call = this.#to.calls.publish(run, this.#wordsFor(run));
      await run.call;
      run.call = undefined;
      if (run.messageId !== undefined && run.messageId !== before) run.view.keep(run.messageId);
    }
    clearTimeout(run.showing);
    if (!run.isOver) run.showing = later(this.#interval(run), () => void this.#show(run));
  }

  /** A status slows down with the length of the run. */
  #interval(run: Run): number {
    if (this.#showsText(run) && run.text !== '') return this.#to.timing.textEvery;
    return Math.max(this.#to.timing.statusEvery, Math.min(MAX_EVERY_MS, (Date.now() - run.startedAt) / 10));
  }

  async #takeAway(run: Run): Promise<void> {
    await run.call;
    await this.#to.calls.remove(run);
  }

  #modeOf({ mode = this.#to.mode }: LiveView): LiveMode {
    return mode;
  }

  #showsText({ view, address }: Run): boolean {
    return this.#modeOf(view) === 'text' && (this.#to.maySeeText?.(address) ?? true);
  }

  #wordsFor(run: Run): Words {
    const isText = this.#showsText(run) && run.text.trim() !== '';
    return isText ? { markdown: clip(run.text, this.#to.maxText) } : { line: run.view.line() };
  }

  #isNew(run: Run): boolean {
    return JSON.stringify(this.#wordsFor(run)) !== run.shown;
  }
}

function keyOf(runId: string, { chat, thread }: Address): string {
  return `${runId}|${chat}|${thread ?? ''}`;
}
