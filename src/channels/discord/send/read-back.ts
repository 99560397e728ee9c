/** Finds out whether a message with an unknown outcome arrived; Discord remembers a nonce for some minutes only. */

import { type Fields, fields, fieldsList, integer, isFields, string } from '../../shared/read.ts';
import { type DiscordApi, DiscordError } from '../connect/api.ts';
import { id, idAt } from '../decode/read.ts';
import type { DiscordPart } from './parts.ts';

/** Clocks differ, and the first attempt began shortly before its time was recorded. */
const SLACK_MS = 10_000;

/**
 * Returns the ID of our message in `channel` from `since` (milliseconds) on with this nonce or, since Discord may omit
 * nonces, with the same text, files and buttons. @throws DiscordError
 */
export async function findSent(
  api: DiscordApi,
  channel: string,
  since: number,
  wanted: { account: string; nonce: string; part: DiscordPart },
): Promise<string | undefined> {
  // The bot's account is known once connected; before, nothing would be found.
  if (wanted.account === '') throw new DiscordError('unreachable', 'Discord is not connected yet');
  const query = { after: idAt(since - SLACK_MS), limit: '100' };
  const found = await api.call('GET', `/channels/${channel}/messages`, { query });
  const ours = (Array.isArray(found) ? found : [])
    .filter(isFields)
    .filter((message) => id(fields(message, 'author') ?? {}, 'id') === wanted.account);
  const match =
    ours.find((message) => string(message, 'nonce') === wanted.nonce) ??
    ours.find((message) => isSamePart(message, wanted.part));
  return match && id(match, 'id');
}

function isSamePart(message: Fields, part: DiscordPart): boolean {
  if ((string(message, 'content') ?? '').trim() !== part.content.trim()) return false;
  const sizes = fieldsList(message, 'attachments').map((file) => integer(file, 'size') ?? -1);
  if (String(sizes) !== String(part.files.map(({ size }) => size))) return false;
  const buttons = fieldsList(message, 'components').flatMap((row) => fieldsList(row, 'components'));
  const ids = buttons.map((button) => string(button, 'custom_id'));
  return String(ids) === String(part.rows.flat().map((button) => button.id));
}
