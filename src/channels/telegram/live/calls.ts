/**
 * Makes the calls that show progress. None of them rejects; a chat in which Telegram said "slow down" gets no call for
 * that long.
 */
import { createLru } from '../../../lib/lru.ts';
import type { Logger } from '../../../log.ts';
import type { Address } from '../../channel.ts';
import { integer, isFields } from '../../shared/read.ts';
import type { StatusCalls, StatusMessage, Words } from '../../shared/status.ts';
import { type TelegramApi, TelegramError } from '../connect/api.ts';
import { keyboardOf, plainText, renderTelegram } from '../send/render.ts';

const CALL_MS = 5000;
const LIMITS = { text: 4096, uploadBytes: 0, downloadBytes: 0 };
const MAX_CHATS = 500;
/** https://core.telegram.org/bots/api#reactiontypeemoji */
const SEEN = [{ type: 'emoji', emoji: '👀' }];
const BAD_REQUEST = 400;
const METHOD_NOT_FOUND = 404;
const GONE = /not found|can't be edited|MESSAGE_ID_INVALID/i;

export class LiveCalls implements StatusCalls {
  readonly #api: TelegramApi;
  readonly #log: Logger;
  readonly #quietUntil = createLru<number>(MAX_CHATS);
  readonly #marked = new WeakSet<StatusMessage>();
  /** False if the server doesn't support drafts; an edited message is used instead. */
  #hasDrafts = true;
  /** Chats that refused a draft: they get an edited message, all others drafts. */
  readonly #withoutDrafts = createLru<true>(MAX_CHATS);

  constructor({ api, log }: { api: TelegramApi; log: Logger }) {
    this.#api = api;
    this.#log = log;
  }

  async mark(run: StatusMessage): Promise<void> {
    if (await this.#react(run, SEEN)) this.#marked.add(run);
  }

  async unmark(run: StatusMessage): Promise<void> {
    if (this.#marked.delete(run)) await this.#react(run, []);
  }

  async type(run: StatusMessage): Promise<void> {
    const { thread } = run.address;
    if (this.#isQuiet(run)) return;
    const place = thread === undefined ? {} : { message_thread_id: Number(thread) };
    const { error } = await this.#call(run, 'sendChatAction', { ...place, action: 'typing' });
    recordOutcome(run, error);
  }

  async publish(run: StatusMessage, words: Words): Promise<void> {
    const shown = JSON.stringify(words);
    const text = await renderWords(words, run.address);
    const isPrivate = !run.address.chat.startsWith('-');
    if (isPrivate && (await this.#draft(run, text, shown))) return;
    const buttons = await run.view.buttons();
    const params = { ...text, link_preview_options: { is_disabled: true }, ...keyboardOf(buttons) };
    if (run.messageId !== undefined) {
      const { error } = await this.#call(run, 'editMessageText', { message_id: Number(run.messageId), ...params });
      if (recordOutcome(run, error)) run.shown = shown;
      return;
    }
    const quietly = { ...params, disable_notification: true };
    const { result, error } = await this.#call(run, 'sendMessage', { ...inThread(run.address), ...quietly });
    const id = isFields(result) ? integer(result, 'message_id') : undefined;
    if (id !== undefined) run.messageId = String(id);
    if (recordOutcome(run, error)) run.shown = shown;
  }

  async remove(run: StatusMessage): Promise<TelegramError | undefined> {
    const { error } = await this.#call(run, 'deleteMessage', { message_id: Number(run.messageId) });
    return error && isRefusal(error) ? undefined : error;
  }

  /**
   * Sends a draft to a private chat: nothing of it remains, and the answer is a message that notifies. Returns false if
   * drafts don't work here. https://core.telegram.org/bots/api#sendmessagedraft
   */
  async #draft(run: StatusMessage, text: object, shown: string): Promise<boolean> {
    const { chat } = run.address;
    if (!this.#hasDrafts || this.#withoutDrafts.has(chat)) return false;
    if (run.view.mode !== 'text' || run.messageId !== undefined) return false;
    const own = { draft_id: draftId(run), can_stop: true };
    const { error } = await this.#call(run, 'sendMessageDraft', { ...inThread(run.address), ...text, ...own });
    if (error?.kind === 'refused' && error.code === METHOD_NOT_FOUND) this.#hasDrafts = false;
    else if (error?.kind === 'refused' && error.code === BAD_REQUEST) this.#withoutDrafts.set(chat, true);
    else if (recordOutcome(run, error)) run.shown = shown;
    return this.#hasDrafts && !this.#withoutDrafts.has(chat);
  }

  async #react(run: StatusMessage, reaction: readonly object[]): Promise<boolean> {
    const message_id = Number(run.view.answers);
    if (!(message_id > 0) || this.#isQuiet(run)) return false;
    const { error } = await this.#call(run, 'setMessageReaction', { message_id, reaction });
    return !error;
  }

  /** Returns the result, or the error that replaces it. */
  async #call(
    run: StatusMessage,
    method: string,
    params: object,
  ): Promise<{ result?: unknown; error?: TelegramError }> {
    try {
      return { result: await this.#api.call(method, { chat_id: run.address.chat, ...params }, { timeoutMs: CALL_MS }) };
    } catch (error) {
      if (!(error instanceof TelegramError)) throw error;
      this.#log.debug({ err: error, chat: run.address.chat }, 'live progress could not be shown');
      if (error.retryAfterMs !== undefined) this.#rest(run, error.retryAfterMs);
      return { error };
    }
  }

  #isQuiet({ address: { chat } }: StatusMessage): boolean {
    return Date.now() < (this.#quietUntil.get(chat) ?? 0);
  }

  #rest({ address: { chat }, view }: StatusMessage, ms: number): void {
    this.#quietUntil.set(chat, Date.now() + ms);
    view.limited(ms);
  }
}

/** Records a call's outcome; returns whether the content is shown. After a refusal the run shows nothing more. */
function recordOutcome(run: StatusMessage, error: TelegramError | undefined): boolean {
  if (!error || /not modified/i.test(error.message)) return true;
  const isRefused = isRefusal(error);
  if (isRefused) run.isOver = true;
  if (isRefused && GONE.test(error.message)) delete run.messageId;
  return false;
}

const inThread = ({ thread }: Address) =>
  thread === undefined || thread === '1' ? {} : { message_thread_id: Number(thread) };

/** Renders text with the same care for links and mentions as an answer. */
async function renderWords(words: Words, address: Address): Promise<object> {
  if ('line' in words) return { text: plainText(words.line) };
  const { parts } = await renderTelegram({ id: '', address, text: words.markdown, files: [] }, LIMITS);
  const { text = '…', entities } = parts[0]?.params ?? {};
  return { text, ...(entities === undefined ? {} : { entities }) };
}

/** Returns a non-zero ID, the same for all drafts of a run, so that changes are animated. */
function draftId({ startedAt }: StatusMessage): number {
  return (startedAt % 2_000_000_000) + 1;
}

const isRefusal = ({ code, kind }: TelegramError): boolean =>
  kind === 'refused' && (code === BAD_REQUEST || code === 403);
