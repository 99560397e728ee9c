/** Asks Slack whether the bot can write in a channel: it may be archived or read-only. */

import { createLru } from '../../../lib/lru.ts';
import { within } from '../../../lib/within.ts';
import type { Address, Channel, WriteBarrier } from '../../channel.ts';
import { fields } from '../../shared/read.ts';
import { isDirect } from '../decode/base.ts';
import type { SlackContext } from '../options.ts';

const KEPT_MS = 30_000;
const WAIT_MS = 3_000;
const MAX_CHATS = 2_000;

export function createBarred({ api }: SlackContext): NonNullable<Channel['barred']> {
  const known = createLru<{ at: number; why: WriteBarrier | undefined }>(MAX_CHATS);
  return async ({ chat }: Address) => {
    if (isDirect(chat)) return undefined;
    const last = known.get(chat);
    if (last && performance.now() - last.at < KEPT_MS) return last.why;
    // If Slack doesn't say, sending will show it; the unknown answer is cached too, so that it isn't asked again at
    // once.
    const asked = findBarrier(api, chat).catch(() => undefined);
    void asked.then((why) => known.set(chat, { at: performance.now(), why }));
    return within(asked, WAIT_MS);
  };
}

async function findBarrier(api: SlackContext['api'], chat: string): Promise<WriteBarrier | undefined> {
  const channel = fields(await api.call('conversations.info', { channel: chat }), 'channel') ?? {};
  if (channel.is_archived === true) return 'archived';
  // A channel without the bot is reported when a thread is opened, with instructions to invite it.
  if (channel.is_read_only === true || channel.is_frozen === true) return 'readOnly';
  return undefined;
}
