/**
 * Live progress: typing, and one message edited while a run goes on. Best effort and apart from delivery. Invariants: nothing
 * here throws; an answer that comes within 400 ms costs no call; after `end` no call of that run is made but the one that takes
 * its message away, and none that writes the message is under way when it is given to the answer.
 * https://discord.com/developers/docs/resources/channel#trigger-typing-indicator
 */
import type { Logger } from '../../log.ts';
import type { Address, AgentStreamEvent, LiveMode, LiveView } from '../channel.ts';
import type { DiscordApi } from './api.ts';
import { createLiveCalls, type Shown } from './live-calls.ts';
import { remember } from './places.ts';

export interface Live {
  event(event: AgentStreamEvent, address: Address, view: LiveView): void;
  /** Gives the id of the status message, if the answer is to replace it; otherwise it is deleted. */
  end(runId: string, address: Address, isAnswered: boolean): Promise<string | undefined>;
  /** What the limits of the channel or thread leave. */
  pace(address: Address): { key: string; gapMs: number };
  /** Ends every run's progress. */
  close(): void;
}

/** Milliseconds. */
export interface LiveTiming {
  typingAfter: number;
  /** Typing is shown for ten seconds at a time. */
  typingEvery: number;
  statusAfter: number;
  statusEvery: number;
  textEvery: number;
  /** Between two calls in one channel: Discord takes five in five seconds there, answers included. */
  gap: number;
  /** A longer run is answered by a new message, which notifies. */
  longRun: number;
  /** How long an answer waits for a call about progress. */
  late: number;
}

export const LIVE_TIMING: LiveTiming = {
  typingAfter: 400,
  typingEvery: 8000,
  statusAfter: 3000,
  statusEvery: 3000,
  textEvery: 1500,
  gap: 2500,
  longRun: 30_000,
  late: 1500,
};

interface Run extends Shown {
  view: LiveView;
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
const MAX_TEXT = 1900;
/** A run whose end we never hear of stops typing. */
const MAX_RUN_MS = 30 * 60_000;

export function createLive(options: { api: DiscordApi; mode: LiveMode; log: Logger; timing?: LiveTiming }): Live {
  const { timing = LIVE_TIMING } = options;
  const calls = createLiveCalls(options);
  const runs = new Map<string, Run>();
  const ended = new Map<string, true>();

  const modeOf = ({ mode = options.mode }: LiveView) => mode;
  const showsText = ({ view }: Run) => modeOf(view) === 'text';

  function start(key: string, address: Address, view: LiveView): Run {
    const shown = { channel: channelOf(address), shown: '', isOver: false, text: '', startedAt: Date.now() };
    const run: Run = { ...shown, view, typing: undefined, showing: undefined, isQueued: false, call: undefined };
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
    remember(ended, key, true, MAX_RUNS);
    return run;
  }

  function type(run: Run): void {
    if (run.isOver || Date.now() - run.startedAt > MAX_RUN_MS) return;
    run.typing = later(timing.typingEvery, () => type(run));
    if (run.view.state !== 'waiting-approval') void calls.type(run);
  }

  const wordsFor = (run: Run) =>
    showsText(run) && run.text.trim() !== '' ? { markdown: clip(run.text) } : { line: run.view.line() };
  const isNew = (run: Run) => JSON.stringify(wordsFor(run)) !== run.shown;

  /** Sends or edits the message when its turn has come, if there is something new to say then; one call of a run at a time. */
  async function show(run: Run): Promise<void> {
    if (run.isOver || run.isQueued || run.call) return;
    run.isQueued = true;
    const isTurn = !isNew(run) || (await run.view.turn());
    run.isQueued = false;
    if (run.isOver || !isTurn) return;
    if (isNew(run)) {
      run.call = calls.publish(run, wordsFor(run));
      await run.call;
      run.call = undefined;
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
      if (run.text.length <= MAX_TEXT) run.text += event.content;
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
    pace: (address) => ({ key: channelOf(address), gapMs: timing.gap }),
    close() {
      for (const key of [...runs.keys()]) finish(key);
    },
  };
}

function channelOf({ chat, thread }: Address): string {
  return thread ?? chat;
}

function keyOf(runId: string, address: Address): string {
  return `${runId}|${channelOf(address)}`;
}

function clip(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).toWellFormed()}…`;
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
