/**
 * Downloads a message's file. Invariant: no error contains the URL, because it holds the token.
 * https://core.telegram.org/bots/api#getfile
 */
import * as shared from '../../shared/download.ts';
import { integer, isFields, string } from '../../shared/read.ts';
import { type TelegramApi, TelegramError } from './api.ts';
import { LOCAL_BYTES, openLocal } from './local-files.ts';

/** https://core.telegram.org/bots/api#getfile: "bots can download files of up to 20MB in size" */
export const DOWNLOAD_BYTES = 20 * 1024 * 1024;

const LOCATE_MS = 30_000;

/** @param localFiles the folders where our own Bot API server keeps files; if there are any, it is in local mode */
export function createDownload(api: TelegramApi, localFiles: readonly string[] = []): shared.Download {
  const isLocal = localFiles.length > 0;
  return shared.createPlatformDownload({
    platform: 'Telegram',
    maxBytes: isLocal ? LOCAL_BYTES : DOWNLOAD_BYTES,
    whyLimited: isLocal
      ? 'the Bot API server gives files of up to 2000 MB'
      : 'Telegram gives bots files of up to 20 MB',
    async begin(transfer) {
      const { filePath, size } = await locate(api, transfer, isLocal ? transfer.totalMs : LOCATE_MS);
      transfer.expect(size);
      if (filePath.startsWith('/')) {
        const local = openLocal(filePath, localFiles);
        if (!local) throw transfer.gone();
        try {
          transfer.expect(local.size);
        } catch (error) {
          local.bytes.destroy();
          throw error;
        }
        return local.bytes;
      }
      const response = await transfer.fetch(api.fileUrl(filePath));
      if (!response.ok || !response.body) throw transfer.broken(`status ${response.status}`);
      return transfer.body(response);
    },
  });
}

/** Asks where the file is. A server of our own fetches the whole file before it answers. */
async function locate(
  api: TelegramApi,
  transfer: shared.Transfer,
  timeoutMs: number,
): Promise<{ filePath: string; size: number | undefined }> {
  try {
    const found = await api.call('getFile', { file_id: transfer.file.id }, { signal: transfer.signal, timeoutMs });
    const filePath = isFields(found) ? string(found, 'file_path') : undefined;
    if (!isFields(found) || !filePath || filePath.split('/').includes('..')) throw transfer.gone();
    return { filePath, size: integer(found, 'file_size') };
  } catch (error) {
    if (!(error instanceof TelegramError)) throw error;
    if (/file is too big/i.test(error.message)) throw transfer.tooLarge();
    if (error.kind === 'refused' && error.code === 400) throw transfer.gone();
    throw transfer.broken(error.message);
  }
}
