/**
 * All that a message says, in Slack's markup. `text` is the whole of it only where people have typed: tables stand in blocks or
 * attachments alone, and what apps say often does. What `text` holds already is not told again.
 */
import { type Fields, fields, list, string } from '../../shared/read.ts';
import type { Self } from './base.ts';
import { readBlocks } from './blocks.ts';
import { readWords, type Words } from './text.ts';

const MAX_ATTACHMENTS = 20;
const MAX_PASSED_ON = 10;
const NO_PREVIEW = '[no preview available]';

/** The words of a message by whoever has sent it. */
export function readWhole(message: Fields, self: Self): Words {
  return readTold([message, ...ownAttachments(message)], self);
}

/** The words of a message that was passed on, or is shown below a link to it. */
export function readPassedOn(attachment: Fields, self: Self): Words {
  const inner = list(attachment, 'message_blocks')
    .slice(0, MAX_PASSED_ON)
    .map((shown) => fields(shown, 'message') ?? {})
    .flatMap((message) => [{ blocks: message.blocks }, ...ownAttachments(message)]);
  const words = readTold([attachmentWords(attachment), ...inner, ...ownAttachments(attachment)], self);
  return words.text !== '' || words.mentioned ? words : readWords(fallbackOf(attachment), self);
}

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

function readTold(parts: readonly Part[], self: Self): Words {
  const told = parts.map((part) => ({
    text: string(part, 'text') ?? '',
    ...readBlocks(list(part, 'blocks'), self),
  }));
  const source = told.reduce((whole, { text, sources }) => add(add(whole, [text]), sources), '');
  const words = readWords(source, self);
  return { ...words, mentioned: words.mentioned || told.some(({ mentioned }) => mentioned) };
}

/** What is new of the pieces follows; where they hold all that was told, they stand in its place, in their own order. */
function add(told: string, pieces: readonly string[]): string {
  const fresh = pieces.filter((piece) => !holds(told, piece));
  if (fresh.length === 0) return told;
  const all = pieces.join('\n');
  return holds(all, told) ? all : [told, ...fresh].join('\n');
}

function holds(whole: string, piece: string): boolean {
  const words = wordsAlone(piece);
  return words === '' ? whole.includes(piece.trim()) : ` ${wordsAlone(whole)} `.includes(` ${words} `);
}

/** What is left when nothing is counted that a text and its blocks write differently: labels of ids, marks, bullets, emoji. */
function wordsAlone(source: string): string {
  return source
    .replace(/<([@#!][^<>|]{1,200})\|[^<>]{0,200}>/g, '<$1>')
    .replace(/&(amp|lt|gt);/g, ' ')
    .replace(/:[\w+'-]{1,100}:/g, ' ')
    .replace(/^[\s>]*(?:\d{1,4}|[a-z]{1,4})[.)]\s+/gim, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
