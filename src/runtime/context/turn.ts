/**
 * Words from outside as text for the model. What a person wrote is theirs; what they quote, forward or attach is data
 * (promise 35), stands between marks it cannot close, and holds no character that a person would not see.
 */
import type { QuotedText } from '../../channels/channel.ts';
import { withoutHidden } from '../../lib/text.ts';
import { nameOf } from './names.ts';

/** A file that came with a message and lies in the task's artifacts. */
export interface TurnFile {
  id: string;
  name: string;
  /** MIME type. */
  type: string;
  /** Bytes, where known. */
  size?: number | undefined;
  /** It came with words that are quoted. */
  quote?: QuotedText;
}

/** A document that came with a message, as far as it stands there. */
export interface TurnDocument {
  id: string;
  name: string;
  text: string;
  /** Of the whole. */
  characters: number;
  /** Tools are given its source, not this text. */
  isPage: boolean;
  quote?: QuotedText;
}

export interface UserTurn {
  text: string;
  facts?: readonly string[];
  quotes?: readonly QuotedText[];
  /** What is said in recordings that are not the person's own words. */
  recordings?: readonly { name: string; text: string; quote?: QuotedText }[];
  documents?: readonly TurnDocument[];
  files?: readonly TurnFile[];
  /** Only for conversations of several people outside the gateway; `assembleContext` names speakers by itself. */
  speaker?: string;
}

const QUOTE_LENGTH = 8_000;
const FACT_LENGTH = 500;

/**
 * The text of a user message: quotes as data blocks, the person's own words, facts one a line, files by id, name, type
 * and size. Contents of files are never put in: the model reads them when it needs them.
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
      dataBlock('recording', clip(visibleText(said), QUOTE_LENGTH), { name: oneLine(name, 80), ...of(quote) }),
    );
  parts.push(...documents.filter((one) => one.text !== '').map(formatDocument));
  const words = visibleText(text).trim();
  if (words) parts.push(words);
  if (facts.length > 0)
    parts.push(facts.map((fact) => `[${oneLine(fact, FACT_LENGTH).replaceAll(']', ')')}]`).join('\n'));
  if (files.length > 0) parts.push(formatFiles(files));
  const turn = parts.join('\n\n');
  return speaker === undefined ? turn : bySpeaker(turn, speaker, [speaker]);
}

function formatQuote(quote: QuotedText): string {
  return dataBlock('quoted', clip(visibleText(quote.text), QUOTE_LENGTH), { kind: quote.kind, from: whose(quote) });
}

const whose = ({ from, fromSelf }: QuotedText): string => (fromSelf ? 'you' : nameOf(oneLine(from, 64)));

const of = (quote: QuotedText | undefined): { from?: string } => (quote ? { from: whose(quote) } : {});

/** A longer one is read on by a tool, a page at a time. */
function formatDocument({ id, name, text, characters, isPage, quote }: TurnDocument): string {
  const rest = characters - text.length;
  const how = isPage ? '' : `; read_file with path "${id}" reads all`;
  const more = rest > 0 ? `\n[... ${rest} of ${characters} characters follow${how}]` : '';
  return dataBlock('document', visibleText(text), { name: oneLine(name, 80), ...of(quote) }) + more;
}

/** One line a file. Names are quoted as JSON: a hostile one cannot begin a line of its own. */
export function formatFiles(files: readonly TurnFile[]): string {
  const lines = files.map(({ id, name, type, size, quote }) => {
    const bytes = size === undefined ? '' : `, ${formatSize(size)}`;
    const from = quote ? `, quoted from ${quote.fromSelf ? 'you' : JSON.stringify(whose(quote))}` : '';
    return `- ${id}: ${JSON.stringify(oneLine(name, 120))} (${oneLine(type, 100)}${bytes})${from}`;
  });
  return `Attached files (text: read_file with the id):\n${lines.join('\n')}`;
}

/** How a line of a speaker begins, also with other brackets and as Markdown; the definition of a link looks alike and is none. */
const SPEAKS =
  /^((?:[^\S\n]|[>#*_~`|+-])*)[[［【〔⟦]((?:[^[\]［］【】〔〕⟦⟧\n]|\[[^[\]\n]{0,100}\]){1,100})[\]］】〕⟧](?=[^\S\n]*[*_~`]{0,3}[:：﹕︓](?!\s*<?https?:))/gmu;

/** `[Name]: text`, where nothing in the text can pass for another speaker's line, nor for that of somebody yet to speak. */
export function bySpeaker(text: string, speaker: string, everyone: readonly string[]): string {
  let safe = text.replace(SPEAKS, '$1($2)');
  for (const name of everyone) safe = safe.replaceAll(`[${speakerName(name)}]:`, `(${speakerName(name)}):`);
  return `[${speakerName(speaker)}]: ${safe}`;
}

const speakerName = (name: string): string => nameOf(oneLine(name.replace(/[[\]]/g, ''), 64)) || 'someone';

/** Text between `<name ...>` and `</name>`, with the name's own tags in it made harmless. */
export function dataBlock(name: string, text: string, attributes: Record<string, string> = {}): string {
  const tags = new RegExp(`<(?=\\s*(?:/\\s*)?${name}\\b)`, 'gi');
  const marks = Object.entries(attributes).map(([key, value]) => ` ${key}="${value.replace(/["<>]/g, "'")}"`);
  return `<${name}${marks.join('')}>\n${text.replace(tags, '&lt;').trim()}\n</${name}>`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;

/** The text without characters that a person does not see; line ends as `\n`. */
export function visibleText(text: string): string {
  return withoutHidden(text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(CONTROLS, ''));
}

/** On one line, without hidden characters, at most `length` long. */
export function oneLine(text: string, length: number): string {
  return clip(visibleText(text).replace(/\s+/g, ' ').trim(), length, ' ');
}

/** Start and end of a text that is longer than `length`; what is missing is counted in the middle. */
export function clip(text: string, length: number, around = '\n'): string {
  if (text.length <= length) return text;
  const tail = Math.floor(length / 4);
  const note = `${around}[... ${text.length - length} characters cut ...]${around}`;
  return `${text.slice(0, length - tail).toWellFormed()}${note}${text.slice(-tail).toWellFormed()}`;
}

/** Bytes for people: `512 bytes`, `12 KB`, `3.4 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1_048_576) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}
