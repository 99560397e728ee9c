/**
 * A file of a message. Invariant: no error carries the address it was fetched from, which holds the token.
 * https://core.telegram.org/bots/api#getfile
 */
import * as shared from '../../shared/download.ts';
import { integer, isFields, string } from '../../shared/read.ts';
import { type TelegramApi, TelegramError } from './api.ts';

/** https://core.telegram.org/bots/api#getfile: "bots can download files of up to 20MB in size" */
export const DOWNLOAD_BYTES = 20 * 1024 * 1024;

export function createDownload(api: TelegramApi): shared.Download {
  return shared.createDownload({
    platform: 'Telegram',
    maxBytes: DOWNLOAD_BYTES,
    whyLimited: 'Telegram gives bots files of up to 20 MB',
    async begin(transfer) {
      const { url, size } = await locate(api, transfer);
      transfer.expect(size);
      const response = await transfer.fetch(url);
      if (!response.ok || !response.body) throw transfer.broken(`status ${response.status}`);
      return transfer.body(response);
    },
  });
}

async function locate(api: TelegramApi, transfer: shared.Transfer): Promise<{ url: string; size: number | undefined }> {
  try {
    const found = await api.call('getFile', { file_id: transfer.file.id }, { signal: transfer.signal });
    const filePath = isFields(found) ? string(found, 'file_path') : undefined;
    if (!isFields(found) || !filePath || filePath.split('/').includes('..')) throw transfer.gone();
    return { url: api.fileUrl(filePath), size: integer(found, 'file_size') };
  } catch (error) {
    if (!(error instanceof TelegramError)) throw error;
    if (/file is too big/i.test(error.message)) throw transfer.tooLarge();
    if (error.kind === 'refused' && error.code === 400) throw transfer.gone();
    throw transfer.broken(error.message);
  }
}
