/**
 * Decodes messages and their edits. A mention in a channel starts a thread: its address has the message's own `ts` as
 * thread, so that replies below it belong to the same conversation. https://docs.slack.dev/reference/events/message/
 */

import type { EntryKind, InboundMessage } from '../../channel.ts';
import { emptyMessage } from '../../channel.ts';
import { type Fields, fields, fieldsList, string } from '../../shared/read.ts';
import {
  type DecodedEvent,
  dropped,
  givenName,
  isDirect,
  isOwn,
  millisOf,
  readId,
  readTs,
  readUser,
  type Self,
  slackAddress,
} from './base.ts';
import { readFiles } from './files.ts';
import { readQuotes } from './quotes.ts';
import { readWhole } from './whole.ts';

/** Subtypes of messages in which somebody writes something; the others report channel events. */
const SPOKEN = new Set(['file_share', 'me_message', 'thread_broadcast', 'bot_message']);

/**
 * Decodes a `message` or `app_mention`. A mention arrives as both, with the same `id`. A mention added by an edit
 * arrives as a `message_changed` and as an edited `app_mention`. A message from the history may be edited too, but
 * counts as new.
 */
export function decodeMessage(event: Fields, self: Self): DecodedEvent {
  const subtype = string(event, 'subtype');
  if (subtype === 'message_changed') return decodeEdit(event, self);
  if (subtype !== undefined && !SPOKEN.has(subtype)) return dropped(`message.${subtype}`);
  const chat = readId(event, 'channel');
  const ts = readTs(event, 'ts');
  if (chat === undefined || ts === undefined) return dropped('malformed');
  const edited = event.type === 'app_mention' ? readTs(fields(event, 'edited') ?? {}, 'ts') : undefined;
  const place = { self, chat, ts, began: false };
  if (edited === undefined)
    return decodeSpoken(event, { ...place, kind: 'message', id: `m:${ts}`, sentAt: millisOf(ts) });
  return decodeSpoken(event, { ...place, kind: 'edit', id: editId(ts, edited), sentAt: millisOf(edited) });
}

function decodeEdit(event: Fields, self: Self): DecodedEvent {
  const now = fields(event, 'message');
  const before = fields(event, 'previous_message') ?? {};
  const edited = now && fields(now, 'edited');
  const chat = readId(event, 'channel');
  const ts = now && readTs(now, 'ts');
  if (!now || chat === undefined || ts === undefined) return dropped('malformed');
  const subtype = string(now, 'subtype');
  if (subtype !== undefined && !SPOKEN.has(subtype)) return dropped(`message_changed.${subtype}`);
  const at = edited && readTs(edited, 'ts');
  const [was, is] = [readWhole(before, self), readWhole(now, self)];
  const isSame = is.text === was.text && is.mentioned === was.mentioned;
  if (!at || isSame) return decodePreview(now, before, { self, chat, ts });
  const began = was.mentioned;
  return decodeSpoken(now, { self, chat, ts, kind: 'edit', id: editId(ts, at), sentAt: millisOf(at), began });
}

/** Decodes a change without an edit: a link's preview arrived, or a reply was counted. */
function decodePreview(
  now: Fields,
  before: Fields,
  { self, chat, ts }: { self: Self; chat: string; ts: string },
): DecodedEvent {
  const unchanged = dropped('message_changed.unchanged');
  if (linkedIn(now) <= linkedIn(before)) return unchanged;
  const place = { self, chat, ts, began: false };
  const whole = decodeSpoken(now, { ...place, kind: 'message', id: `m:${ts}`, sentAt: millisOf(ts) });
  return whole.kind === 'message' ? { kind: 'preview', message: whole.message } : unchanged;
}

const linkedIn = (message: Fields): number =>
  fieldsList(message, 'attachments').filter((body) => body.is_msg_unfurl === true).length;

const editId = (ts: string, at: string): string => `e:${ts}:${at}`;

interface Context {
  self: Self;
  chat: string;
  ts: string;
  kind: EntryKind;
  id: string;
  sentAt: number;
  /** Whether it started a thread before the edit. */
  began: boolean;
}

function decodeSpoken(body: Fields, context: Context): DecodedEvent {
  const { self, chat, ts, kind, id, sentAt } = context;
  const botId = readId(body, 'bot_id');
  const user = readId(body, 'user') ?? botId;
  if (user === undefined) return dropped('malformed');
  if (isOwn(body, self)) return decodeOwn(body, context);
  const words = readWhole(body, self);
  const { text } = words;
  const { files, facts } = readFiles(body);
  const isBot = botId !== undefined || user === 'USLACKBOT';
  const quotes = readQuotes(body, self);
  const direct = isDirect(chat);
  const isSomething = words.mentioned || text !== '' || files.length + facts.length + quotes.length > 0;
  if (!isSomething) return dropped('message.empty');
  const thread = threadOf(body, ts, !direct && (words.mentioned || context.began));
  const command = kind === 'message' ? words.command : undefined;
  const message: InboundMessage = {
    ...emptyMessage(),
    id,
    kind: command ? 'command' : kind,
    ...(kind === 'edit' && { editOf: `m:${ts}` }),
    address: slackAddress(self, chat, thread),
    sender: readUser(self, user, givenName(body), isBot),
    text,
    files,
    facts,
    quotes,
    ...(command && { command }),
    messageId: ts,
    ...(kind === 'message' && { sequence: Number(ts) }),
    isDirect: direct,
    isMention: words.mentioned,
    ...(thread !== undefined && { isThread: true }),
    ...(thread !== undefined && thread !== ts && { repliesTo: thread }),
    sentAt,
  };
  return { kind: 'message', message };
}

/** Drops our own messages, which are known, except the one that Slack created from our files. */
function decodeOwn(body: Fields, { self, chat, ts, kind }: Context): DecodedEvent {
  const files = fieldsList(body, 'files').flatMap((file) => readId(file, 'id') ?? []);
  if (kind !== 'message' || string(body, 'subtype') !== 'file_share' || files.length === 0) return dropped('own');
  return { kind: 'shared', address: slackAddress(self, chat, threadOf(body, ts, false)), files, ts };
}

/**
 * Returns the thread. The first message of a thread has no `thread_ts` when it arrives, and names itself once it has
 * replies.
 */
function threadOf(body: Fields, ts: string, begins: boolean): string | undefined {
  const thread = readTs(body, 'thread_ts');
  if (thread !== undefined && thread !== ts) return thread;
  return begins ? ts : undefined;
}
