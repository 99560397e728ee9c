/**
 * A file of a message, streamed to disk. Invariants: never more than the limit is written, whatever sizes were declared; a
 * file that did not come whole is removed; no error carries the address it was fetched from, which holds the token.
 * https://core.telegram.org/bots/api#getfile
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { errorCode, UserError } from '../../errors.ts';
import type { Attachment, RemoteFile } from '../channel.ts';
import { integer, isFields, string } from '../shared/read.ts';
import { type TelegramApi, TelegramError } from './api.ts';

/** https://core.telegram.org/bots/api#getfile: "bots can download files of up to 20MB in size" */
export const DOWNLOAD_BYTES = 20 * 1024 * 1024;
const TOTAL_MS = 60_000;

/** A download that failed underway and may be tried again. Its message is fit to be shown. */
export class DownloadError extends Error {
  override name = 'DownloadError';
}

/**
 * Fetches `file` to `path`, which must not exist (EEXIST), with mode 0600.
 * @param maxBytes the caller's own limit; the platform's 20 MB hold besides
 * @throws UserError when it is too large or Telegram has it no more; DownloadError when the connection failed
 */
export async function download(
  api: TelegramApi,
  file: RemoteFile,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Attachment> {
  const limit = Math.min(maxBytes, DOWNLOAD_BYTES);
  if (file.size !== undefined && file.size > limit) throw tooLarge(file, limit);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)]);
  const { url, size } = await locate(api, file, deadline);
  if (size !== undefined && size > limit) throw tooLarge(file, limit);
  const target = await open(path, 'wx', 0o600);
  try {
    const written = await pour(url, target, file, limit, deadline);
    await target.datasync();
    await target.close();
    return { path, name: file.name, mimeType: file.mimeType, ...written };
  } catch (error) {
    await target.close();
    await rm(path, { force: true });
    throw error;
  }
}

async function locate(
  api: TelegramApi,
  file: RemoteFile,
  signal: AbortSignal,
): Promise<{ url: string; size: number | undefined }> {
  try {
    const found = await api.call('getFile', { file_id: file.id }, { signal });
    const filePath = isFields(found) ? string(found, 'file_path') : undefined;
    if (!isFields(found) || !filePath || filePath.split('/').includes('..')) throw gone(file);
    return { url: api.fileUrl(filePath), size: integer(found, 'file_size') };
  } catch (error) {
    if (!(error instanceof TelegramError)) throw error;
    if (/file is too big/i.test(error.message)) throw tooLarge(file, DOWNLOAD_BYTES);
    if (error.kind === 'refused' && error.code === 400) throw gone(file);
    throw broken(file, error.message);
  }
}

async function pour(
  url: string,
  target: FileHandle,
  file: RemoteFile,
  limit: number,
  signal: AbortSignal,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  try {
    const response = await fetch(url, { signal, redirect: 'error' });
    if (!response.ok || !response.body) throw broken(file, `status ${response.status}`);
    if (Number(response.headers.get('content-length') ?? 0) > limit) throw tooLarge(file, limit);
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > limit) throw tooLarge(file, limit);
      hash.update(chunk);
      for (let at = 0; at < chunk.length; ) at += (await target.write(chunk, at)).bytesWritten;
    }
  } catch (error) {
    if (error instanceof UserError || error instanceof DownloadError) throw error;
    if (errorCode(error) === 'ENOSPC') throw error;
    throw broken(file, reason(signal.aborted ? signal.reason : error));
  }
  return { size, sha256: hash.digest('hex') };
}

function tooLarge(file: RemoteFile, limit: number): UserError {
  const megabytes = Math.floor((limit / (1024 * 1024)) * 10) / 10;
  const why = limit === DOWNLOAD_BYTES ? 'Telegram gives bots files of up to 20 MB' : `the limit is ${megabytes} MB`;
  return new UserError(`The file ${file.name} is too large: ${why}.`);
}

function gone(file: RemoteFile): UserError {
  return new UserError(`Telegram no longer has the file ${file.name}; please send it again.`);
}

function broken(file: RemoteFile, why: string): DownloadError {
  return new DownloadError(`The file ${file.name} could not be fetched from Telegram (${why}).`);
}

function reason(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it took too long';
  if (error instanceof Error && error.name === 'AbortError') return 'it was stopped';
  const cause = error instanceof Error ? error.cause : undefined;
  return errorCode(cause) ?? errorCode(error) ?? 'the connection broke off';
}
