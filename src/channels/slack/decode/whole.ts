/**
 * Reads a message's whole content, in Slack's markup. `text` is complete only for what people type: tables are only in
 * blocks or attachments, and so is much of what apps write. What `text` already holds isn't repeated.
 */
import { type Fields, fields, fieldsList, string } from '../../shared/read.ts';
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
  return readParts([message, ...ownAttachments(message)], createReading(self));
}

/** Reads a message that was forwarded, or is shown below a link to it. */
export function readPassedOn(attachment: Fields, reading: Reading): Words {
  const inner = messagesIn(attachment).flatMap((message) => [{ blocks: message.blocks }, ...ownAttachments(message)]);
  const words = readParts([attachmentWords(attachment), ...inner, ...ownAttachments(attachment)], reading);
  return words.text !== '' || words.mentioned ? words : readWords(fallbackOf(attachment), reading.self);
}

/** Returns the messages that an attachment shows. */
export const messagesIn = (attachment: Fields): Fields[] =>
  fieldsList(attachment, 'message_blocks')
    .slice(0, MAX_PASSED_ON)
    .map((shown) => fields(shown, 'message') ?? {});

/** A part of a message: its text and its blocks. */
type Part = Fields;

/**
 * Returns attachments that belong to the message, such as tables and the old format of apps; previews of pages and
 * messages don't.
 */
function ownAttachments(message: Fields): Part[] {
  return fieldsList(message, 'attachments')
    .filter((body) => !isPreview(body))
    .slice(0, MAX_ATTACHMENTS)
    .map((body) => {
      const part = attachmentWords(body);
      return part.text === '' && fieldsList(body, 'blocks').length === 0 ? { text: fallbackOf(body) } : part;
    });
}

function isPreview(body: Fields): boolean {
  if (body.is_share === true || body.is_msg_unfurl === true || body.is_app_unfurl === true) return true;
  return ['from_url', 'original_url', 'app_unfurl_url'].some((key) => typeof body[key] === 'string');
}

function attachmentWords(body: Fields): { text: string; blocks: unknown } {
  const rows = fieldsList(body, 'fields').map((row) =>
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

function readParts(parts: readonly Part[], reading: Reading): Words {
  reading.mentioned = false;
  let told: MessageText = { source: '', words: '', signs: '' };
  for (const part of parts) {
    const text = (string(part, 'text') ?? '').slice(0, Math.max(0, reading.texts));
    reading.texts -= text.length;
    told = appendPieces(appendPieces(told, [text]), readBlocks(fieldsList(part, 'blocks'), reading));
  }
  const words = readWords(told.source, reading.self);
  return { ...words, mentioned: words.mentioned || reading.mentioned };
}

interface MessageText {
  source: string;
  /** See `wordsAlone`. */
  words: string;
  /** See `signsAlone`. */
  signs: string;
}

/**
 * Appends the new pieces; if together they hold everything read so far, they replace it, in their own order. People see
 * the blocks rather than the text, so a sign that only the blocks have is new.
 */
function appendPieces(told: MessageText, sources: readonly string[]): MessageText {
  const pieces = sources.map(
    (source): MessageText => ({ source, words: wordsAlone(source), signs: signsAlone(source) }),
  );
  const all = joinPieces(pieces);
  const isSaidOtherwise = all.words === told.words && all.source.trim() !== '' && all.signs !== told.signs;
  const fresh = pieces.filter((piece) => !holds(told, piece) || !told.signs.includes(piece.signs));
  if (fresh.length === 0 && !isSaidOtherwise) return told;
  return holds(all, told) ? { ...all, source: withLabels(all.source, told.source) } : joinPieces([told, ...fresh]);
}

/** Adds the labels of IDs, which only texts have. */
function withLabels(source: string, text: string): string {
  const labels = new Map([...text.matchAll(LABELLED)].map(([whole, id = '']) => [`<${id}>`, whole]));
  return labels.size === 0 ? source : source.replace(/<[@#!][^<>|]{1,200}>/g, (id) => labels.get(id) ?? id);
}
const LABELLED = /<([@#!][^<>|]{1,200})\|[^<>]{0,200}>/g;

const joinPieces = (pieces: readonly MessageText[]): MessageText => ({
  source: pieces.map(({ source }) => source).join('\n'),
  words: pieces
    .map(({ words }) => words)
    .filter((words) => words !== '')
    .join(' '),
  signs: pieces.map(({ signs }) => signs).join(''),
});

function holds(whole: MessageText, { source, words }: MessageText): boolean {
  if (words === '') return whole.source.includes(source.trim());
  const [hay, piece] = [` ${whole.words} `, ` ${words} `];
  return words.length > MAX_SOUGHT ? hay.startsWith(piece) || hay.endsWith(piece) : hay.includes(piece);
}

/** Matches code with its language, which only blocks name. */
const FENCED = /^(`{3,})[\w+#.-]{1,30}(\n[\s\S]*?\n)\1$/gm;

/**
 * Reduces a source to its words, without what a text and its blocks write differently: labels of IDs, marks, bullets,
 * emoji.
 */
const wordsAlone = (source: string): string =>
  withoutMarks(source.replace(FENCED, '$2').replace(/&(amp|lt|gt);/g, ' '))
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Reduces a source to its words and the signs among them that change a meaning: `-5`, `5 < 3`, `done?`. */
const signsAlone = (source: string): string =>
  withoutMarks(source)
    .replace(/^[ \t]*(?:[-•◦▪*>]|&gt;)+\s/gm, ' ')
    .replace(/[^\p{L}\p{N}+±−<>=≠≤≥%$€£?!&;-]+/gu, '');

const withoutMarks = (source: string): string =>
  source
    .replace(LABELLED, '<$1>')
    .replace(/:[\w+'-]{1,100}:/g, ' ')
    .replace(/^[ \t>]{0,50}(?:\d{1,4}|[a-z]{1,4})[.)]\s/gim, ' ')
    .toLowerCase();
