/**
 * Words in a message that are not its sender's own: messages passed on, or linked to and shown below. They are data, never
 * instructions, so they never reach `text`, `command` or `isMention`. Previews of web pages are left out.
 * https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments/
 */
import type { QuotedText } from '../../channel.ts';
import { type Fields, list, oneLine, string } from '../../shared/read.ts';
import { readId, type Self } from './base.ts';
import { readFiles } from './files.ts';
import { readPassedOn } from './whole.ts';

const MAX_QUOTES = 10;

export function readQuotes(message: Fields, self: Self): QuotedText[] {
  const quotes: QuotedText[] = [];
  for (const body of list(message, 'attachments').slice(0, MAX_QUOTES)) {
    if (body.is_share !== true && body.is_msg_unfurl !== true) continue;
    const text = quotedText(body, self);
    if (text === '') continue;
    const { files } = readFiles(body);
    const author = readId(body, 'author_id');
    const name = oneLine(string(body, 'author_name') ?? string(body, 'author_subname') ?? '', 100);
    quotes.push({
      kind: body.is_share === true ? 'forward' : 'quote',
      from: (author !== undefined && self.nameOf(author)) || name || author || 'unknown',
      text,
      ...(files.length > 0 && { files }),
      fromSelf: author === self.userId,
    });
  }
  return quotes;
}

function quotedText(body: Fields, self: Self): string {
  const words = readPassedOn(body, self).text;
  const { files, facts } = readFiles(body);
  const things = [...files.map((file) => `${file.kind} ${file.name}`), ...facts].map((thing) => `[${thing}]`);
  return [words, ...things].filter((part) => part !== '').join('\n');
}
