/** Checks the content of the bot's message, and converts it to what is stored. */
import { type Args, flag, structure, text } from './args.ts';
import { checkBlocks } from './blocks.ts';
import { ApiError, explained } from './errors.ts';
import type { Platform } from './platform.ts';
import { isRecord, type Json, type Stored } from './state.ts';
import { pingsOf } from './visible.ts';
import type { Draft } from './world.ts';

const MAX_TEXT = 40_000;
export const MAX_MARKDOWN_TEXT = 12_000;
/** The limit of `text` in chat.update in bytes, counted after `&`, `<` and `>` are escaped. */
const MAX_UPDATE_BYTES = 4000;

function escapedBytes(value: string): number {
  return Buffer.byteLength(value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
}

/** Throws ApiError `invalid_metadata_format`. */
export function metadataOf(args: Args): Stored['metadata'] {
  const value = structure(args, 'metadata', 'invalid_metadata_format');
  if (value === undefined) return undefined;
  if (!isRecord(value) || typeof value.event_type !== 'string' || !isRecord(value.event_payload)) {
    throw explained('invalid_metadata_format', 'event_type and event_payload are required');
  }
  return { event_type: value.event_type, event_payload: value.event_payload };
}

export interface Words {
  text: string | undefined;
  /** Absent if the call doesn't mention blocks. */
  blocks: Json[] | undefined;
}

/** Returns the content of a call. Throws ApiError for what the platform refuses. */
export function wordsOf(platform: Platform, args: Args, isUpdate = false): Words {
  const words = text(args, 'text');
  const markdown = text(args, 'markdown_text');
  const given = structure(args, 'blocks', 'invalid_blocks_format');
  const newId = () => platform.world.nextId('b');
  if (markdown !== undefined) {
    if (words !== undefined || given !== undefined) throw new ApiError('markdown_text_conflict');
    if (markdown.length > MAX_MARKDOWN_TEXT) throw new ApiError('msg_too_long');
    return { text: markdown, blocks: [{ type: 'markdown', text: markdown, block_id: newId() }] };
  }
  const blocks = given === undefined ? undefined : checkBlocks(given, newId);
  const hasAttachments = structure(args, 'attachments') !== undefined;
  if (!isUpdate && words === undefined && !blocks?.length && !hasAttachments) throw new ApiError('no_text');
  if (words === undefined && blocks === undefined && !hasAttachments && structure(args, 'metadata') === undefined) {
    throw new ApiError('no_text');
  }
  if (words !== undefined) {
    if (isUpdate ? escapedBytes(words) > MAX_UPDATE_BYTES : words.length > MAX_TEXT) throw new ApiError('msg_too_long');
    if (words.trim() === '' && !blocks?.length) throw new ApiError('no_text');
  }
  return { text: words, blocks };
}

/** Returns the initial form of a message of the bot. */
export function ownDraft(platform: Platform, words: string): Draft {
  const { userId, botId, appId } = platform.world.bot;
  return { user: userId, botId, appId, byBot: true, text: words };
}

/** Records whom this message notifies. */
export function notify(platform: Platform, stored: Stored, args: Args): void {
  if (stored.ephemeralFor !== undefined) return;
  const linksNames = flag(args, 'link_names') === true || text(args, 'parse') === 'full';
  platform.pings.push(...pingsOf(stored, linksNames));
}
