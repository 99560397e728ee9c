/**
 * Reads a message's whole content, in Slack's markup. `text` is complete only for what people type: tables are only in
 * blocks or attachments, and so is much of what apps write. What `text` already holds isn't repeated.
 */
import { type Fields, fields, list, string } from '../../shared/read.ts';
import type { Self } from './base.ts';
import { createReading, type Reading, readBlocks } from './blocks.ts';
import { readWords, type Words } from './text.ts';

const MAX_ATTACHMENTS = 20;
const MAX_PASSED_ON = 10;
/** A longer piece is searched for only at the start and end of the text, not inside. */
const MAX_SOUGHT = 2_000;
const NO_PREVIEW = '[no preview available]';

/** Reads a message, no matter who sent it. */
export function readWhole(message: Fields, self: Self): Words {
  return readTold([message, ...ownAttachments(message)], createReading(self));
}

/** Reads a message that was forwarded, or is shown below a link to it. */
export function readPassedOn(attachment: Fields, reading: Reading): Words {
  const inner = messagesIn(attachment).flatMap((message) => [{ blocks: message.blocks }, ...ownAttachments(message)]);
  const words = readTold([attachmentWords(attachment), ...inner, ...ownAttachments(attachment)], reading);
  return words.text !== '' || words.mentioned ? words : readWords(fallbackOf(attachment), reading.self);
}

/** Returns the messages that an attachment shows. */
export const messagesIn = (attachment: Fields): Fields[] =>
  list(attachment, 'message_blocks')
    .slice(0, MAX_PASSED_ON)
    .map((shown) => fields(shown, 'message') ?? {});

/** A part of a message: its text and its blocks. */
type Part = Fields;

/**
 * Returns attachments that belong to the message, such as tables and the old format of apps; previews of pages and
 * messages don't.
 */
function ownAttachments(message: Fields): Part[] {
  return list(message, 'attachments')
    .filter((body) => !isPreview(body))
    .slice(0, MAX_ATTACHMENTS)
    .map((body) => {
      const part = attachmentWords(body);
      return part.text === '' && list(body, 'blocks').length === 0 ? { text: fallbackOf(body) } : part;
    });
}

function isPreview(body: Fields): boolean {
  if (body.is_share === true || body.is_msg_unfurl === true || body.is_app_unfurl === true) return true;
  return ['from_url', 'original_url', 'app_unfurl_url'].some((key) => typeof body[key] === 'string');
}

function attachmentWords(body: Fields): { text: string; blocks: unknown } {
  const rows = list(body, 'fields').map((row) =>
    [string(row, 'title'), string(row, 'value')].filter(Boolean).join(': '),
  );
  const lines = [string(body, 'pretext'), string(body, 'title'), string(body, 'text'), ...rows];
  return { text: lines.filter(Boolean).join('\n'), blocks: body.blocks };
}

/** Returns the last resort for text; for many messages it only says that there is nothing to show. */
function fallbackOf(body: Fields): string {
  const fallback = string(body, 'fallback') ?? '';
  return fallback === NO_PREVIEW ? '' : fallback;
}

function readTold(parts: readonly Part[], reading: Reading): Words {
  reading.mentioned = false;
  let told: Told = { source: '', words: '' };
  for (const part of parts) {
    const text = (string(part, 'text') ?? '').slice(0, Math.max(0, reading.texts));
    reading.texts -= text.length;
    told = add(add(told, [text]), readBlocks(list(part, 'blocks'), reading));
  }
  const words = readWords(told.source, reading.self);
  return { ...words, mentioned: words.mentioned || reading.mentioned };
}

interface Told {
  source: string;
  /** See `wordsAlone`. */
  words: string;
}

/** Appends the new pieces; if together they hold everything read so far, they replace it, in their own order. */
function add(told: Told, sources: readonly string[]): Told {
  const pieces = sources.map((source): Told => ({ source, words: wordsAlone(source) }));
  const fresh = pieces.filter((piece) => !holds(told, piece));
  if (fresh.length === 0) return told;
  const all = joined(pieces);
  return holds(all, told) ? all : joined([told, ...fresh]);
}

const joined = (pieces: readonly Told[]): Told => ({
  source: pieces.map(({ source }) => source).join('\n'),
  words: pieces
    .map(({ words }) => words)
    .filter((words) => words !== '')
    .join(' '),
});

function holds(whole: Told, { source, words }: Told): boolean {
  if (words === '') return whole.source.includes(source.trim());
  const [hay, piece] = [` ${whole.words} `, ` ${words} `];
  return words.length > MAX_SOUGHT ? hay.startsWith(piece) || hay.endsWith(piece) : hay.includes(piece);
}

/**
 * Reduces a source to its words, without what a text and its blocks write differently: labels of IDs, marks, bullets,
 * emoji.
 */
function wordsAlone(source: string): string {
  return source
    .replace(/<([@#!][^<>|]{1,200})\|[^<>]{0,200}>/g, '<$1>')
    .replace(/&(amp|lt|gt);/g, ' ')
    .replace(/:[\w+'-]{1,100}:/g, ' ')
    .replace(/^[ \t>]{0,50}(?:\d{1,4}|[a-z]{1,4})[.)]\s/gim, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
