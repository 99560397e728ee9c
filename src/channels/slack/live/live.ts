/**
 * Live progress of runs: what a run is doing, or with `text` what it writes. Invariants: nothing throws; one call a run at a
 * time; after `end` nothing more appears, and a status message that no answer replaces is taken away.
 */
import type { Logger } from '../../../log.ts';
import type { Address, AgentStreamEvent, LiveMode, LiveView } from '../../channel.ts';
import type { Assistant } from './assistant.ts';
import { draftForm, type LiveShow, lineForm, type Shown } from './show.ts';

export interface Live {
  event(event: AgentStreamEvent, address: Address, view: LiveView): void;
  /** Gives the id of the status message, if the answer is to replace it; otherwise it is deleted. */
  end(runId: string, address: Address, isAnswered: boolean): Promise<string | undefined>;
  /** What the limits of the channel leave; its threads share them. */
  pace(address: Address): { key: string; gapMs: number };
  /** Ends every run's progress. */
  close(): void;
}

/** Milliseconds. */
export interface LiveTiming {
  /** Until an assistant's thread says that it is at work. */
  assistantAfter: number;
  statusAfter: number;
  statusEvery: number;
  textEvery: number;
  /** Between two calls in one channel: Slack takes one message a second there, answers included. */
  gap: number;
  /** A longer run is answered by a new message, which notifies. */
  longRun: number;
  /** How long an answer waits for a call about progress. */
  late: number;
}

export const LIVE_TIMING: LiveTiming = {
  assistantAfter: 300,
  statusAfter: 3000,
  statusEvery: 3000,
  textEvery: 1500,
  gap: 2000,
  longRun: 30_000,
  late: 1500,
};

interface Run extends Shown {
  startedAt: number;
  /** What the model has written; edits show what came since its last tool call, streams all of it. */
  text: string;
  sinceTool: number;
  /** What was shown last. */
  said: string;
  saidAt: number;
  /** What was streamed is void. */
  isRestarted: boolean;
  timer: NodeJS.Timeout | undefined;
  /** Waits for its turn. */
  isQueued: boolean;
  call: Promise<void> | undefined;
}

/** ReadCursors the id of a message that was kept as a stream. */
const STREAM = 'stream:';
const MAX_RUNS = 500;
const MAX_TEXT = 12_000;
/** A run whose end we never hear of is shown no longer. */
const MAX_RUN_MS = 30 * 60_000;
/** An assistant's status vanishes by itself after two minutes. */
const RENEW_MS = 60_000;

export interface LiveOptions {
  show: LiveShow;
  assistant: Assistant;
  mode: LiveMode;
  log: Logger;
  /** Who wrote last in a thread: a stream in a channel is addressed to somebody. */
  recipientOf: (address: Address) => string | undefined;
  timing?: LiveTiming;
}

export function createLive(options: LiveOptions): Live {
  const { show, assistant, log, recipientOf, timing = LIVE_TIMING } = options;
  const runs = new Map<string, Run>();
  const ended = new Set<string>();

  const modeOf = ({ mode = options.mode }: LiveView) => mode;

  function start(key: string, address: Address, view: LiveView): Run {
    const shown = { address, view, startedAt: Date.now(), text: '', sinceTool: 0, said: '', saidAt: 0 };
    const state = { isRestarted: false, isQueued: false, isOver: false };
    const run: Run = { ...shown, ...state, ...keptOf(view), timer: undefined, call: undefined };
    run.timer = later(assistant.isOne(address) ? timing.assistantAfter : timing.statusAfter, () => tick(run));
    runs.set(key, run);
    const oldest = runs.size > MAX_RUNS ? runs.keys().next().value : undefined;
    if (oldest !== undefined) finish(oldest);
    return run;
  }

  function finish(key: string): Run | undefined {
    const run = runs.get(key);
    runs.delete(key);
    clearTimeout(run?.timer);
    if (run) run.isOver = true;
    ended.add(key);
    const oldest = ended.size > MAX_RUNS ? ended.values().next().value : undefined;
    if (oldest !== undefined) ended.delete(oldest);
    return run;
  }

  function tick(run: Run): void {
    const elapsed = Date.now() - run.startedAt;
    if (run.isOver || elapsed > MAX_RUN_MS) return;
    const showsText = run.text.length > run.sinceTool;
    run.timer = later(showsText ? timing.textEvery : Math.max(timing.statusEvery, elapsed / 10), () => tick(run));
    if (run.call || run.isQueued) return;
    void publish(run);
  }

  /** Text is only streamed where it began to be; everything else is a message, which counts for the channel's limits. */
  const isOwnKind = (run: Run) => run.streamed !== undefined || (written(run) === '' && assistant.isOne(run.address));

  async function publish(run: Run): Promise<void> {
    run.isQueued = !isOwnKind(run);
    const isTurn = !run.isQueued || (await run.view.turn());
    run.isQueued = false;
    if (run.isOver || !isTurn) return;
    const { ts: before } = run;
    run.call = put(run)
      .then(() => {
        if (run.ts !== undefined && run.ts !== before)
          run.view.keep(`${run.streamed === undefined ? '' : STREAM}${run.ts}`);
      })
      .catch((error: unknown) => log.warn({ err: error }, 'live progress failed'))
      .finally(() => {
        run.call = undefined;
      });
  }

  async function put(run: Run): Promise<void> {
    if (run.isRestarted) await show.stop(run);
    run.isRestarted = false;
    const isText = modeOf(run.view) === 'text' && run.text !== '';
    if (isText && (await show.stream(run, run.text, recipientOf(run.address)))) return;
    if (isOwnKind(run)) return run.streamed === undefined ? putStatus(run) : undefined;
    const words = written(run);
    const said = words || run.view.line();
    if (said === run.said) return;
    const form = words === '' ? lineForm(said) : await draftForm(words);
    if (await show.status(run, form)) run.said = said;
  }

  async function putStatus(run: Run): Promise<void> {
    const status = `is ${run.view.words}…`;
    if (status === run.said && Date.now() - run.saidAt < RENEW_MS) return;
    if (!(await assistant.setStatus(run.address, status))) return;
    run.said = status;
    run.saidAt = Date.now();
  }

  /** Once the calls under way are done: what appeared too late, or is not wanted, is taken away. */
  async function settle(run: Run, isReplaced: boolean, isAnswered: boolean): Promise<string | undefined> {
    await run.call;
    await show.stop(run);
    if (isReplaced && run.ts !== undefined) return run.ts;
    const gone = show.remove(run);
    if (isAnswered) return undefined;
    await gone;
    if (run.saidAt > 0) await assistant.setStatus(run.address, '');
    return undefined;
  }

  async function end(run: Run, isAnswered: boolean): Promise<string | undefined> {
    const isReplaced = isAnswered && Date.now() - run.startedAt < timing.longRun;
    const late = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => late.resolve('late'), timing.late);
    const settled = settle(run, isReplaced, isAnswered).catch((error: unknown) => {
      log.warn({ err: error }, 'live progress could not be ended');
      return undefined;
    });
    const result = await Promise.race([settled, late.promise]);
    clearTimeout(timer);
    if (result !== 'late') return result;
    // The answer does not wait any longer and comes as a message of its own.
    void settled.then(() => show.remove(run));
    return undefined;
  }

  return {
    event(event, address, view) {
      const key = keyOf(event.runId, address);
      if (ended.has(key)) return;
      if (modeOf(view) === 'off') {
        const run = runs.has(key) ? finish(key) : undefined;
        if (run) void end(run, false);
        return;
      }
      const run = runs.get(key) ?? start(key, address, view);
      run.view = view;
      const isNew = run.text.length > run.sinceTool;
      if (event.type === 'tool-call' && isNew) {
        run.text += '\n\n';
        run.sinceTool = run.text.length;
      }
      // The model begins again: what it has said is void.
      if (event.type === 'state-change' && event.state === 'thinking' && isNew) {
        run.text = run.text.slice(0, run.sinceTool);
        run.isRestarted = true;
      }
      if (event.type !== 'text-delta' || modeOf(view) !== 'text') return;
      if (run.text.length === run.sinceTool && !run.call) {
        clearTimeout(run.timer);
        run.timer = later(timing.textEvery, () => tick(run));
      }
      if (run.text.length <= MAX_TEXT) run.text += event.content;
    },
    async end(runId, address, isAnswered) {
      const run = finish(keyOf(runId, address));
      return run && end(run, isAnswered);
    },
    pace: ({ chat }) => ({ key: chat, gapMs: timing.gap }),
    close() {
      for (const key of [...runs.keys()]) finish(key);
    },
  };
}

/** A stream that an earlier process left open is ended before anything else is done with it. */
function keptOf({ kept }: LiveView): Partial<Run> {
  if (!kept?.startsWith(STREAM)) return kept === undefined ? {} : { ts: kept };
  return { ts: kept.slice(STREAM.length), streamed: 0, wasStream: true, isRestarted: true };
}

/** What the model has written since its last tool call. */
const written = (run: Run): string => run.text.slice(run.sinceTool).trim();

function keyOf(runId: string, { chat, thread }: Address): string {
  return `${runId}|${chat}|${thread ?? ''}`;
}

function later(ms: number, action: () => void): NodeJS.Timeout {
  return setTimeout(action, ms).unref();
}
