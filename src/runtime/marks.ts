/**
 * How far each chat of a channel has been read (R16): `spool/marks/<channel>.json`, rewritten at most five times a second, for a
 * chat without a mark at once. A mark that is behind costs a repeated look at messages that are known, never a message.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Marks } from '../channels/channel.ts';
import { errorCode } from '../errors.ts';
import type { Logger } from '../log.ts';
import { writeFileAtomic } from '../workspace/files.ts';

/** Chats of one channel; those that were silent longest go first. */
const MAX_CHATS = 2_000;
const WRITE_MS = 200;

export function openMarks(folder: string, channel: string, log: Logger): Marks & { close(): Promise<void> } {
  const file = path.join(folder, `${channel}.json`);
  const marks = new Map<string, string>(Object.entries(read(file)));
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function write(): void {
    timer = undefined;
    const text = `${JSON.stringify(Object.fromEntries(marks), null, 1)}\n`;
    writing = writing
      .then(() => writeFileAtomic(file, text, { sync: false }))
      .catch((error: unknown) => log.warn({ err: error, file }, 'what was read last could not be written down'));
  }

  return {
    all: () => marks,
    set(chat, mark) {
      const isNew = !marks.delete(chat);
      marks.set(chat, mark);
      const oldest = marks.keys().next().value;
      if (marks.size > MAX_CHATS && oldest !== undefined) marks.delete(oldest);
      if (isNew) {
        clearTimeout(timer);
        timer = setTimeout(write, 0);
      } else timer ??= setTimeout(write, WRITE_MS);
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

function read(file: string): Record<string, string> {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch (error) {
    // Torn or gone: nothing is fetched for the time we were away, and reading goes on from now.
    if (errorCode(error) !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
    return {};
  }
}
