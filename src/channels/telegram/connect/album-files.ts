/**
 * Remembers the files of albums. A reply to an album names only one of its parts, since each is a message of its own;
 * the others are known only from when they arrived. Kept in memory and bounded; after a restart a reply brings the
 * named part alone.
 */
import { createLru } from '../../../lib/lru.ts';
import type { InboundMessage, RemoteFile } from '../../channel.ts';
import { type Fields, fields, isFields, string } from '../../shared/read.ts';

const MAX_FILES = 5000;

/**
 * Returns a function that notes the files of album parts and adds the whole album to a message that replies to a part.
 */
export function createAlbumFiles(): (message: InboundMessage, update: unknown) => InboundMessage {
  const albums = createLru<RemoteFile[]>(MAX_FILES, (files) => files.length);
  const keyOf = ({ address }: InboundMessage, group: string) => `${address.chat}:${group}`;
  const same = (one: RemoteFile) => (other: RemoteFile) => (one.key ?? one.id) === (other.key ?? other.id);

  return (message, update) => {
    if (message.group !== undefined && message.files.length > 0) {
      const key = keyOf(message, message.group);
      const known = albums.get(key) ?? [];
      albums.set(key, [...known, ...message.files.filter((file) => !known.some(same(file)))].slice(0, 10));
    }
    const group = answeredGroup(update);
    const album = group === undefined ? undefined : albums.get(keyOf(message, group));
    if (!album) return message;
    const quotes = message.quotes.map((quote) => {
      const [named] = quote.files ?? [];
      return quote.kind === 'reply' && named && album.some(same(named)) ? { ...quote, files: [...album] } : quote;
    });
    return { ...message, quotes };
  };
}

function answeredGroup(update: unknown): string | undefined {
  if (!isFields(update)) return undefined;
  const bodies = Object.keys(update).map((key): Fields => fields(update, key) ?? {});
  return bodies
    .map((body) => string(fields(body, 'reply_to_message') ?? {}, 'media_group_id'))
    .find((group) => group !== undefined);
}
