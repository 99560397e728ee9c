/**
 * Admits albums as a whole: in a group, an album is meant for the bot if any of its parts is. Telegram sends each part
 * as a separate update, and any of them may have the caption with the mention. Each part is judged when it arrives.
 * Once one is admitted, the sender's other parts are too; those refused before are submitted again. Refused parts are
 * kept briefly, and in memory only.
 */
import { createLru } from '../../../lib/lru.ts';
import type { InboundMessage, InboundOutcome } from '../../channel.ts';

type Give = (message: InboundMessage, raw: unknown) => Promise<InboundOutcome>;

/** `open`: more of the album may follow, so the update must be delivered again if this process ends. */
export type AlbumState = 'settled' | 'open';

interface Part {
  message: InboundMessage;
  raw: unknown;
}

interface Album {
  /** The arrival of its last part, by `performance.now()`. */
  at: number;
  /** The IDs of the parts whose outcome is known. */
  judged: Set<string>;
  refused: Part[];
  ours?: InboundMessage;
}

/** The longest gap between parts, in ms; the same as for the turn that collects them. */
const SETTLE_MS = 600;
/** Over a webhook, each part waits until the one before is answered. */
const KEPT_MS = 10_000;
const MAX_ALBUMS = 200;

/**
 * Returns a function that calls `give` before its first wait, and resolves when the message is durable, with every part
 * that is admitted because of it.
 */
export function createAlbums(): (message: InboundMessage, raw: unknown, give: Give) => Promise<AlbumState> {
  const albums = createLru<Album>(MAX_ALBUMS);

  function albumOf({ group, isDirect, kind, address, sender }: InboundMessage): Album | undefined {
    if (group === undefined || isDirect || kind === 'edit') return undefined;
    const key = JSON.stringify([address.chat, address.thread, sender.user, group]);
    const known = albums.get(key);
    if (known) return known;
    const album: Album = { at: 0, judged: new Set(), refused: [] };
    albums.set(key, album);
    setTimeout(() => albums.delete(key), KEPT_MS).unref();
    return album;
  }

  return async (message, raw, give) => {
    const album = albumOf(message);
    if (!album) {
      await give(message, raw);
      return 'settled';
    }
    const isNew = !album.judged.has(message.id);
    if (isNew) album.at = performance.now();
    if (message.isMention) album.ours ??= message;
    await Promise.all([submitRefused(album, give), isNew ? submit(album, { message, raw }, give) : undefined]);
    return performance.now() - album.at < SETTLE_MS ? 'open' : 'settled';
  };
}

async function submit(album: Album, part: Part, give: Give): Promise<void> {
  const { ours } = album;
  const outcome = await give(ours ? addressed(part.message, ours) : part.message, part.raw);
  album.judged.add(part.message.id);
  if (outcome === 'accepted' || outcome === 'duplicate') album.ours ??= part.message;
  // Refused on its own merits: another part may be the one meant for the bot, now or later.
  else if (outcome === 'refused' && !ours) album.refused.push(part);
  await submitRefused(album, give);
}

/** Submits the refused parts again. Parts that can't be stored are retried when Telegram repeats the update. */
async function submitRefused(album: Album, give: Give): Promise<void> {
  if (!album.ours || album.refused.length === 0) return;
  const parts = album.refused.splice(0);
  try {
    await Promise.all(parts.map((part) => submit(album, part, give)));
  } catch (error) {
    album.refused.push(...parts);
    throw error;
  }
}

function addressed(message: InboundMessage, { repliesTo }: InboundMessage): InboundMessage {
  return { ...message, isMention: true, ...(repliesTo !== undefined && { repliesTo }) };
}
