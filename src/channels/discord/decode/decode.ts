/**
 * Decodes a message of Discord's gateway or REST API into an InboundMessage. Pure, total (it never throws, whatever
 * JSON it gets) and cheap. https://discord.com/developers/docs/resources/message#message-object
 */

import type { InboundMessage } from '../../channel.ts';
import { emptyMessage } from '../../channel.ts';
import { type Fields, fields, integer, isFields, string } from '../../shared/read.ts';
import { slashCommandOf } from '../../shared/written-command.ts';
import { type Context, type DecodedEvent, dropped, inThread, readAddress, readSender } from './base.ts';
import { readCards } from './cards.ts';
import { readFacts } from './facts.ts';
import { readFiles } from './files.ts';
import { COMMAND } from './interaction.ts';
import { takesThreads } from './places.ts';
import { missingOriginal, readForwards, readReply, repliesTo, snapshots } from './quotes.ts';
import { hasFlag, id, timeOf } from './read.ts';
import { readWords } from './text.ts';

export type { Bot, Context, DecodedEvent } from './base.ts';

/** Default and reply. Other types are Discord's own notices, or copies of messages elsewhere. */
const SAID = new Set([0, 19]);
const HAS_THREAD = 1 << 5;
/** The longest time between an edit and its update. A pin or a preview sends an update with the time of an old edit. */
const FRESH_EDIT_MS = 600_000;

/**
 * Decodes a message that was created (`message`) or changed (`edit`). `message.id` is unique within (channel, account,
 * chat) and the same whether the message came live or was fetched: `m:<message id>`, `e:<message id>:<time of the
 * edit>`. Messages fetched over REST don't name their guild; it comes from the context's places.
 */
export function decodeMessage(body: unknown, kind: 'message' | 'edit', context: Context): DecodedEvent {
  if (!isFields(body)) return dropped('malformed');
  const messageId = id(body, 'id');
  const channelId = id(body, 'channel_id');
  const isWebhook = id(body, 'webhook_id') !== undefined;
  const sender = readSender(fields(body, 'author'), fields(body, 'member'), isWebhook);
  if (messageId === undefined || channelId === undefined || !sender) return dropped('malformed');
  if (sender.user === context.bot.account || id(body, 'application_id') === context.bot.application)
    return dropped('own');
  const type = integer(body, 'type') ?? 0;
  if (!SAID.has(type)) return dropped(`message.type-${type}`);
  const editedAt = Date.parse(string(body, 'edited_timestamp') ?? '');
  if (kind === 'edit' && !(context.now - editedAt < FRESH_EDIT_MS)) return dropped('message_update.no-edit');
  const sentAt = Date.parse(string(body, 'timestamp') ?? '');
  const guild = id(body, 'guild_id') ?? context.places.get(channelId)?.guild;
  const base: InboundMessage = {
    ...emptyMessage(),
    id: kind === 'edit' ? `e:${messageId}:${editedAt}` : `m:${messageId}`,
    ...(kind === 'edit' && { editOf: `m:${messageId}` }),
    kind,
    address: readAddress(channelId, guild, context),
    sender,
    messageId,
    ...(kind === 'message' && { sequence: Number(messageId) }),
    isDirect: guild === undefined,
    sentAt: kind === 'edit' ? editedAt : Number.isNaN(sentAt) ? timeOf(messageId) : sentAt,
  };
  return decodeContent(body, base, context);
}

function decodeContent(body: Fields, base: InboundMessage, context: Context): DecodedEvent {
  const passedOn = snapshots(body);
  const words = readWords(body, context);
  const cards = base.sender.isBot ? readCards(body) : '';
  const replied = repliesTo(body, context);
  const original = missingOriginal(body);
  const command = base.kind === 'message' ? slashCommandOf(words.text, `/${COMMAND}`, context.commands) : undefined;
  const message: InboundMessage = {
    ...base,
    text: [words.text, cards].filter((part) => part !== '').join('\n\n'),
    files: [body, ...passedOn].flatMap(readFiles).slice(0, 10),
    facts: [body, ...passedOn].flatMap(readFacts),
    quotes: [...readForwards(body, context), ...readReply(body, context)],
    ...(replied !== undefined && { repliesTo: replied }),
    ...(original && { original }),
    ...(command && { kind: 'command', command }),
    isMention: words.mentioned || replied !== undefined,
  };
  const isSomething =
    message.text !== '' || words.mentioned || passedOn.length + message.files.length + message.facts.length > 0;
  return isSomething ? { kind: 'message', message: placed(body, message, context) } : dropped('message.empty');
}

/** Adds the thread that the message is in or is about to get; a thread made from a message has that message's ID. */
function placed(body: Fields, message: InboundMessage, { places, threads }: Context): InboundMessage {
  const { address, isMention, isDirect, messageId } = message;
  if (isDirect) return message;
  if (address.thread !== undefined) return { ...message, ...inThread(address, places) };
  if (threads === 'off' || !isMention || !takesThreads(places.get(address.chat))) return message;
  const begun = hasFlag(body, HAS_THREAD);
  return {
    ...message,
    address: { ...address, thread: messageId },
    isThread: true,
    ...(!begun && { opensThread: true }),
  };
}
