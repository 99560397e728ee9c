/**
 * A file of a message, streamed to disk. Invariants: it is fetched from the configured CDN alone and without our token; never more
 * than the limit is written, whatever sizes were declared; a file that did not come whole is removed.
 * https://discord.com/developers/docs/reference#signed-attachment-cdn-urls
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { errorCode, UserError } from '../../errors.ts';
import type { Attachment, RemoteFile } from '../channel.ts';
import { isFields, list, string } from '../shared/read.ts';
import { type DiscordApi, DiscordError } from './api.ts';

/** Our own limit: Discord's people may send files of up to 500 MB. */
export const DOWNLOAD_BYTES = 25 * 1024 * 1024;
const TOTAL_MS = 60_000;
const SOON_MS = 30_000;

/** A download that failed underway and may be tried again. Its message is fit to be shown. */
export class DownloadError extends Error {
  override name = 'DownloadError';
}

export interface DownloadOptions {
  api: DiscordApi;
  cdnRoot: string;
}

/**
 * Fetches `file` to `path`, which must not exist (EEXIST), with mode 0600.
 * @param maxBytes the caller's own limit; 25 MB hold besides
 * @throws UserError when it is too large or Discord has it no more; DownloadError when the connection failed
 */
export async function download(
  { api, cdnRoot }: DownloadOptions,
  file: RemoteFile,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Attachment> {
  const limit = Math.min(maxBytes, DOWNLOAD_BYTES);
  if (file.size !== undefined && file.size > limit) throw tooLarge(file, limit);
  if (!isOnCdn(file.id, cdnRoot)) throw gone(file);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)]);
  const target = await open(path, 'wx', 0o600);
  try {
    const response = await request(api, cdnRoot, file, deadline);
    const written = await pour(response, target, file, limit, deadline);
    await target.datasync();
    await target.close();
    return { path, name: file.name, mimeType: file.mimeType, ...written };
  } catch (error) {
    await target.close();
    await rm(path, { force: true });
    throw error;
  }
}

/** An address works for a day; one that has run out is signed anew. */
async function request(api: DiscordApi, cdnRoot: string, file: RemoteFile, signal: AbortSignal): Promise<Response> {
  const first = expiry(file.id) - Date.now() > SOON_MS ? await get(file, file.id, signal) : undefined;
  if (first?.ok) return first;
  await first?.body?.cancel();
  if (first && first.status !== 403 && first.status !== 404) throw broken(file, `status ${first.status}`);
  const url = (await renew(api, file, signal)) ?? (first ? undefined : file.id);
  if (url === undefined || !isOnCdn(url, cdnRoot)) throw gone(file);
  const second = await get(file, url, signal);
  if (second.ok) return second;
  await second.body?.cancel();
  throw second.status === 403 || second.status === 404 ? gone(file) : broken(file, `status ${second.status}`);
}

async function get(file: RemoteFile, url: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { signal, redirect: 'error' });
  } catch (error) {
    throw broken(file, reason(signal.aborted ? signal.reason : error));
  }
}

async function renew(api: DiscordApi, file: RemoteFile, signal: AbortSignal): Promise<string | undefined> {
  try {
    const body = { attachment_urls: [file.id] };
    const answer = await api.call('POST', '/attachments/refresh-urls', { body, signal });
    const [renewed] = isFields(answer) ? list(answer, 'refreshed_urls') : [];
    return renewed && string(renewed, 'refreshed');
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
    if (error.kind === 'refused') return undefined;
    throw broken(file, error.message);
  }
}

async function pour(
  response: Response,
  target: FileHandle,
  file: RemoteFile,
  limit: number,
  signal: AbortSignal,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  try {
    if (Number(response.headers.get('content-length') ?? 0) > limit) throw tooLarge(file, limit);
    for await (const chunk of response.body ?? []) {
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

/** Milliseconds since the epoch; an address without one does not run out. */
function expiry(url: string): number {
  const seconds = Number.parseInt(new URL(url).searchParams.get('ex') ?? '', 16);
  return Number.isNaN(seconds) ? Number.POSITIVE_INFINITY : seconds * 1000;
}

function isOnCdn(url: string, cdnRoot: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(cdnRoot).origin;
}

function tooLarge(file: RemoteFile, limit: number): UserError {
  const megabytes = Math.floor((limit / (1024 * 1024)) * 10) / 10;
  return new UserError(`The file ${file.name} is too large: the limit is ${megabytes} MB.`);
}

function gone(file: RemoteFile): UserError {
  return new UserError(`Discord no longer has the file ${file.name}; please send it again.`);
}

function broken(file: RemoteFile, why: string): DownloadError {
  return new DownloadError(`The file ${file.name} could not be fetched from Discord (${why}).`);
}

function reason(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it took too long';
  if (error instanceof Error && error.name === 'AbortError') return 'it was stopped';
  const cause = error instanceof Error ? error.cause : undefined;
  return errorCode(cause) ?? errorCode(error) ?? 'the connection broke off';
}
