/**
 * Formats text from outside for the model. A person's own text stays as it is; what they quote, forward or attach is
 * data (promise 35), wrapped in tags that it cannot close and stripped of characters that people don't see.
 */
import type { QuotedText } from '../../channels/channel.ts';
import { withoutHidden } from '../../lib/text.ts';
import { markRoleName } from './names.ts';

/** A file that came with a message, stored among the task's artifacts. */
export interface TurnFile {
  id: string;
  name: string;
  /** MIME type. */
  type: string;
  /** The size in bytes, if known. */
  size?: number | undefined;
  /** The quote that the file came with. */
  quote?: QuotedText;
}

/** The beginning of a document that came with a message, as far as it goes into the turn. */
export interface TurnDocument {
  id: string;
  name: string;
  text: string;
  /** The length of the whole document. */
  characters: number;
  /** Whether it is a web page, for which tools get the source instead of this text. */
  isPage: boolean;
  quote?: QuotedText;
}

export interface UserTurn {
  text: string;
  facts?: readonly string[];
  quotes?: readonly QuotedText[];
  /** Transcripts of recordings that aren't the person's own words. */
  recordings?: readonly { name: string; text: string; quote?: QuotedText }[];
  documents?: readonly TurnDocument[];
  files?: readonly TurnFile[];
  /** Only for group conversations outside the gateway; `assembleContext` names the speakers itself. */
  speaker?: string;
}

const QUOTE_LENGTH = 8_000;
const FACT_LENGTH = 500;

/**
 * Returns the text of a user message: quotes as data blocks, the person's own words, facts one per line, files by ID,
 * name, type and size. File contents are left out: the model reads files when it needs them.
 */
export function formatUserTurn({
  text,
  facts = [],
  quotes = [],
  recordings = [],
  documents = [],
  files = [],
  speaker,
}: UserTurn): string {
  const parts = quotes.map(formatQuote);
  for (const { name, text: said, quote } of recordings)
    parts.push(
      dataBlock('recording', clip(visibleText(said), QUOTE_LENGTH), { name: clipLine(name, 80), ...of(quote) }),
    );
  parts.push(...documents.filter((one) => one.text !== '').map(formatDocument));
  const words = visibleText(text).trim();
  if (words) parts.push(words);
  if (facts.length > 0)
    parts.push(facts.map((fact) => `[${clipLine(fact, FACT_LENGTH).replaceAll(']', ')')}]`).join('\n'));
  if (files.length > 0) parts.push(formatFiles(files));
  const turn = parts.join('\n\n');
  return speaker === undefined ? turn : bySpeaker(turn, speaker, [speaker]);
}

function formatQuote(quote: QuotedText): string {
  return dataBlock('quoted', clip(visibleText(quote.text), QUOTE_LENGTH), { kind: quote.kind, from: whose(quote) });
}

const whose = ({ from, fromSelf }: QuotedText): string => (fromSelf ? 'you' : markRoleName(clipLine(from, 64)));

const of = (quote: QuotedText | undefined): { from?: string } => (quote ? { from: whose(quote) } : {});

/** Formats the beginning of a document; a tool reads the rest page by page. */
function formatDocument({ id, name, text, characters, isPage, quote }: TurnDocument): string {
  const rest = characters - text.length;
  const how = isPage ? '' : `; read_file with path "${id}" reads all`;
  const more = rest > 0 ? `\n[... ${rest} of ${characters} characters follow${how}]` : '';
  return dataBlock('document', visibleText(text), { name: clipLine(name, 80), ...of(quote) }) + more;
}

/** Lists files, one per line. Names are quoted as JSON so that a hostile name cannot start a new line. */
export function formatFiles(files: readonly TurnFile[]): string {
  const lines = files.map(({ id, name, type, size, quote }) => {
    const bytes = size === undefined ? '' : `, ${formatSize(size)}`;
    const from = quote ? `, quoted from ${quote.fromSelf ? 'you' : JSON.stringify(whose(quote))}` : '';
    return `- ${id}: ${JSON.stringify(clipLine(name, 120))} (${clipLine(type, 100)}${bytes})${from}`;
  });
  return `Attached files (text: read_file with the id):\n${lines.join('\n')}`;
}

/**
 * Matches the beginning of a speaker's line, also with other brackets or Markdown marks. Skips link definitions, which
 * look alike.
 */
const SPEAKS =
  /^((?:[^\S\n]|[>#*_~`|+-])*)[[［【〔⟦]((?:[^[\]［］【】〔〕⟦⟧\n]|\[[^[\]\n]{0,100}\]){1,100})[\]］】〕⟧](?=[^\S\n]*[*_~`]{0,3}[:：﹕︓](?!\s*<?https?:))/gmu;

/**
 * Returns `[Name]: text`. Nothing in the text can pass for another speaker's line, including speakers who haven't
 * written yet.
 */
export function bySpeaker(text: string, speaker: string, everyone: readonly string[]): string {
  let safe = text.replace(SPEAKS, '$1($2)');
  for (const name of everyone) safe = safe.replaceAll(`[${speakerName(name)}]:`, `(${speakerName(name)}):`);
  return `[${speakerName(speaker)}]: ${safe}`;
}

const speakerName = (name: string): string => markRoleName(clipLine(name.replace(/[[\]]/g, ''), 64)) || 'someone';

/** Wraps text in `<name ...>` and `</name>`, and escapes tags of that name in the text. */
export function dataBlock(name: string, text: string, attributes: Record<string, string> = {}): string {
  const tags = new RegExp(`<(?=\\s*(?:/\\s*)?${name}\\b)`, 'gi');
  const marks = Object.entries(attributes).map(([key, value]) => ` ${key}="${value.replace(/["<>]/g, "'")}"`);
  return `<${name}${marks.join('')}>\n${text.replace(tags, '&lt;').trim()}\n</${name}>`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;

/** Removes characters that people don't see and normalizes line ends to newlines. */
export function visibleText(text: string): string {
  return withoutHidden(text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(CONTROLS, ''));
}

/** Returns the text on one line, without hidden characters, at most `length` long. */
export function clipLine(text: string, length: number): string {
  return clip(visibleText(text).replace(/\s+/g, ' ').trim(), length, ' ');
}

/** Keeps the start and the end of a text longer than `length`; a note between them counts the missing characters. */
export function clip(text: string, length: number, around = '\n'): string {
  if (text.length <= length) return text;
  const tail = Math.floor(length / 4);
  const note = `${around}[... ${text.length - length} characters cut ...]${around}`;
  return `${text.slice(0, length - tail).toWellFormed()}${note}${text.slice(-tail).toWellFormed()}`;
}

/** Formats a size for people: `512 bytes`, `12 KB`, `3.4 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1_048_576) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}
