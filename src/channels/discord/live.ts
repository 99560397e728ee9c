/**
 * Live progress: typing, and one message edited while a run goes on. Best effort and apart from delivery. Invariants: nothing
 * here throws; an answer that comes within 400 ms costs no call; after `end` no call of that run is made, and none that
 * writes a message is under way.
 * https://discord.com/developers/docs/resources/channel#trigger-typing-indicator
 */
import { type Logger, scrub } from '../../log.ts';
import type { Address, AgentStreamEvent } from '../channel.ts';
import { type DiscordApi, DiscordError } from './api.ts';
import { clip, doing, statusLine } from './live-words.ts';
import { remember } from './places.ts';
import { id, isFields } from './read.ts';
import { plainLine } from './render.ts';
import { NO_MENTIONS, SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS } from './say.ts';

export type LiveMode = 'off' | 'status' | 'text';

export interface Live {
  event(event: AgentStreamEvent, address: Address): void;
  /** Gives the id of the status message for the answer to replace; without an answer it is taken away. */
  end(runId: string, address: Address, isAnswered: boolean): Promise<string | undefined>;
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
}

export const LIVE_TIMING: LiveTiming = {
  typingAfter: 400,
  typingEvery: 8000,
  statusAfter: 3000,
  statusEvery: 3000,
  textEvery: 1500,
};

interface Run {
  channel: string;
  startedAt: number;
  words: string;
  /** What the model has written since its last tool call; only kept where it is shown. */
  text: string;
  messageId?: string;
  shown: string;
  typing: NodeJS.Timeout | undefined;
  showing: NodeJS.Timeout | undefined;
  call: Promise<void> | undefined;
  /** A stop that is not an end: the message was deleted, or the bot may not write here. */
  mute: boolean;
}

const MAX_RUNS = 500;
const MAX_TEXT = 1900;
const CALL_MS = 5000;
/** A run whose end we never hear of stops typing. */
const MAX_RUN_MS = 30 * 60_000;

export function createLive(options: { api: DiscordApi; mode: LiveMode; log: Logger; timing?: LiveTiming }): Live {
  const { api, mode, log, timing = LIVE_TIMING } = options;
  const runs = new Map<string, Run>();
  const ended = new Map<string, true>();
  const quietUntil = new Map<string, number>();

  function start(key: string, channel: string): Run {
    const run: Run = {
      channel,
      startedAt: Date.now(),
      words: 'thinking',
      text: '',
      shown: '',
      typing: undefined,
      showing: undefined,
      call: undefined,
      mute: false,
    };
    run.typing = later(timing.typingAfter, () => type(run));
    run.showing = later(timing.statusAfter, () => show(run));
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
    if (run) run.mute = true;
    remember(ended, key, true, MAX_RUNS);
    return run;
  }

  function type(run: Run): void {
    if (run.mute || Date.now() - run.startedAt > MAX_RUN_MS) return;
    run.typing = later(timing.typingEvery, () => type(run));
    if (run.words === 'waiting for your answer' || isQuiet(run)) return;
    void call(run, 'POST', `/channels/${run.channel}/typing`);
  }

  /** Sends or edits the status message if there is something new to say; the calls of one run never overlap. */
  function show(run: Run): void {
    if (run.mute) return;
    const elapsed = Date.now() - run.startedAt;
    run.showing = later(run.text === '' ? Math.max(timing.statusEvery, elapsed / 10) : timing.textEvery, () =>
      show(run),
    );
    const text = scrub(run.text.trim() === '' ? statusLine(run.words, elapsed) : clip(run.text, MAX_TEXT));
    if (text === run.shown || run.call || isQuiet(run)) return;
    run.call = publish(run, text).finally(() => {
      run.call = undefined;
    });
  }

  async function publish(run: Run, text: string): Promise<void> {
    const content = run.text.trim() === '' ? plainLine(text) : text;
    const body = { content, allowed_mentions: NO_MENTIONS };
    const route = `/channels/${run.channel}/messages` as const;
    if (run.messageId !== undefined) {
      await call(run, 'PATCH', `${route}/${run.messageId}`, body);
    } else {
      const sent = await call(run, 'POST', route, { ...body, flags: SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS });
      const messageId = isFields(sent) ? id(sent, 'id') : undefined;
      if (messageId !== undefined) run.messageId = messageId;
    }
    run.shown = text;
  }

  async function call(
    run: Run,
    method: 'POST' | 'PATCH' | 'DELETE',
    route: `/${string}`,
    body?: object,
  ): Promise<unknown> {
    try {
      return await api.call(method, route, { ...(body && { body }), timeoutMs: CALL_MS });
    } catch (error) {
      log.debug({ err: error, channel: run.channel }, 'live progress could not be shown');
      if (!(error instanceof DiscordError)) return undefined;
      if (error.retryAfterMs !== undefined)
        remember(quietUntil, run.channel, Date.now() + error.retryAfterMs, MAX_RUNS);
      if (error.kind === 'refused') run.mute = true;
      if (error.kind === 'refused' && method === 'PATCH') delete run.messageId;
      return undefined;
    }
  }

  const isQuiet = (run: Run) => Date.now() < (quietUntil.get(run.channel) ?? 0);

  return {
    event(event, address) {
      if (mode === 'off') return;
      const key = keyOf(event.runId, address);
      if (ended.has(key)) return;
      const run = runs.get(key) ?? start(key, channelOf(address));
      run.words = doing(event) ?? run.words;
      if (mode !== 'text') return;
      if (event.type === 'tool-call') run.text = '';
      if (event.type !== 'text-delta') return;
      if (run.text === '') {
        clearTimeout(run.showing);
        run.showing = later(timing.textEvery, () => show(run));
      }
      if (run.text.length <= MAX_TEXT) run.text += event.content;
    },
    async end(runId, address, isAnswered) {
      const run = finish(keyOf(runId, address));
      await run?.call;
      if (!run || run.messageId === undefined || isAnswered) return run?.messageId;
      await call(run, 'DELETE', `/channels/${run.channel}/messages/${run.messageId}`);
      return undefined;
    },
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

function later(ms: number, action: () => void): NodeJS.Timeout {
  return setTimeout(action, ms).unref();
}
