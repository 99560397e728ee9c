/**
 * Fetches what a Slack event leaves out, once the message is accepted: the names behind IDs, and the text of its
 * thread. Nothing is retried: an answer without it is better than none.
 * https://docs.slack.dev/reference/methods/conversations.replies/
 */
import type { Channel, InboundMessage, LookedUp, ThreadWords } from '../../channel.ts';
import { type Fields, fields, fieldsList, string, tidyLine } from '../../shared/read.ts';
import { readId, readTs, type Self } from '../decode/base.ts';
import { quoteOf } from '../decode/quotes.ts';
import type { SlackContext } from '../options.ts';
import { SlackError } from './api.ts';
import type { People } from './people.ts';

type LookUp = NonNullable<Channel['lookUp']>;

interface Range {
  oldest?: string;
  latest?: string;
}

/** Matches a mention of somebody whose name was unknown when the message was read. */
const UNNAMED = /@([UW][A-Z0-9]{5,23})\b/g;
/** Seconds to look back from the end of a long thread, to find its newest messages: Slack returns the oldest first. */
const LOOKS_BACK = [600, 6 * 3600, 86_400, 30 * 86_400, 400 * 86_400, Number.POSITIVE_INFINITY];
const ENOUGH = 30;
const NOTICES: ReadonlySet<string> = new Set(['file_share', 'me_message', 'thread_broadcast', 'bot_message']);

export function createMissing(slack: SlackContext, { meet }: { meet: People['meet'] }): LookUp {
  const { api, log } = slack;

  /** Reads messages newer than `oldest` and older than `latest`, plus the first message of the thread. */
  async function read(chat: string, ts: string, range: Range, { limit, pages }: { limit: number; pages: number }) {
    const messages: Fields[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < pages && (page === 0 || cursor); page++) {
      const params = { channel: chat, ts, limit, ...range, ...(cursor && { cursor }) };
      const answer = await api.call('conversations.replies', params);
      messages.push(...fieldsList(answer, 'messages').filter((one) => page === 0 || one.ts !== ts));
      cursor = string(fields(answer, 'response_metadata') ?? {}, 'next_cursor');
    }
    return { messages, hasMore: Boolean(cursor) };
  }

  async function newest(chat: string, ts: string, range: Range): Promise<Fields[]> {
    const first = await read(chat, ts, range, { limit: 200, pages: 1 });
    if (!first.hasMore) return first.messages;
    const end = Number(range.latest ?? Date.now() / 1000);
    const root = first.messages.filter((one) => one.ts === ts);
    let replies = first.messages.filter((one) => one.ts !== ts);
    for (const seconds of LOOKS_BACK) {
      const oldest = Math.max(end - seconds, Number(range.oldest ?? 0)).toFixed(6);
      const found = await read(chat, ts, { ...range, oldest }, { limit: 999, pages: 5 });
      // A page that doesn't reach the end is older than the few messages that did.
      if (found.hasMore && seconds !== LOOKS_BACK[0]) break;
      replies = found.messages.filter((one) => one.ts !== ts);
      if (found.hasMore || replies.length >= ENOUGH) break;
    }
    return [...root, ...replies];
  }

  async function threadOf(
    { address, messageId }: InboundMessage,
    since: string | undefined,
    me: Self,
  ): Promise<LookedUp['thread']> {
    const { chat, thread } = address;
    if (thread === undefined) return undefined;
    const latest = messageId === '' ? undefined : messageId;
    const range = { ...(since !== undefined && { oldest: since }), ...(latest !== undefined && { latest }) };
    const all = await newest(chat, thread, range);
    const said = all.filter((one) => string(one, 'subtype') === undefined || NOTICES.has(string(one, 'subtype') ?? ''));
    await meet([...new Set(said.flatMap((one) => (me.nameOf(authorOf(one)) ? [] : unnamedIn(one))))]);
    const replies = said.filter((one) => one.ts !== thread);
    if (since !== undefined) return { replies: repliesOf(replies, me).filter(({ quote }) => !quote.fromSelf) };
    const begun = said.find((one) => one.ts === thread);
    const [root] = begun ? quoteOf(begun, 'thread', me) : [];
    if (root?.fromSelf) return 'ours';
    return { ...(root && { root }), replies: repliesOf(replies, me) };
  }

  return async (message, { thread }, signal) => {
    const me = slack.self;
    if (!me) return { message, problems: [] };
    const problems: string[] = [];
    const [, read] = await Promise.all([
      meet(idsIn(message)),
      thread &&
        threadOf(message, thread.since, me).catch((error: unknown) => {
          if (!(error instanceof SlackError) || signal.aborted) throw error;
          log.debug({ err: error, chat: message.address.chat }, 'a thread could not be read');
          if (thread.since === undefined) problems.push('The earlier messages of this thread could not be read');
          return undefined;
        }),
    ]);
    return { message: nameMentions(message, me), ...(read && { thread: read }), problems };
  };
}

const authorOf = (message: Fields): string => readId(message, 'user') ?? '';

/** Returns the author and the people mentioned. */
function unnamedIn(message: Fields): string[] {
  const author = authorOf(message);
  const mentioned = [...(string(message, 'text') ?? '').matchAll(/<@([UW][A-Z0-9]{2,23})[|>]/g)];
  return [...(/^[UW]/.test(author) ? [author] : []), ...mentioned.map(([, user = '']) => user)];
}

function repliesOf(messages: readonly Fields[], me: Self): ThreadWords['replies'] {
  return messages.flatMap((message) =>
    quoteOf(message, 'thread', me).map((quote) => ({ id: readTs(message, 'ts') ?? '', quote })),
  );
}

function idsIn({ text, quotes, sender }: InboundMessage): string[] {
  const texts = [text, ...quotes.map((quote) => quote.text)];
  const ids = texts.flatMap((each) => [...each.matchAll(UNNAMED)].map(([, user = '']) => user));
  return [...new Set([...(sender.name === sender.user && !sender.isBot ? [sender.user] : []), ...ids])];
}

function nameMentions(message: InboundMessage, me: Self): InboundMessage {
  const { sender } = message;
  const named = (text: string) => text.replace(UNNAMED, (token, user: string) => mention(me.nameOf(user)) ?? token);
  return {
    ...message,
    text: named(message.text),
    quotes: message.quotes.map((quote) => ({ ...quote, text: named(quote.text) })),
    sender: { ...sender, name: sender.name === sender.user ? (me.nameOf(sender.user) ?? sender.name) : sender.name },
  };
}

const mention = (name: string | undefined): string | undefined => name && `@${tidyLine(name, 100)}`;
