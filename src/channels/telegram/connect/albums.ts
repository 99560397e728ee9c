/**
 * In a group an album is meant for us when one of its parts is. Telegram sends each part as an update of its own, and the caption
 * with the mention may be that of any. Each part is judged as it comes; the one that is let in draws the others of its sender with
 * it, those that were refused before by being handed on once more. Refused parts are kept for a moment, and in memory alone.
 */
import { createLru } from '../../../lib/lru.ts';
import type { InboundMessage, InboundOutcome } from '../../channel.ts';

/** Rejects when the message could not be stored. */
type Give = (message: InboundMessage, raw: unknown) => Promise<InboundOutcome>;

/** `open`: its album may go on, so that it is to come again should this process end. */
export type Taken = 'settled' | 'open';

interface Part {
  message: InboundMessage;
  raw: unknown;
}

interface Album {
  /** When its last part came, by `performance.now()`. */
  at: number;
  /** The ids of the parts whose outcome is known. */
  judged: Set<string>;
  refused: Part[];
  /** The part by which it is meant for us. */
  ours?: InboundMessage;
}

/** How long its parts may be apart, as for the turn that takes them up. */
const SETTLE_MS = 600;
/** Over a webhook each part waits until the one before is answered. */
const KEPT_MS = 10_000;
const MAX_ALBUMS = 200;

/** What it gives calls `give` before it first waits; it resolves when the message and all that it draws with it are durable. */
export function createAlbums(): (message: InboundMessage, raw: unknown, give: Give) => Promise<Taken> {
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
    await Promise.all([draw(album, give), isNew ? hand(album, { message, raw }, give) : undefined]);
    return performance.now() - album.at < SETTLE_MS ? 'open' : 'settled';
  };
}

async function hand(album: Album, part: Part, give: Give): Promise<void> {
  const { ours } = album;
  const outcome = await give(ours ? addressed(part.message, ours) : part.message, part.raw);
  album.judged.add(part.message.id);
  if (outcome === 'accepted' || outcome === 'duplicate') album.ours ??= part.message;
  // Refused for its own sake: another part may be the one that is meant for us, now or later.
  else if (outcome === 'refused' && !ours) album.refused.push(part);
  await draw(album, give);
}

/** What could not be stored is drawn again by the update that comes again for it. */
async function draw(album: Album, give: Give): Promise<void> {
  if (!album.ours || album.refused.length === 0) return;
  const parts = album.refused.splice(0);
  try {
    await Promise.all(parts.map((part) => hand(album, part, give)));
  } catch (error) {
    album.refused.push(...parts);
    throw error;
  }
}

function addressed(message: InboundMessage, { repliesTo }: InboundMessage): InboundMessage {
  return { ...message, isMention: true, ...(repliesTo !== undefined && { repliesTo }) };
}
