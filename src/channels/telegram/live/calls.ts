/** The calls that show progress. None of them rejects; a chat in which Telegram has said "slow down" is left alone for so long. */
import type { Logger } from '../../../log.ts';
import type { Address } from '../../channel.ts';
import { integer, isFields } from '../../shared/read.ts';
import type { Shown, StatusCalls, Words } from '../../shared/status.ts';
import { type TelegramApi, TelegramError } from '../connect/api.ts';
import { keyboardOf, plainText, renderTelegram } from '../send/render.ts';

const CALL_MS = 5000;
const LIMITS = { text: 4096, uploadBytes: 0, downloadBytes: 0 };
const REMOVE_TRIES = 5;
const MAX_CHATS = 500;
const MAX_WAIT_MS = 300_000;
/** https://core.telegram.org/bots/api#reactiontypeemoji */
const SEEN = [{ type: 'emoji', emoji: '👀' }];
const GONE = /not found|can't be edited|MESSAGE_ID_INVALID/i;

export function createLiveCalls({ api, log }: { api: TelegramApi; log: Logger }): StatusCalls {
  const quietUntil = new Map<string, number>();
  /** Servers and bots without drafts: an edited message it is there. */
  let hasDrafts = true;

  /** The result, or why there is none. */
  async function call(
    run: Shown,
    method: string,
    params: object,
  ): Promise<{ result?: unknown; error?: TelegramError }> {
    try {
      return { result: await api.call(method, { chat_id: run.address.chat, ...params }, { timeoutMs: CALL_MS }) };
    } catch (error) {
      if (!(error instanceof TelegramError)) throw error;
      log.debug({ err: error, chat: run.address.chat }, 'live progress could not be shown');
      if (error.retryAfterMs !== undefined) quiet(run, error.retryAfterMs);
      return { error };
    }
  }

  function quiet({ address: { chat }, view }: Shown, ms: number): void {
    quietUntil.delete(chat);
    quietUntil.set(chat, Date.now() + ms);
    const oldest = quietUntil.size > MAX_CHATS ? quietUntil.keys().next().value : undefined;
    if (oldest !== undefined) quietUntil.delete(oldest);
    view.limited(ms);
  }

  /** Where nothing can be shown any more, nothing is tried any more. */
  function note(run: Shown, error: TelegramError | undefined): boolean {
    if (!error || /not modified/i.test(error.message)) return true;
    const isRefused = isRefusal(error);
    if (isRefused) run.isOver = true;
    if (isRefused && GONE.test(error.message)) delete run.messageId;
    return false;
  }

  const inThread = ({ thread }: Address) =>
    thread === undefined || thread === '1' ? {} : { message_thread_id: Number(thread) };

  /**
   * A draft where one person reads: nothing of it stays, and the answer comes as a message that notifies. False: there are none
   * here. https://core.telegram.org/bots/api#sendmessagedraft
   */
  async function draft(run: Shown, text: object, shown: string): Promise<boolean> {
    if (!hasDrafts || run.view.mode !== 'text' || run.messageId !== undefined) return false;
    const { error } = await call(run, 'sendMessageDraft', {
      ...inThread(run.address),
      ...text,
      ...{ draft_id: draftId(run), can_stop: true },
    });
    if (error && isMissing(error)) hasDrafts = false;
    if (!error) run.shown = shown;
    return hasDrafts;
  }

  async function react(run: Shown, reaction: readonly object[]): Promise<boolean> {
    const message_id = Number(run.view.answers);
    if (!(message_id > 0) || Date.now() < (quietUntil.get(run.address.chat) ?? 0)) return false;
    const { error } = await call(run, 'setMessageReaction', { message_id, reaction });
    return !error;
  }

  const marked = new WeakSet<Shown>();

  return {
    async mark(run) {
      if (await react(run, SEEN)) marked.add(run);
    },
    async unmark(run) {
      if (marked.delete(run)) await react(run, []);
    },
    async type(run) {
      const { chat, thread } = run.address;
      if (Date.now() < (quietUntil.get(chat) ?? 0)) return;
      const place = thread === undefined ? {} : { message_thread_id: Number(thread) };
      const { error } = await call(run, 'sendChatAction', { ...place, action: 'typing' });
      note(run, error);
    },
    async publish(run, words) {
      const shown = JSON.stringify(words);
      const isPrivate = !run.address.chat.startsWith('-');
      const text = await textOf(words, run.address);
      if (isPrivate && (await draft(run, text, shown))) return;
      const buttons = await run.view.buttons();
      const params = { ...text, link_preview_options: { is_disabled: true }, ...keyboardOf(buttons) };
      if (run.messageId !== undefined) {
        const { error } = await call(run, 'editMessageText', { message_id: Number(run.messageId), ...params });
        if (note(run, error)) run.shown = shown;
        return;
      }
      const { result, error } = await call(run, 'sendMessage', {
        ...inThread(run.address),
        ...params,
        disable_notification: true,
      });
      const id = isFields(result) ? integer(result, 'message_id') : undefined;
      if (id !== undefined) run.messageId = String(id);
      if (note(run, error)) run.shown = shown;
    },
    async remove(run) {
      for (let tries = 0; run.messageId !== undefined && tries < REMOVE_TRIES; tries++) {
        const { error } = await call(run, 'deleteMessage', { message_id: Number(run.messageId) });
        if (!error || isRefusal(error)) return;
        const ms = error.retryAfterMs ?? 1000 * 2 ** tries;
        await new Promise<void>((resolve) => setTimeout(resolve, Math.min(ms, MAX_WAIT_MS)).unref());
      }
    },
  };
}

/** The same care for links and mentions as in an answer. */
async function textOf(words: Words, address: Address): Promise<object> {
  if ('line' in words) return { text: plainText(words.line) };
  const { parts } = await renderTelegram({ id: '', address, text: words.markdown, files: [] }, LIMITS);
  const { text = '…', entities } = parts[0]?.params ?? {};
  return { text, ...(entities === undefined ? {} : { entities }) };
}

/** Not zero, and the same for all drafts of a run: then changes are animated. */
function draftId({ startedAt }: Shown): number {
  return (startedAt % 2_000_000_000) + 1;
}

/** The server does not know the method, or gives this bot no drafts. */
const isMissing = ({ code, kind }: TelegramError): boolean => kind === 'refused' && (code === 400 || code === 404);
const isRefusal = ({ code, kind }: TelegramError): boolean => kind === 'refused' && (code === 400 || code === 403);
