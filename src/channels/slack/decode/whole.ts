/**
 * All that a message says, in Slack's markup. `text` is the whole of it only where people have typed: tables stand in blocks or
 * attachments alone, and what apps say often does. What `text` holds already is not told again.
 */
import { type Fields, fields, list, string } from '../../shared/read.ts';
import type { Self } from './base.ts';
import { createReading, type Reading, readBlocks } from './blocks.ts';
import { readWords, type Words } from './text.ts';

const MAX_ATTACHMENTS = 20;
const MAX_PASSED_ON = 10;
/** A longer piece is looked for where others begin and end, and not in their midst. */
const MAX_SOUGHT = 2_000;
const NO_PREVIEW = '[no preview available]';

/** The words of a message by whoever has sent it. */
export function readWhole(message: Fields, self: Self): Words {
  return readTold([message, ...ownAttachments(message)], createReading(self));
}

/** The words of a message that was passed on, or is shown below a link to it. */
export function readPassedOn(attachment: Fields, reading: Reading): Words {
  const inner = messagesIn(attachment).flatMap((message) => [{ blocks: message.blocks }, ...ownAttachments(message)]);
  const words = readTold([attachmentWords(attachment), ...inner, ...ownAttachments(attachment)], reading);
  return words.text !== '' || words.mentioned ? words : readWords(fallbackOf(attachment), reading.self);
}

/** The messages that an attachment shows. */
export const messagesIn = (attachment: Fields): Fields[] =>
  list(attachment, 'message_blocks')
    .slice(0, MAX_PASSED_ON)
    .map((shown) => fields(shown, 'message') ?? {});

/** A part of a message: what it says, and its blocks. */
type Part = Fields;

/** Attachments that belong to the message, as tables do and what apps write in the old form; previews of pages and of messages don't. */
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

/** The last resort, which says of many messages only that there is nothing to show. */
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

/** What is new of the pieces follows; where they hold all that was told, they stand in its place, in their own order. */
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

/** What is left when nothing is counted that a text and its blocks write differently: labels of ids, marks, bullets, emoji. */
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
