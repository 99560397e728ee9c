/**
 * Uploads files in three steps: request a place, stream the bytes there, share. Only sharing makes anything visible, so
 * only its outcome can be ambiguous. https://docs.slack.dev/messaging/working-with-files/#uploading_files
 */
import type { FileHandle } from 'node:fs/promises';
import { DeliveryError, errorCode } from '../../../errors.ts';
import { openKept } from '../../../lib/files/below.ts';
import type { Address, Attachment } from '../../channel.ts';
import { TransportError } from '../../shared/connection.ts';
import { string } from '../../shared/read.ts';
import { FilesRefused } from '../../shared/send-parts.ts';
import { transferMs } from '../../shared/wait.ts';
import type { SlackContext } from '../options.ts';
import { type ReadBack, uploadName } from './read-back.ts';
import { refusesThread } from './refusals.ts';

export type Upload = (files: readonly Attachment[], address: Address) => Promise<string>;

const UPLOAD_MS = 120_000;
const FILE_CODES = new Set(['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'EIO']);

/**
 * Creates the function that shares files in one message and returns their IDs. @throws SlackError, DeliveryError or
 * FilesRefused
 */
export function createUpload({ api, transport, hosts }: SlackContext, { arrived }: ReadBack): Upload {
  /**
   * Uploads a file. A later run may have replaced it since it was attached, so its current size is announced and the
   * file stays open.
   */
  async function place(file: Attachment): Promise<{ id: string; title: string }> {
    const title = uploadName(file);
    const handle = await opened(file);
    try {
      const { size } = await handle.stat();
      const answer = await api.call('files.getUploadURLExternal', { filename: title, length: size });
      const url = string(answer, 'upload_url') ?? '';
      const id = string(answer, 'file_id') ?? '';
      if (!hosts.isFiles(url)) throw new DeliveryError(`Slack named a URL for the file ${title} that isn't Slack's`);
      await pour(url, { ...file, size }, handle);
      return { id, title };
    } finally {
      await handle.close();
    }
  }

  async function opened(file: Attachment): Promise<FileHandle> {
    try {
      return await openKept(file.path);
    } catch (error) {
      if (FILE_CODES.has(errorCode(error) ?? '')) throw unreadable(file, errorCode(error));
      throw error;
    }
  }

  async function pour(url: string, file: Attachment, handle: FileHandle): Promise<void> {
    const body = handle.createReadStream({ autoClose: false });
    const failed = new Promise<never>((_resolve, reject) => body.once('error', reject));
    try {
      const headers = { 'content-type': 'application/octet-stream', 'content-length': String(file.size) };
      const sent = transport.request(url, {
        method: 'POST',
        headers,
        body,
        timeoutMs: transferMs(UPLOAD_MS, file.size),
      });
      const answer = await Promise.race([sent, failed]);
      answer.body.resume();
      if (answer.status !== 200) throw uploadError(file, answer.status, Number(answer.headers['retry-after']));
    } catch (error) {
      if (FILE_CODES.has(errorCode(error) ?? '')) throw unreadable(file, errorCode(error));
      if (!(error instanceof TransportError)) throw error;
      throw new DeliveryError(`the file ${file.name} could not be uploaded (${error.message})`, { retryAfterMs: 1000 });
    } finally {
      body.destroy();
    }
  }

  return async (files, address) => {
    const placed: { id: string; title: string }[] = [];
    for (const file of files) placed.push(await place(file));
    const { chat, thread } = address;
    const shared = { files: placed, channel_id: chat };
    try {
      const where = thread === undefined ? {} : { thread_ts: thread };
      await api.call('files.completeUploadExternal', { ...shared, ...where });
    } catch (error) {
      // Like the text, the files go to the channel when the thread accepts nothing more.
      if (thread === undefined || !refusesThread(error)) throw error;
      await api.call('files.completeUploadExternal', shared);
    }
    const ids = placed.map(({ id }) => id);
    arrived(ids);
    return ids.join(',');
  };
}

function uploadError(file: Attachment, status: number, seconds: number): Error {
  const message = `Slack answered the upload of ${file.name} with ${status}`;
  if (status === 429) return new DeliveryError(message, { retryAfterMs: (seconds || 1) * 1000, rateLimited: true });
  if (status >= 500) return new DeliveryError(message, { retryAfterMs: 1000 });
  return new FilesRefused(status === 413 ? 'size' : 'file', message);
}

function unreadable(file: Attachment, code: string | undefined): FilesRefused {
  return new FilesRefused('gone', `the file ${file.name} cannot be read (${code})`);
}
