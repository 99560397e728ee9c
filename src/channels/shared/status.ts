/**
 * Shows a run's status: typing, then one message that is edited as the run goes on. Best effort, and separate from
 * delivery. Invariants: nothing here throws; an answer before `typingAfter` costs no call; after `end` the run makes no
 * call except the one that deletes its message, and no write of the message is under way when the answer takes it over.
 */

import { createLru } from '../../lib/lru.ts';
import { clip } from '../../lib/text.ts';
import { within } from '../../lib/within.ts';
import type { Address, AgentStreamEvent, LiveMode, LiveView } from '../channel.ts';
import { later, rest } from './wait.ts';

export interface Live {
  event(event: AgentStreamEvent, address: Address, view: LiveView): void;
  /** Returns the ID of the status message if the answer replaces it; otherwise deletes the message. */
  end(runId: string, address: Address, isAnswered: boolean): Promise<string | undefined>;
  /** Returns the pace that the place's limits allow; places with the same key share it. */
  pace(address: Address): { key: string; gapMs: number };
  close(): void;
}

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
export interface StatusMessage {
  address: Address;
  view: LiveView;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** True once the run has ended, its message was deleted or the bot may not write there. */
  isOver: boolean;
  messageId?: string;
  /** The message's current content, as JSON of `Words`. */
  shown: string;
  /** The model's text, kept only if it is shown; a status message shows what begins at `since`, after the last tool call. */
  text: string;
  since: number;
  /** The model began again, so what has been shown of its text is void. */
  isVoid: boolean;
}

/** A line to show as it is, or the beginning of an answer. */
export type Words = { line: string } | { markdown: string };

/** The platform's calls. None of them rejects. */
export interface StatusCalls {
  /** Marks the answered message as seen for as long as the run goes on; `unmark` removes the mark. */
  mark?(run: StatusMessage): Promise<void>;
  unmark?(run: StatusMessage): Promise<void>;
  type(run: StatusMessage): Promise<void>;
  publish(run: StatusMessage, words: Words): Promise<void>;
  /** Returns whether the next `publish` needs no turn, because it makes no call that counts towards the place's limits. */
  isFree?(run: StatusMessage): boolean;
  /** Takes over the message that an earlier process kept by this name. By default the name is the message's ID. */
  restore?(run: StatusMessage, kept: string): void;
  nameOf?(run: StatusMessage): string | undefined;
  /** Finishes what is under way, so that the answer can replace the message or come after everything else. */
  settle?(run: StatusMessage): Promise<void>;
  /** Deletes the message. Returns the error after which that is worth another try. */
  remove(run: StatusMessage): Promise<{ retryAfterMs?: number | undefined } | undefined>;
  /** Called when a run has ended without an answer, and its message is gone. */
  leave?(run: StatusMessage): Promise<void>;
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

interface Run extends StatusMessage {
  isQueued: boolean;
  call: Promise<void> | undefined;
  timers: Map<string, NodeJS.Timeout>;
  marking: Promise<void> | undefined;
}

/** A status is renewed at least this often, because a Telegram draft lasts half a minute. */
const MAX_EVERY_MS = 25_000;
/** A run whose end is never reported stops typing after this time. */
const MAX_RUN_MS = 30 * 60_000;
const MAX_RUNS = 500;
/** Text before the last tool call is dropped beyond this length. */
const MAX_KEPT = 100_000;
const REMOVE_TRIES = 5;
const MAX_WAIT_MS = 300_000;

export function createStatus(options: StatusOptions): Live {
  const status = new Status(options);
  return {
    event: (event, address, view) => status.event(event, address, view),
    end: (runId, address, isAnswered) => status.end(runId, address, isAnswered),
    close: () => status.close(),
    pace: options.pace,
  };
}

class Status {
  readonly #to: StatusOptions;
  readonly #runs = new Map<string, Run>();
  readonly #ended = createLru<true>(MAX_RUNS);
  #isClosed = false;

  constructor(options: StatusOptions) {
    this.#to = options;
  }

  event(event: AgentStreamEvent, address: Address, view: LiveView): void {
    const key = statusKey(event.runId, address);
    if (this.#isClosed || this.#ended.has(key)) return;
    if ((view.mode ?? this.#to.mode) === 'off') {
      const run = this.#runs.has(key) ? this.#finish(key) : undefined;
      if (run) void this.#end(run, false);
      return;
    }
    const run = this.#runs.get(key) ?? this.#begin(key, address, view);
    run.view = view;
    this.#hear(run, event);
  }

  async end(runId: string, address: Address, isAnswered: boolean): Promise<string | undefined> {
    const run = this.#finish(statusKey(runId, address));
    return run && this.#end(run, isAnswered);
  }

  /** Stops showing progress. If a run ends before the gateway does, its answer still replaces the status message. */
  close(): void {
    this.#isClosed = true;
    for (const run of this.#runs.values()) this.#silence(run);
  }

  #begin(key: string, address: Address, view: LiveView): Run {
    const run: Run = {
      address,
      view,
      startedAt: Date.now(),
      isOver: false,
      isQueued: false,
      call: undefined,
      timers: new Map(),
      shown: '',
      text: '',
      since: 0,
      isVoid: false,
      marking: undefined,
    };
    const { calls, timing } = this.#to;
    if (view.kept !== undefined && calls.restore) calls.restore(run, view.kept);
    else if (view.kept !== undefined) run.messageId = view.kept;
    plan(run, 'type', timing.typingAfter, () => {
      run.marking = calls.mark?.(run);
      this.#type(run);
    });
    plan(run, 'show', timing.statusAfter, () => void this.#show(run));
    this.#runs.set(key, run);
    const oldest = this.#runs.size > MAX_RUNS ? this.#runs.keys().next().value : undefined;
    if (oldest !== undefined) this.#finish(oldest);
    return run;
  }

  #finish(key: string): Run | undefined {
    const run = this.#runs.get(key);
    this.#runs.delete(key);
    this.#ended.set(key, true);
    if (run) this.#silence(run);
    return run;
  }

  #silence(run: Run): void {
    for (const timer of run.timers.values()) clearTimeout(timer);
    run.isOver = true;
    void Promise.resolve(run.marking).then(() => this.#to.calls.unmark?.(run));
  }

  #hear(run: Run, event: AgentStreamEvent): void {
    const isBegun = run.text.length > run.since;
    if (event.type === 'tool-call' && isBegun) {
      run.text = run.text.length > MAX_KEPT ? '' : `${run.text}\n\n`;
      run.since = run.text.length;
    }
    if (event.type === 'state-change' && event.state === 'thinking' && isBegun) {
      run.text = run.text.slice(0, run.since);
      run.isVoid = true;
    }
    if (event.type !== 'text-delta' || !this.#showsText(run)) return;
    if (!isBegun) plan(run, 'show', this.#to.timing.textEvery, () => void this.#show(run));
    if (run.text.length - run.since <= this.#to.maxText) run.text += event.content;
  }

  async #end(run: Run, isAnswered: boolean): Promise<string | undefined> {
    const isShort = Date.now() - run.startedAt < this.#to.timing.longRun;
    const settled = this.#settle(run);
    const isLate = (await within(settled, this.#to.timing.late, () => 'late')) === 'late';
    if (isAnswered && !isLate && isShort) return run.messageId;
    const gone = settled.then(() => this.#remove(run, isAnswered));
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
    if (!(await takeTurn(run, this.#isNew(run) && !this.#to.calls.isFree?.(run)))) return;
    if (this.#isNew(run)) {
      const before = run.messageId;
      run.call = this.#to.calls.publish(run, this.#wordsFor(run));
      await run.call;
      run.call = undefined;
      const { calls } = this.#to;
      if (run.messageId !== undefined && run.messageId !== before) run.view.keep(calls.nameOf?.(run) ?? run.messageId);
    }
    if (!run.isOver) plan(run, 'show', this.#interval(run), () => void this.#show(run));
  }

  /** Returns the wait before the next update; the updates of a status get rarer as the run gets longer. */
  #interval(run: Run): number {
    if (this.#showsText(run) && run.text.length > run.since) return this.#to.timing.textEvery;
    return Math.max(this.#to.timing.statusEvery, Math.min(MAX_EVERY_MS, (Date.now() - run.startedAt) / 10));
  }

  /** Retries while the platform is unreachable, because a leftover would claim for ever that the run is at work. */
  async #remove(run: Run, isAnswered: boolean): Promise<void> {
    for (let tries = 0; run.messageId !== undefined && tries < REMOVE_TRIES; tries++) {
      const error = await this.#to.calls.remove(run);
      if (!error) break;
      await rest(Math.min(error.retryAfterMs ?? 1000 * 2 ** tries, MAX_WAIT_MS));
    }
    if (!isAnswered) await this.#to.calls.leave?.(run);
  }

  async #settle(run: Run): Promise<void> {
    await run.call;
    await this.#to.calls.settle?.(run);
  }

  #showsText({ view, address }: Run): boolean {
    return (view.mode ?? this.#to.mode) === 'text' && (this.#to.maySeeText?.(address) ?? true);
  }

  #wordsFor(run: Run): Words {
    const text = run.text.slice(run.since);
    const isText = this.#showsText(run) && text.trim() !== '';
    return isText ? { markdown: clip(text, this.#to.maxText) } : { line: run.view.line() };
  }

  #isNew(run: Run): boolean {
    return JSON.stringify(this.#wordsFor(run)) !== run.shown;
  }
}

/** Schedules an action, replacing the one scheduled under the same name. */
function plan(run: Run, name: string, ms: number, action: () => void): void {
  clearTimeout(run.timers.get(name));
  run.timers.set(name, later(ms, action));
}

/** Waits for the run's turn, if one is needed. Returns whether the run may make a call now and hasn't ended. */
async function takeTurn(run: Run, isNeeded: boolean): Promise<boolean> {
  run.isQueued = isNeeded;
  const isTurn = !isNeeded || (await run.view.turn());
  run.isQueued = false;
  return isTurn && !run.isOver;
}

function statusKey(runId: string, { chat, thread }: Address): string {
  return `${runId}|${chat}|${thread ?? ''}`;
}
