/**
 * The status message of a run: typing, then one message edited while it goes on. Best effort and apart from delivery.
 * Invariants: nothing here throws; an answer that comes before `typingAfter` costs no call; after `end` no call of that run is
 * made but the one that takes its message away, and none that writes the message is under way when it is given to the answer.
 */
import type { Address, AgentStreamEvent, LiveMode, LiveView } from '../channel.ts';

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
  type(run: Shown): Promise<void>;
  publish(run: Shown, words: Words): Promise<void>;
  /** Tried again while the platform cannot be reached: what is left would say for ever that we are at work. */
  remove(run: Shown): Promise<void>;
}

export interface Status {
  event(event: AgentStreamEvent, address: Address, view: LiveView): void;
  /** Gives the id of the status message, if the answer is to replace it; otherwise it is deleted. */
  end(runId: string, address: Address, isAnswered: boolean): Promise<string | undefined>;
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
}

interface Run extends Shown {
  startedAt: number;
  /** What the model has written since its last tool call; only kept where it is shown. */
  text: string;
  typing: NodeJS.Timeout | undefined;
  showing: NodeJS.Timeout | undefined;
  /** Waits for its turn. */
  isQueued: boolean;
  call: Promise<void> | undefined;
}

const MAX_RUNS = 500;
/** A run whose end we never hear of stops typing. */
const MAX_RUN_MS = 30 * 60_000;

export function createStatus(options: StatusOptions): Status {
  const { calls, timing, maxText, maySeeText = () => true } = options;
  const runs = new Map<string, Run>();
  const ended = new Set<string>();

  const modeOf = ({ mode = options.mode }: LiveView) => mode;
  const showsText = ({ view, address }: Run) => modeOf(view) === 'text' && maySeeText(address);

  function start(key: string, address: Address, view: LiveView): Run {
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
    };
    run.typing = later(timing.typingAfter, () => type(run));
    run.showing = later(timing.statusAfter, () => void show(run));
    runs.set(key, run);
    const oldest = runs.size > MAX_RUNS ? runs.keys().next().value : undefined;
    if (oldest !== undefined) finish(oldest);
    return run;
  }

  function finish(key: string): Run | undefined {
    const run = runs.get(key);
    runs.delete(key);
    clearTimeout(run?.typing);
    clearTimeout(run?.showing);
    if (run) run.isOver = true;
    ended.add(key);
    const oldest = ended.size > MAX_RUNS ? ended.values().next().value : undefined;
    if (oldest !== undefined) ended.delete(oldest);
    return run;
  }

  function type(run: Run): void {
    if (run.isOver || Date.now() - run.startedAt > MAX_RUN_MS) return;
    run.typing = later(timing.typingEvery, () => type(run));
    if (run.view.state !== 'waiting-approval') void calls.type(run);
  }

  const wordsFor = (run: Run) =>
    showsText(run) && run.text.trim() !== '' ? { markdown: clip(run.text, maxText) } : { line: run.view.line() };
  const isNew = (run: Run) => JSON.stringify(wordsFor(run)) !== run.shown;

  /** Sends or edits the message when its turn has come, if there is something new to say then; one call of a run at a time. */
  async function show(run: Run): Promise<void> {
    if (run.isOver || run.isQueued || run.call) return;
    run.isQueued = true;
    const isTurn = !isNew(run) || (await run.view.turn());
    run.isQueued = false;
    if (run.isOver || !isTurn) return;
    if (isNew(run)) {
      const before = run.messageId;
      run.call = calls.publish(run, wordsFor(run));
      await run.call;
      run.call = undefined;
      if (run.messageId !== undefined && run.messageId !== before) run.view.keep(run.messageId);
    }
    clearTimeout(run.showing);
    if (!run.isOver) run.showing = later(interval(run), () => void show(run));
  }

  /** A status slows down with the length of the run. */
  function interval(run: Run): number {
    if (showsText(run) && run.text !== '') return timing.textEvery;
    return Math.max(timing.statusEvery, (Date.now() - run.startedAt) / 10);
  }

  async function takeAway(run: Run): Promise<void> {
    await run.call;
    await calls.remove(run);
  }

  return {
    event(event, address, view) {
      const key = keyOf(event.runId, address);
      if (ended.has(key)) return;
      if (modeOf(view) === 'off') {
        const run = runs.has(key) ? finish(key) : undefined;
        if (run) void takeAway(run);
        return;
      }
      const run = runs.get(key) ?? start(key, address, view);
      run.view = view;
      if (event.type === 'tool-call' || (event.type === 'state-change' && event.state === 'thinking')) run.text = '';
      if (event.type !== 'text-delta' || !showsText(run)) return;
      if (run.text === '') {
        clearTimeout(run.showing);
        run.showing = later(timing.textEvery, () => void show(run));
      }
      if (run.text.length <= maxText) run.text += event.content;
    },
    async end(runId, address, isAnswered) {
      const run = finish(keyOf(runId, address));
      if (!run) return undefined;
      const isLate = !(await within(run.call, timing.late));
      if (isAnswered && !isLate && Date.now() - run.startedAt < timing.longRun) return run.messageId;
      const gone = takeAway(run);
      if (!isAnswered) await gone;
      return undefined;
    },
    close() {
      for (const key of [...runs.keys()]) finish(key);
    },
  };
}

function keyOf(runId: string, { chat, thread }: Address): string {
  return `${runId}|${chat}|${thread ?? ''}`;
}

function clip(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;
}

/** Whether the call ended in time. */
async function within(call: Promise<void> | undefined, ms: number): Promise<boolean> {
  if (!call) return true;
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  const isDone = await Promise.race([call.then(() => true), late.promise]);
  clearTimeout(timer);
  return isDone;
}

function later(ms: number, action: () => void): NodeJS.Timeout {
  return setTimeout(action, ms).unref();
}
