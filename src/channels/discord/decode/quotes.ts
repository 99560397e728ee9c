/**
 * Reads text in a message that isn't the sender's own: forwarded or replied to. It is data, never an instruction, so it
 * never reaches `text`, `command` or `isMention`.
 * https://discord.com/developers/docs/resources/message#message-reference-types, #message-snapshot-object
 */
import type { InboundMessage, QuotedText } from '../../channel.ts';
import { type Fields, fields, fieldsList, integer, string } from '../../shared/read.ts';
import { type Context, personName } from './base.ts';
import { readCards } from './cards.ts';
import { readFacts } from './facts.ts';
import { readFiles } from './files.ts';
import { id } from './read.ts';
import { readWords } from './text.ts';

const FORWARD = 1;
const REPLY = 19;

/** Returns the forwarded messages; Discord allows one. */
export function snapshots(message: Fields): Fields[] {
  const reference = fields(message, 'message_reference');
  if (!reference || integer(reference, 'type') !== FORWARD) return [];
  return fieldsList(message, 'message_snapshots')
    .map((snapshot) => fields(snapshot, 'message'))
    .filter((snapshot) => snapshot !== undefined)
    .slice(0, 1);
}

/** Returns the forwarded text. A forward doesn't name its author, only its source. */
export function readForwards(message: Fields, context: Context): QuotedText[] {
  const source = sourceOf(message, context);
  return snapshots(message).map((snapshot) => ({
    kind: 'forward',
    from: source,
    text: quotedWords(snapshot, context, true)
      .filter((part) => part !== '')
      .join('\n'),
    fromSelf: false,
  }));
}

function sourceOf(message: Fields, { places }: Context): string {
  const place = places.get(id(fields(message, 'message_reference') ?? {}, 'channel_id') ?? '');
  return place?.name ? `#${place.name}` : 'another conversation';
}

export function readReply(message: Fields, context: Context): QuotedText[] {
  const replied = fields(message, 'referenced_message');
  const author = replied && fields(replied, 'author');
  if (!replied || !author || snapshots(message).length > 0) return [];
  return quoteOf(replied, 'reply', context);
}

/** Quotes a whole message; returns nothing if it is empty. */
export function quoteOf(message: Fields, kind: QuotedText['kind'], context: Context): QuotedText[] {
  const author = fields(message, 'author') ?? {};
  const text = describeMessage(message, context);
  if (text === '') return [];
  const userId = id(author, 'id') ?? '';
  const from = context.nameOf?.(userId) ?? personName(author, fields(message, 'member'));
  const files = [message, ...snapshots(message)].flatMap(readFiles);
  return [{ kind, from, text, ...(files.length > 0 && { files }), fromSelf: userId === context.bot.account }];
}

/** Returns the message replied to if Discord didn't include it, which it signals by omitting the field. */
export function missingOriginal(message: Fields): InboundMessage['original'] {
  if (integer(message, 'type') !== REPLY || message.referenced_message !== undefined) return undefined;
  const reference = fields(message, 'message_reference') ?? {};
  const answered = id(reference, 'message_id');
  const chat = id(reference, 'channel_id') ?? id(message, 'channel_id');
  return answered === undefined || chat === undefined ? undefined : { chat, message: answered };
}

/**
 * Returns the bot's own message that this one replies to. Without the original, a ping tells: a reply pings the
 * original's author without naming them in its text.
 */
export function repliesTo(message: Fields, { bot }: Context): string | undefined {
  if (integer(message, 'type') === REPLY && !fields(message, 'referenced_message')) {
    const isPing = fieldsList(message, 'mentions').some((user) => id(user, 'id') === bot.account);
    const isWritten = new RegExp(`<@!?${bot.account}>`).test(string(message, 'content') ?? '');
    return isPing && !isWritten ? id(fields(message, 'message_reference') ?? {}, 'message_id') : undefined;
  }
  const replied = fields(message, 'referenced_message') ?? {};
  const author = fields(replied, 'author');
  return author !== undefined && id(author, 'id') === bot.account ? id(replied, 'id') : undefined;
}

/** Returns a message's text with its other content in brackets. */
function describeMessage(message: Fields, context: Context): string {
  const inner = snapshots(message);
  const things = [message, ...inner].flatMap((part) => [
    ...readFiles(part).map((file) => `${file.kind} ${file.name}`),
    ...readFacts(part),
  ]);
  const author = fields(message, 'author') ?? {};
  const isBots = author.bot === true || id(message, 'webhook_id') !== undefined;
  const words = [
    ...quotedWords(message, context, isBots),
    ...(inner.length > 0 ? [`[passed on from ${sourceOf(message, context)}:]`] : []),
    ...inner.flatMap((part) => quotedWords(part, context, true)),
  ];
  return [...words, ...things.map((thing) => `[${thing}]`)].filter((part) => part !== '').join('\n');
}

function quotedWords(message: Fields, context: Context, hasCards: boolean): string[] {
  return [readWords(message, context).text, hasCards ? readCards(message) : ''];
}
