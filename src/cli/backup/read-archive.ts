/** Reads the entries of a backup one after the other. */

import fs from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { ReadEntry } from 'tar';
import { errorCode, errorMessage, UserError } from '../../errors.ts';
import { say } from '../../messages/messages.ts';

/** Passes entries to a callback; its first error ends the reading. */
export class EntryReader {
  readonly failed: Promise<never>;
  readonly #take: (entry: ReadEntry) => void;
  readonly #fail: (error: unknown) => void;
  #error: unknown;

  constructor(take: (entry: ReadEntry) => void) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.failed = promise;
    this.#fail = reject;
    this.#take = take;
    // Avoids an unhandled rejection when nobody awaits `failed`.
    promise.catch(() => undefined);
  }

  get isFailed(): boolean {
    return this.#error !== undefined;
  }

  /** Records the first error; later ones are ignored. */
  fail(error: unknown): void {
    this.#error ??= error;
    this.#fail(this.#error);
  }

  check(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /** Never throws: the parser calls it. */
  take(entry: ReadEntry): void {
    try {
      if (this.isFailed) entry.resume();
      else this.#take(entry);
    } catch (error) {
      this.fail(error);
      entry.resume();
    }
  }
}

/** @throws {UserError} for a file that is not an archive or is damaged, and any error of the reader */
export async function readArchive(file: string, reader: EntryReader): Promise<void> {
  const { Parser } = await import('tar');
  const parser = new Parser({ strict: true, onReadEntry: (entry: ReadEntry) => reader.take(entry) });
  parser.on('error', (error: unknown) => reader.fail(broken(error)));
  let hasEnd = false;
  parser.on('eof', () => {
    hasEnd = true;
  });
  const ended = new Promise<void>((resolve) => parser.on('end', resolve));
  try {
    await pipeline(fs.createReadStream(file), createGunzip(), async (pieces) => {
      for await (const piece of pieces) {
        parser.write(piece);
        reader.check();
      }
    });
    parser.end();
    await Promise.race([ended, reader.failed]);
  } catch (error) {
    throw error instanceof UserError || !isOfFormat(error) ? error : broken(error);
  }
  reader.check();
  // Without its mark an archive ends between two entries, and looks whole.
  if (!hasEnd) throw broken(new Error('its end is missing'));
}

const isOfFormat = (error: unknown) => /^(Z_|ERR_STREAM_PREMATURE|TAR_)/.test(errorCode(error) ?? '');
const broken = (error: unknown) => new UserError(say('backup.broken', { why: errorMessage(error) }));
