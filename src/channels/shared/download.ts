/**
 * Streams a message's file to disk, for every platform; only the source differs. Invariants: never more than the limit
 * is written, whatever sizes were declared; an incomplete file is removed; other users can't read it.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { errorCode, UserError } from '../../errors.ts';
import type { DownloadedFile, RemoteFile } from '../channel.ts';
import { transferMs } from './wait.ts';

/** A download that failed midway and may be retried. Its message can be shown to people. */
export class DownloadError extends Error {
  override name = 'DownloadError';
}

/**
 * Fetches a file to `path`, which must not exist (EEXIST), with mode 0600. `maxBytes` is the caller's own limit; the
 * platform's also applies.
 * @throws UserError when the file is too large or unavailable.
 * @throws DownloadError when the connection failed.
 */
export type Download = (
  file: RemoteFile,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
) => Promise<DownloadedFile>;

export interface DownloadSource {
  /** The platform's name, as people know it. */
  platform: string;
  /** The platform's own limit in bytes, and its reason if that isn't just a number. */
  maxBytes: number;
  whyLimited?: string;
  /** Requests the file from the platform, with headers of its own if it needs any, and returns its bytes as a stream. */
  begin(transfer: Transfer): Promise<Bytes>;
}

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const TOTAL_MS = 60_000;

/**
 * Returns the `download` of a channel.
 * @example
 * const download = createDownload({
 *   platform: 'Chat',
 *   maxBytes: 20 * 1024 * 1024,
 *   begin: async ({ file }) => [Buffer.from(file.id)],
 * });
 */
export function createPlatformDownload(source: DownloadSource): Download {
  return async (file, path, maxBytes, signal) => {
    const limit = Math.min(maxBytes, source.maxBytes);
    const transfer = new Transfer(source, file, limit, signal);
    transfer.expect(file.size);
    const target = await open(path, 'wx', 0o600);
    try {
      const written = await pour(await source.begin(transfer), target, transfer);
      await target.datasync();
      await target.close();
      const { name, mimeType } = transfer.file;
      return { path, name, mimeType, ...written, ...(transfer.file !== file && { remote: transfer.file }) };
    } catch (error) {
      await target.close();
      await rm(path, { force: true });
      throw error;
    }
  };
}

/** A file being downloaded, and the errors that may end the download. */
export class Transfer {
  /** The file as announced, or as the platform has described it since. */
  file: RemoteFile;
  readonly signal: AbortSignal;
  readonly totalMs: number;
  readonly #source: DownloadSource;
  readonly #limit: number;

  constructor(source: DownloadSource, file: RemoteFile, limit: number, signal: AbortSignal) {
    this.#source = source;
    this.#limit = limit;
    this.file = file;
    this.totalMs = transferMs(TOTAL_MS, Math.min(file.size ?? 0, limit));
    this.signal = AbortSignal.any([signal, AbortSignal.timeout(this.totalMs)]);
  }

  /** @throws UserError if `bytes` exceeds the limit. */
  expect(bytes: number | undefined): void {
    if (bytes !== undefined && bytes > this.#limit) throw this.tooLarge(this.#limit);
  }

  /** Sends a GET request without following redirects. The response may have any status. @throws DownloadError */
  async fetch(url: string): Promise<Response> {
    try {
      return await fetch(url, { signal: this.signal, redirect: 'error' });
    } catch (error) {
      throw this.broken(error);
    }
  }

  /** Returns the body of a successful response. @throws UserError if its declared length exceeds the limit. */
  body(response: Response): Bytes {
    this.expect(Number(response.headers.get('content-length') ?? 0));
    return response.body ?? [];
  }

  tooLarge(limit = this.#source.maxBytes): UserError {
    const { maxBytes, whyLimited } = this.#source;
    const megabytes = Math.floor((limit / (1024 * 1024)) * 10) / 10;
    const why = limit === maxBytes && whyLimited !== undefined ? whyLimited : `the limit is ${megabytes} MB`;
    return new UserError(`The file ${this.file.name} is too large: ${why}.`);
  }

  gone(): UserError {
    return new UserError(`${this.#source.platform} no longer has the file ${this.file.name}; please send it again.`);
  }

  /** Returns an error for `cause`, a text or a thrown value. Contains no URL, because some hold a token. */
  broken(cause: unknown): DownloadError {
    const why = typeof cause === 'string' ? cause : reason(this.signal.aborted ? this.signal.reason : cause);
    return new DownloadError(`The file ${this.file.name} could not be fetched from ${this.#source.platform} (${why}).`);
  }
}

async function pour(body: Bytes, target: FileHandle, transfer: Transfer): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      transfer.expect(size);
      hash.update(chunk);
      for (let at = 0; at < chunk.length; ) at += (await target.write(chunk, at)).bytesWritten;
    }
  } catch (error) {
    if (error instanceof UserError || errorCode(error) === 'ENOSPC') throw error;
    throw transfer.broken(error);
  }
  return { size, sha256: hash.digest('hex') };
}

function reason(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it took too long';
  if (error instanceof Error && error.name === 'AbortError') return 'it was stopped';
  const cause = error instanceof Error ? error.cause : undefined;
  return errorCode(cause) ?? errorCode(error) ?? 'the connection broke off';
}
