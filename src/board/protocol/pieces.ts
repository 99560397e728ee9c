/**
 * Assembles files that arrive over a socket in pieces, for clients without HTTP, such as a hub. Pieces arrive in order;
 * the last one is answered with the ref. An upload that pauses for a minute is discarded.
 */

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { say } from '../../messages/messages.ts';
import { largeFile, type Upload, type Uploads } from '../../workspace/uploads.ts';
import { RequestError } from '../respond.ts';
import type { Pieces } from './parts.ts';
import { namedRefusal } from './refusals.ts';
import type { CommandOf } from './schemas.ts';

const IDLE_MS = 60_000;
/** Across all senders. */
const MAX_AT_ONCE = 50;

interface Coming {
  body: PassThrough;
  stored: Promise<Upload>;
  received: number;
  timer: NodeJS.Timeout;
}

export function createPieces(uploads: Uploads, maxBytes: number): Pieces {
  const coming = new Map<string, Coming>();

  function begin(key: string, by: string, { name, contentType, size }: CommandOf<'upload'>): Coming {
    coming.get(key)?.body.destroy();
    if (size > maxBytes)
      throw new RequestError(
        413,
        'too_large',
        say('requests.field', { field: name, what: largeFile(maxBytes) }),
        'size',
      );
    if (coming.size >= MAX_AT_ONCE) throw new RequestError(503, 'busy', say('requests.manyPieces'));
    const body = new PassThrough();
    const stored = uploads.store(by, { name, type: contentType }, body);
    // The sender of the next piece gets the error.
    stored.catch(() => body.destroy());
    const timer = setTimeout(() => body.destroy(), IDLE_MS).unref();
    const begun = { body, stored, received: 0, timer };
    coming.set(key, begun);
    body.once('close', () => {
      clearTimeout(timer);
      if (coming.get(key) === begun) coming.delete(key);
    });
    return begun;
  }

  return {
    async take(by, piece) {
      const { name, data, offset, size } = piece;
      const key = `${by} ${name}`;
      const file = offset === 0 ? begin(key, by, piece) : coming.get(key);
      const bytes = Buffer.from(data, 'base64');
      const end = offset + bytes.length;
      if (!file || file.received !== offset || end > size || (bytes.length === 0 && end < size)) {
        const offset = file?.received ?? 0;
        throw new RequestError(400, 'bad_request', say('requests.piece', { name, offset: String(offset) }), 'offset');
      }
      file.received = end;
      file.timer.refresh();
      try {
        if (end < size) {
          if (!file.body.write(bytes)) await Promise.race([once(file.body, 'drain'), file.stored]);
          return { next: end };
        }
        file.body.end(bytes);
        const { ref, name: kept, type, size: stored } = await file.stored;
        // The frame has its own `type`.
        return { ref, name: kept, contentType: type, size: stored };
      } catch (error) {
        file.body.destroy();
        throw namedRefusal(error, name, 'data');
      }
    },
  };
}
