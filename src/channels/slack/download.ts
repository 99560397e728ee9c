/**
 * A file of a message, streamed to disk. Invariants: the token goes to Slack's file host (or the exact origin of another
 * `apiRoot`) and nowhere else, redirects included; never more than the limit is written, whatever sizes were declared; a file
 * that did not come whole is removed. https://docs.slack.dev/reference/objects/file-object/#authentication
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { errorCode, UserError } from '../../errors.ts';
import type { Attachment, RemoteFile } from '../channel.ts';
import { fields, string } from '../shared/read.ts';
import { type SlackApi, SlackError } from './api.ts';
import type { Hosts } from './connect/hosts.ts';
import { type Answer, type Transport, TransportError } from './connect/transport.ts';

/** Slack keeps files of up to 1 GB; what is taken in is the caller's to limit. */
export const DOWNLOAD_BYTES = 1024 * 1024 * 1024;
const TOTAL_MS = 60_000;
const HEAD_MS = 20_000;

/** A download that failed underway and may be tried again. Its message is fit to be shown. */
export class DownloadError extends Error {
  override name = 'DownloadError';
}

export type Download = (file: RemoteFile, path: string, maxBytes: number, signal: AbortSignal) => Promise<Attachment>;

export interface DownloadOptions {
  api: SlackApi;
  transport: Transport;
  hosts: Hosts;
  botToken: string;
}

/**
 * Fetches a file to `path`, which must not exist (EEXIST), with mode 0600.
 * Throws UserError when it is too large, kept elsewhere or not ours to read; DownloadError when the connection failed.
 */
export function createDownload({ api, transport, hosts, botToken }: DownloadOptions): Download {
  async function urlOf(file: RemoteFile): Promise<string> {
    const [id = '', known] = file.id.split(' ', 2);
    if (known !== undefined) return known;
    try {
      const found = fields(await api.call('files.info', { file: id }), 'file') ?? {};
      return string(found, 'url_private_download') ?? string(found, 'url_private') ?? '';
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (error.code === 'missing_scope') throw lacksScope(file);
      if (error.kind === 'refused' && error.retryAfterMs === undefined) throw gone(file);
      throw broken(file, error.message);
    }
  }

  async function head(url: string, file: RemoteFile, signal: AbortSignal): Promise<Answer> {
    try {
      const headers = { authorization: `Bearer ${botToken}` };
      return await transport.request(url, { method: 'GET', headers, timeoutMs: HEAD_MS, signal });
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      throw broken(file, signal.aborted ? reason(signal.reason) : error.message);
    }
  }

  return async (file, path, maxBytes, signal) => {
    const limit = Math.min(maxBytes, DOWNLOAD_BYTES);
    if (file.size !== undefined && file.size > limit) throw tooLarge(file, limit);
    const url = await urlOf(file);
    if (!hosts.isFiles(url)) throw new UserError(`The file ${file.name} is kept outside of Slack; I do not fetch it.`);
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)]);
    const answer = await head(url, file, deadline);
    try {
      judge(answer, file, limit);
      const target = await open(path, 'wx', 0o600);
      try {
        const written = await pour(answer.body, target, file, limit, deadline);
        await target.datasync();
        await target.close();
        return { path, name: file.name, mimeType: file.mimeType, ...written };
      } catch (error) {
        await target.close();
        await rm(path, { force: true });
        throw error;
      }
    } finally {
      answer.body.destroy();
    }
  };
}

/** Who may not read a file is sent, with 200 or a redirect, to a page where a person could log in. */
function judge({ status, headers }: Answer, file: RemoteFile, limit: number): void {
  const isPage = /^text\/html\b/i.test(headers['content-type'] ?? '');
  const isWanted = file.mimeType === 'text/html' && headers['content-disposition'] !== undefined;
  if ((status >= 300 && status < 400) || status === 401 || status === 403 || (isPage && !isWanted && status < 500))
    throw lacksScope(file);
  if (status === 404 || status === 410) throw gone(file);
  if (status !== 200) throw broken(file, `status ${status}`);
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(file, limit);
}

async function pour(
  body: IncomingMessage,
  target: FileHandle,
  file: RemoteFile,
  limit: number,
  signal: AbortSignal,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > limit) throw tooLarge(file, limit);
      hash.update(chunk);
      for (let at = 0; at < chunk.length; ) at += (await target.write(chunk, at)).bytesWritten;
    }
  } catch (error) {
    if (error instanceof UserError || errorCode(error) === 'ENOSPC') throw error;
    throw broken(file, reason(signal.aborted ? signal.reason : error));
  }
  return { size, sha256: hash.digest('hex') };
}

function tooLarge(file: RemoteFile, limit: number): UserError {
  const megabytes = Math.floor((limit / (1024 * 1024)) * 10) / 10;
  return new UserError(`The file ${file.name} is too large: the limit is ${megabytes} MB.`);
}

function gone(file: RemoteFile): UserError {
  return new UserError(`Slack no longer has the file ${file.name}; please send it again.`);
}

function lacksScope(file: RemoteFile): UserError {
  return new UserError(
    `Slack does not let me read the file ${file.name}: the app needs the scope files:read, and to be in the channel.`,
  );
}

function broken(file: RemoteFile, why: string): DownloadError {
  return new DownloadError(`The file ${file.name} could not be fetched from Slack (${why}).`);
}

function reason(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it took too long';
  if (error instanceof Error && error.name === 'AbortError') return 'it was stopped';
  return errorCode(error) ?? 'the connection broke off';
}
