/**
 * Downloads a message's file. Invariant: only from the configured CDN, and without our token.
 * https://discord.com/developers/docs/reference#signed-attachment-cdn-urls
 */
import * as shared from '../../shared/download.ts';
import { fieldsList, isFields, string } from '../../shared/read.ts';
import { type DiscordApi, DiscordError } from './api.ts';

/** Our own limit; people on Discord may send files of up to 500 MB. */
export const DOWNLOAD_BYTES = 25 * 1024 * 1024;
const SOON_MS = 30_000;

export function createDownload(api: DiscordApi, cdnRoot: string): shared.Download {
  return shared.createPlatformDownload({
    platform: 'Discord',
    maxBytes: DOWNLOAD_BYTES,
    begin: async (transfer) => transfer.body(await request(api, cdnRoot, transfer)),
  });
}

/** Requests the file. A URL works for a day; an expired one is signed again. */
async function request(api: DiscordApi, cdnRoot: string, transfer: shared.Transfer): Promise<Response> {
  const known = transfer.file.id;
  if (!isOnCdn(known, cdnRoot)) throw transfer.gone();
  const first = expiry(known) - Date.now() > SOON_MS ? await transfer.fetch(known) : undefined;
  if (first?.ok) return first;
  await first?.body?.cancel();
  if (first && !isGone(first)) throw transfer.broken(`status ${first.status}`);
  const url = (await renew(api, transfer)) ?? (first ? undefined : known);
  if (url === undefined || !isOnCdn(url, cdnRoot)) throw transfer.gone();
  const second = await transfer.fetch(url);
  if (second.ok) return second;
  await second.body?.cancel();
  throw isGone(second) ? transfer.gone() : transfer.broken(`status ${second.status}`);
}

async function renew(api: DiscordApi, transfer: shared.Transfer): Promise<string | undefined> {
  try {
    const body = { attachment_urls: [transfer.file.id] };
    const answer = await api.call('POST', '/attachments/refresh-urls', { body, signal: transfer.signal });
    const [renewed] = isFields(answer) ? fieldsList(answer, 'refreshed_urls') : [];
    return renewed && string(renewed, 'refreshed');
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
    if (error.kind === 'refused') return undefined;
    throw transfer.broken(error.message);
  }
}

const isGone = ({ status }: Response): boolean => status === 403 || status === 404;

/** Returns when the URL expires, in ms since the epoch; never if it doesn't say. */
function expiry(url: string): number {
  const seconds = Number.parseInt(new URL(url).searchParams.get('ex') ?? '', 16);
  return Number.isNaN(seconds) ? Number.POSITIVE_INFINITY : seconds * 1000;
}

function isOnCdn(url: string, cdnRoot: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(cdnRoot).origin;
}
