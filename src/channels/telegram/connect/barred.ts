/**
 * Asks Telegram whether the bot can write in a chat: it may have been removed or restricted, or only admins may write.
 * https://core.telegram.org/bots/api#getchatmember
 */
import { createLru } from '../../../lib/lru.ts';
import type { Channel, WriteBarrier } from '../../channel.ts';
import { fields, isFields, string } from '../../shared/read.ts';
import type { TelegramApi } from './api.ts';

const KEPT_MS = 60_000;
const KEPT_BARRED_MS = 20_000;
const WAIT_MS = 3_000;
const MAX_CHATS = 2_000;

export function createBarred(api: TelegramApi, account: () => string): NonNullable<Channel['barred']> {
  const known = createLru<{ at: number; why: WriteBarrier | undefined }>(MAX_CHATS);

  async function ask(chat: number): Promise<WriteBarrier | undefined> {
    const timeoutMs = WAIT_MS;
    const self = await api.call('getChatMember', { chat_id: chat, user_id: Number(account()) }, { timeoutMs });
    if (!isFields(self)) return undefined;
    const status = string(self, 'status');
    if (status === 'left' || status === 'kicked') return 'out';
    if (status === 'restricted') return self.can_send_messages === false ? 'muted' : undefined;
    if (status !== 'member') return undefined;
    const about = await api.call('getChat', { chat_id: chat }, { timeoutMs });
    const allowed = isFields(about) ? fields(about, 'permissions') : undefined;
    return allowed?.can_send_messages === false ? 'readOnly' : undefined;
  }

  return async ({ chat }) => {
    if (!chat.startsWith('-') || !Number.isSafeInteger(Number(chat))) return undefined;
    const last = known.get(chat);
    if (last && performance.now() - last.at < (last.why ? KEPT_BARRED_MS : KEPT_MS)) return last.why;
    // If Telegram doesn't say, sending will show it. That is cached too, so that the next message doesn't ask again.
    const why = await ask(Number(chat)).catch(() => undefined);
    known.set(chat, { at: performance.now(), why });
    return why;
  };
}
