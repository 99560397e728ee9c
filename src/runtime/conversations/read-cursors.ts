/**
 * Stores how far each chat of a channel has been read (promise 14): `spool/marks/<channel>.json`, rewritten at most five times
 * a second, and at once for a new chat. A mark that lags behind costs a repeated look at known messages, never a
 * message.
 */
import path from 'node:path';
import type { ReadCursors } from '../../channels/channel.ts';
import { writeFileAtomic } from '../../lib/files.ts';
import { readRecords } from '../../lib/json.ts';
import { exclusively, isShared } from '../../lib/locks.ts';
import { isText, shape } from '../../lib/shape.ts';
import { writeJson } from '../../lib/write-json.ts';
import type { Logger } from '../../log.ts';

/** Chats silent longest are dropped first. */
const MAX_CHATS = 2_000;
const WRITE_MS = 200;

const ABOUT = {
  asMap: true as const,
  lost: 'how far the chats of a channel were read',
  next: 'What was written there while the gateway was away may stay unanswered.',
  tell: true,
};

export function openReadCursors(
  folder: string,
  channel: string,
  log: Logger,
): ReadCursors & { close(): Promise<void> } {
  const file = path.join(folder, `${channel}.json`);
  const cursors = readCursors(file);
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  /** The mark that is ahead counts. */
  function takeNewer(): void {
    for (const [chat, mark] of readCursors(file)) {
      const own = cursors.get(chat);
      if (own === undefined || isBefore(own, mark)) cursors.set(chat, mark);
    }
  }

  function write(): void {
    timer = undefined;
    writing = exclusively(file, () => {
      if (isShared(file)) takeNewer();
      const text = `${JSON.stringify(Object.fromEntries(cursors), null, 1)}\n`;
      return writeFileAtomic(file, text, { sync: false });
    }).catch((error: unknown) => log.warn({ err: error, file }, 'could not store how far the chats were read'));
  }

  return {
    all: () => cursors,
    set(chat, mark) {
      const isNew = !cursors.delete(chat);
      cursors.set(chat, mark);
      const oldest = cursors.keys().next().value;
      if (cursors.size > MAX_CHATS && oldest !== undefined) cursors.delete(oldest);
      if (isNew) {
        clearTimeout(timer);
        timer = setTimeout(write, 0);
      } else timer ??= setTimeout(write, WRITE_MS);
    },
    async reread() {
      for (const [chat, mark] of readCursors(file)) cursors.set(chat, mark);
    },
    async close() {
      if (timer) {
        clearTimeout(timer);
        write();
      }
      await writing;
    },
  };
}

/** Marks are growing numbers without leading zeros. */
const isBefore = (a: string, b: string): boolean => a.length < b.length || (a.length === b.length && a < b);

function readCursors(file: string): Map<string, string> {
  return readRecords(file, shape<string>(isText), ABOUT, (left) => writeJson(file, Object.fromEntries(left)));
}
