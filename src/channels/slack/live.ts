/**
 * Live progress of runs: what a run is doing, or with `text` what it writes. Invariants: nothing throws; one call a run at a
 * time; after `end` nothing more appears, and a status message that no answer replaces is taken away.
 */
import { type Logger, scrub } from '../../log.ts';
import type { Address, AgentStreamEvent } from '../channel.ts';
import type { Assistant } from './assistant.ts';
import type { LiveShow, Shown } from './live-show.ts';
import { doing, statusLine } from './live-words.ts';
import { plainLine } from './render.ts';

export type LiveMode = 'off' | 'status' | 'text';

export interface Live {
  event(event: AgentStreamEvent, address: Address): void;
  /** Gives the id of the status message, if one was sent and an answer may replace it; otherwise it is deleted. */
  end(runId: string, address: Address, isAnswered: boolean): Promise<string | undefined>;
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
}

export const LIVE_TIMING: LiveTiming = { assistantAfter: 300, statusAfter: 3000, statusEvery: 3000, textEvery: 1500 };

interface Run extends Shown {
  startedAt: number;
  words: string;
  /** What the model has written; edits show what came since its last tool call, streams all of it. */
  text: string;
  sinceTool: number;
  /** What was shown last. */
  said: string;
  saidAt: number;
  timer: NodeJS.Timeout | undefined;
  call: Promise<void> | undefined;
}

const MAX_RUNS = 500;
const MAX_TEXT = 12_000;
const MAX_SHOWN = 2900;
/** How long an answer waits for a call about progress that is under way. */
const CALL_MS = 5000;
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
  const { show, assistant, mode, log, recipientOf, timing = LIVE_TIMING } = options;
  const runs = new Map<string, Run>();
  const ended = new Set<string>();

  function start(key: string, address: Address): Run {
    const now = Date.now();
    const shown = { address, startedAt: now, words: 'thinking', text: '', sinceTool: 0, said: '', saidAt: 0 };
    const run: Run = { ...shown, timer: undefined, call: undefined, isOver: false };
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
    if (run.call) return;
    run.call = publish(run, elapsed)
      .catch((error: unknown) => log.warn({ err: error }, 'live progress failed'))
      .finally(() => {
        run.call = undefined;
      });
  }

  async function publish(run: Run, elapsed: number): Promise<void> {
    if (mode === 'text' && run.text !== '' && (await show.stream(run, run.text, recipientOf(run.address)))) return;
    const written = run.text.slice(run.sinceTool).trim();
    if (written === '' && run.streamed === undefined && assistant.isOne(run.address)) return publishStatus(run);
    if (run.streamed !== undefined) return;
    const text = plainLine(written === '' ? statusLine(run.words, elapsed) : clip(written));
    if (text !== run.said && (await show.status(run, text))) run.said = text;
  }

  async function publishStatus(run: Run): Promise<void> {
    const status = `is ${scrub(run.words)}…`;
    if (status === run.said && Date.now() - run.saidAt < RENEW_MS) return;
    if (!(await assistant.setStatus(run.address, status))) return;
    run.said = status;
    run.saidAt = Date.now();
  }

  /** Once the calls under way are done: what appeared too late, or is not wanted, is taken away. */
  async function settle(run: Run, isAnswered: boolean): Promise<string | undefined> {
    await run.call;
    await show.stop(run);
    if (isAnswered && run.ts !== undefined) return run.ts;
    await show.remove(run);
    if (!isAnswered && run.saidAt > 0) await assistant.setStatus(run.address, '');
    return undefined;
  }

  return {
    event(event, address) {
      if (mode === 'off') return;
      const key = keyOf(event.runId, address);
      if (ended.has(key)) return;
      const run = runs.get(key) ?? start(key, address);
      run.words = doing(event) ?? run.words;
      if (mode !== 'text') return;
      if (event.type === 'tool-call' && run.text.length > run.sinceTool) {
        run.text += '\n\n';
        run.sinceTool = run.text.length;
      }
      if (event.type !== 'text-delta') return;
      if (run.text.length === run.sinceTool && !run.call) {
        clearTimeout(run.timer);
        run.timer = later(timing.textEvery, () => tick(run));
      }
      if (run.text.length <= MAX_TEXT) run.text += event.content;
    },
    async end(runId, address, isAnswered) {
      const run = finish(keyOf(runId, address));
      if (!run) return undefined;
      const late = Promise.withResolvers<'late'>();
      const timer = setTimeout(() => late.resolve('late'), CALL_MS);
      const settled = settle(run, isAnswered).catch((error: unknown) => {
        log.warn({ err: error }, 'live progress could not be ended');
        return undefined;
      });
      const result = await Promise.race([settled, late.promise]);
      clearTimeout(timer);
      if (result !== 'late') return result;
      // The answer does not wait any longer and comes as a message of its own.
      void settled.then(() => show.remove(run));
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

function clip(text: string): string {
  const clean = scrub(text);
  return clean.length <= MAX_SHOWN ? clean : `${clean.slice(0, MAX_SHOWN).toWellFormed()}…`;
}

function later(ms: number, action: () => void): NodeJS.Timeout {
  return setTimeout(action, ms).unref();
}
