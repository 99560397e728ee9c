/**
 * Words in a message that are not its sender's own: messages passed on, or linked to and shown below. They are data, never
 * instructions, so they never reach `text`, `command` or `isMention`. Previews of web pages are left out.
 * https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments/
 */
import type { QuotedText } from '../../channel.ts';
import { type Fields, fields, list, oneLine, string } from '../../shared/read.ts';
import { readId, type Self } from './base.ts';
import { blockText } from './blocks.ts';
import { readFiles } from './files.ts';
import { readWords } from './text.ts';

const MAX_QUOTES = 10;
const NO_PREVIEW = '[no preview available]';

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

/** What another app writes in the old form of attachments, when its message holds nothing else. */
export function readAttachments(message: Fields, self: Self): string {
  const texts = list(message, 'attachments')
    .slice(0, MAX_QUOTES)
    .filter((body) => body.is_share !== true && body.is_msg_unfurl !== true)
    .map((body) => [string(body, 'title'), wordsOf(body)].filter(Boolean).join('\n'));
  return readWords(texts.filter((text) => text !== '').join('\n\n'), self).text;
}

function quotedText(body: Fields, self: Self): string {
  const words = readWords(wordsOf(body), self).text;
  const { files, facts } = readFiles(body);
  const things = [...files.map((file) => `${file.kind} ${file.name}`), ...facts].map((thing) => `[${thing}]`);
  return [words, ...things].filter((part) => part !== '').join('\n');
}

/** An app's words may stand in blocks alone; the last resort says of many messages only that there is nothing to show. */
function wordsOf(body: Fields): string {
  const passedOn = list(body, 'message_blocks')
    .slice(0, MAX_QUOTES)
    .flatMap((shown) => list(fields(shown, 'message') ?? {}, 'blocks'));
  const fallback = string(body, 'fallback') ?? '';
  const last = fallback === NO_PREVIEW ? '' : fallback;
  return string(body, 'text') || blockText(passedOn) || blockText(list(body, 'blocks')) || last;
}
