/**
 * Live progress: typing, and one message edited while a run goes on. Best effort and apart from delivery. Invariants: nothing
 * here throws; an answer that comes within 400 ms costs no call; after `end` no call of that run is made, and none that
 * writes a message is under way.
 * https://core.telegram.org/bots/api#sendchataction, #editmessagetext
 */
import { type Logger, scrub } from '../../log.ts';
import type { Address, AgentStreamEvent } from '../channel.ts';
import { type TelegramApi, TelegramError } from './api.ts';
import { doing, statusLine } from './live-words.ts';
import { integer, isFields } from './read.ts';

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
  typingAfter: number;
  typingEvery: number;
  statusAfter: number;
  statusEvery: number;
  textEvery: number;
}

export const LIVE_TIMING: LiveTiming = {
  typingAfter: 400,
  typingEvery: 5000,
  statusAfter: 3000,
  statusEvery: 3000,
  textEvery: 1500,
};

interface Run {
  address: Address;
  startedAt: number;
  words: string;
  /** What the model has written since its last tool call; only kept where it is shown. */
  text: string;
  showsText: boolean;
  messageId?: number;
  shown: string;
  typing: NodeJS.Timeout | undefined;
  showing: NodeJS.Timeout | undefined;
  call: Promise<void> | undefined;
  /** A stop that is not an end: the message was deleted, or the bot was thrown out. */
  mute: boolean;
}

const MAX_RUNS = 500;
const MAX_TEXT = 4000;
const CALL_MS = 5000;
/** A run whose end we never hear of stops typing. */
const MAX_RUN_MS = 30 * 60_000;
const GONE = /not found|can't be edited|MESSAGE_ID_INVALID/i;

export function createLive(options: { api: TelegramApi; mode: LiveMode; log: Logger; timing?: LiveTiming }): Live {
  const { api, mode, log, timing = LIVE_TIMING } = options;
  const runs = new Map<string, Run>();
  const ended = new Set<string>();
  const quietUntil = new Map<string, number>();

  function start(key: string, address: Address): Run {
    const showsText = mode === 'text' && !address.chat.startsWith('-');
    const run: Run = {
      address,
      startedAt: Date.now(),
      words: 'thinking',
      text: '',
      showsText,
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
    ended.add(key);
    trim(ended);
    return run;
  }

  function type(run: Run): void {
    if (run.mute || Date.now() - run.startedAt > MAX_RUN_MS) return;
    run.typing = later(timing.typingEvery, () => type(run));
    if (run.words === 'waiting for your answer' || isQuiet(run)) return;
    void call(run, 'sendChatAction', { action: 'typing' });
  }

  /** Sends or edits the status message if there is something new to say; the calls of one run never overlap. */
  function show(run: Run): void {
    if (run.mute || run.call) return;
    const elapsed = Date.now() - run.startedAt;
    const text = scrub(run.text.trim() === '' ? statusLine(run.words, elapsed) : clip(run.text));
    run.showing = later(interval(run, elapsed), () => show(run));
    if (text === run.shown || isQuiet(run)) return;
    run.call = publish(run, text).finally(() => {
      run.call = undefined;
    });
  }

  async function publish(run: Run, text: string): Promise<void> {
    const plain = { text, link_preview_options: { is_disabled: true } };
    if (run.messageId !== undefined) {
      await call(run, 'editMessageText', { ...plain, message_id: run.messageId });
    } else {
      const sent = await call(run, 'sendMessage', { ...plain, disable_notification: true });
      const id = isFields(sent) ? integer(sent, 'message_id') : undefined;
      if (id !== undefined) run.messageId = id;
    }
    run.shown = text;
  }

  async function call(run: Run, method: string, params: object): Promise<unknown> {
    const { chat, thread } = run.address;
    const isEdit = method === 'editMessageText';
    const isOld = isEdit || method === 'deleteMessage';
    const place = { chat_id: chat, ...(thread !== undefined && !isOld && { message_thread_id: Number(thread) }) };
    try {
      return await api.call(method, { ...place, ...params }, { timeoutMs: CALL_MS });
    } catch (error) {
      log.debug({ err: error, chat }, 'live progress could not be shown');
      if (!(error instanceof TelegramError)) return undefined;
      if (error.retryAfterMs !== undefined) silence(chat, error.retryAfterMs);
      const refused = (error.code === 400 || error.code === 403) && !/not modified/i.test(error.message);
      if (refused) run.mute = true;
      if (refused && isEdit && GONE.test(error.message)) delete run.messageId;
      return undefined;
    }
  }

  function silence(chat: string, ms: number): void {
    quietUntil.delete(chat);
    quietUntil.set(chat, Date.now() + ms);
    trim(quietUntil);
  }

  const isQuiet = (run: Run) => Date.now() < (quietUntil.get(run.address.chat) ?? 0);

  /** A status slows down with the length of the run: a group takes 20 messages a minute in all. */
  function interval(run: Run, elapsed: number): number {
    if (run.text !== '') return timing.textEvery;
    return Math.max(timing.statusEvery * (run.address.chat.startsWith('-') ? 2 : 1), elapsed / 10);
  }

  return {
    event(event, address) {
      if (mode === 'off') return;
      const key = keyOf(event.runId, address);
      if (ended.has(key)) return;
      const run = runs.get(key) ?? start(key, address);
      run.words = doing(event) ?? run.words;
      if (!run.showsText) return;
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
      if (run?.messageId === undefined) return undefined;
      if (isAnswered) return String(run.messageId);
      await call(run, 'deleteMessage', { message_id: run.messageId });
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
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).toWellFormed()}…`;
}

function later(ms: number, action: () => void): NodeJS.Timeout {
  return setTimeout(action, ms).unref();
}

/** The oldest go first: what is asked for is nearly always recent. */
function trim(kept: Set<string> | Map<string, unknown>): void {
  const oldest = kept.size > MAX_RUNS ? kept.keys().next().value : undefined;
  if (oldest !== undefined) kept.delete(oldest);
}
