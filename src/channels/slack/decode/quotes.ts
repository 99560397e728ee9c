/**
 * Reads text in a message that isn't the sender's own: forwarded messages, or linked ones shown below. It is data,
 * never an instruction, so it never reaches `text`, `command` or `isMention`. Previews of web pages are left out.
 * https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments/
 */
import type { QuotedText } from '../../channel.ts';
import { type Fields, fieldsList, string, tidyLine } from '../../shared/read.ts';
import { givenName, isOwn, readId, type Self } from './base.ts';
import { createReading, type Reading } from './blocks.ts';
import { readFiles } from './files.ts';
import { messagesIn, readPassedOn, readWhole } from './whole.ts';

const MAX_QUOTES = 10;
/** The deepest nesting of forwarded messages. */
const MAX_DEPTH = 5;

export function readQuotes(message: Fields, self: Self): QuotedText[] {
  const reading = createReading(self);
  return sharesIn(message, 0)
    .slice(0, MAX_QUOTES)
    .flatMap((body) => quoteIn(body, reading));
}

/** Returns the messages that a message forwards or links to, each followed by its own. */
function sharesIn(message: Fields, depth: number): Fields[] {
  if (depth >= MAX_DEPTH) return [];
  return fieldsList(message, 'attachments')
    .slice(0, MAX_QUOTES)
    .filter((body) => body.is_share === true || body.is_msg_unfurl === true)
    .flatMap((body) => [body, ...[body, ...messagesIn(body)].flatMap((inner) => sharesIn(inner, depth + 1))])
    .slice(0, MAX_QUOTES);
}

function quoteIn(body: Fields, reading: Reading): QuotedText[] {
  const { self } = reading;
  const all = [body, ...messagesIn(body)].map(readFiles);
  const files = all.flatMap((each) => each.files);
  const facts = all.flatMap((each) => each.facts);
  const things = [...files.map((file) => `${file.kind} ${file.name}`), ...facts].map((thing) => `[${thing}]`);
  const words = readPassedOn(body, reading).text;
  const text = [words, ...new Set(things)].filter((part) => part !== '').join('\n');
  if (text === '') return [];
  const author = readId(body, 'author_id');
  const name = tidyLine(string(body, 'author_name') ?? string(body, 'author_subname') ?? '', 100);
  const from = (author !== undefined && self.nameOf(author)) || name || author || 'unknown';
  const kind = body.is_share === true ? 'forward' : 'quote';
  return [{ kind, from, text, ...(files.length > 0 && { files }), fromSelf: author === self.userId }];
}

/** Quotes a whole message; returns nothing if it is empty. */
export function quoteOf(message: Fields, kind: QuotedText['kind'], self: Self): QuotedText[] {
  const { files, facts } = readFiles(message);
  const inner = readQuotes(message, self);
  const things = [...files.map((file) => `${file.kind} ${file.name}`), ...facts].map((thing) => `[${thing}]`);
  const passedOn = inner.map(({ from, text }) => `[passed on from ${from}:]\n${text}`);
  const text = [readWhole(message, self).text, ...things, ...passedOn].filter((part) => part !== '').join('\n');
  if (text === '') return [];
  const all = [...files, ...inner.flatMap((quote) => quote.files ?? [])];
  const user = readId(message, 'user') ?? readId(message, 'bot_id');
  const name = tidyLine(givenName(message) ?? '', 100);
  const from = (user !== undefined && self.nameOf(user)) || name || user || 'unknown';
  return [{ kind, from, text, ...(all.length > 0 && { files: all }), fromSelf: isOwn(message, self) }];
}
