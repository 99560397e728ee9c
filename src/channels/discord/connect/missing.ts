/**
 * Fetches what a Discord event leaves out, over REST and once the message is accepted: the message replied to, names
 * behind IDs, and the text of a thread or forum post. Nothing is retried: an answer without it is better than none.
 * https://discord.com/developers/docs/resources/message#get-channel-messages
 */
import { createLru } from '../../../lib/lru.ts';
import type { Logger } from '../../../log.ts';
import type { Channel, InboundMessage, LookedUp, QuotedText, ThreadWords } from '../../channel.ts';
import { type Fields, fields, integer, isFields } from '../../shared/read.ts';
import { type Context, personName } from '../decode/base.ts';
import { quoteOf } from '../decode/quotes.ts';
import { id, isId, isLater } from '../decode/read.ts';
import { type DiscordApi, DiscordError } from './api.ts';

export interface MissingOptions {
  api: DiscordApi;
  context: () => Context | undefined;
  log: Logger;
}

type LookUp = NonNullable<Channel['lookUp']>;

const MAX_NAMES = 2000;
/** The most names fetched for one message. */
const NAMES_AT_ONCE = 5;
const MENTION = /<@!?(\d{1,20})>/g;
/** Types of messages from people, bots and commands, and of the one that starts a thread. */
const SAID: ReadonlySet<number> = new Set([0, 19, 20, 21, 23]);
const STARTER = 21;
/** The most that Discord returns at once. */
const PAGE = 100;

export function createMissing({ api, context, log }: MissingOptions): LookUp {
  /** '' for a name that could not be found. */
  const names = createLru<string>(MAX_NAMES);

  /** Returns undefined when Discord refuses or can't be reached. */
  async function ask(route: `/${string}`, signal: AbortSignal, query?: Record<string, string>): Promise<unknown> {
    try {
      return await api.call('GET', route, { signal, ...(query && { query }) });
    } catch (error) {
      if (!(error instanceof DiscordError) || signal.aborted) throw error;
      log.debug({ err: error }, "part of a message's context could not be read");
      return undefined;
    }
  }

  async function learn(user: string, guild: string | undefined, signal: AbortSignal): Promise<void> {
    const known = context()?.nameOf?.(user) ?? names.get(user);
    if (known !== undefined) return names.set(user, known);
    const member = guild === undefined ? undefined : await ask(`/guilds/${guild}/members/${user}`, signal);
    const found = isFields(member) ? fields(member, 'user') : await ask(`/users/${user}`, signal);
    names.set(user, isFields(found) ? personName(found, isFields(member) ? member : undefined) : '');
  }

  /** Adds names, which Discord omits for the people in a command's text and mostly in a forward. */
  async function named(message: InboundMessage, signal: AbortSignal): Promise<InboundMessage> {
    const texts = [message.text, ...message.quotes.map(({ text }) => text)];
    const ids = new Set(texts.flatMap((text) => [...text.matchAll(MENTION)].map(([, user = '']) => user)));
    if (ids.size === 0) return message;
    const { workspace } = message.address;
    await Promise.all([...ids].slice(0, NAMES_AT_ONCE).map((user) => learn(user, workspace, signal)));
    const withNames = (text: string) =>
      text.replace(MENTION, (token, user: string) => (names.get(user) ? `@${names.get(user)}` : token));
    const quotes = message.quotes.map((quote) => ({ ...quote, text: withNames(quote.text) }));
    return { ...message, text: withNames(message.text), quotes };
  }

  async function originalOf({ original }: InboundMessage, signal: AbortSignal): Promise<QuotedText[] | undefined> {
    const self = context();
    if (!original || !self) return [];
    const found = await ask(`/channels/${original.chat}/messages/${original.message}`, signal);
    return isFields(found) ? quoteOf(found, 'reply', self) : undefined;
  }

  /** Returns undefined if the thread could not be read. */
  async function threadOf(
    { address, messageId }: InboundMessage,
    since: string | undefined,
    signal: AbortSignal,
  ): Promise<LookedUp['thread'] | undefined> {
    const self = context();
    const { thread } = address;
    if (thread === undefined || !self) return undefined;
    const route = `/channels/${thread}/messages` as const;
    const before = messageId === '' ? {} : { before: messageId };
    const page = fieldsIn(await ask(route, signal, { limit: String(PAGE), ...before }));
    if (!page) return undefined;
    const said = page.toReversed().filter((one) => SAID.has(integer(one, 'type') ?? 0));
    if (since !== undefined) {
      const fresh = said.filter((one) => isLater(id(one, 'id') ?? '0', since));
      return { replies: repliesOf(fresh, self).filter(({ quote }) => !quote.fromSelf) };
    }
    const oldest = page.length < PAGE ? said[0] : fieldsIn(await ask(route, signal, { after: '0', limit: '1' }))?.[0];
    const [root] = oldest ? quoteOf(await begun(oldest, (at) => ask(at, signal)), 'thread', self) : [];
    if (root?.fromSelf) return 'ours';
    const rest = said.filter((one) => id(one, 'id') !== (oldest && id(oldest, 'id')));
    return { ...(root && { root }), replies: repliesOf(rest, self) };
  }

  return async (message, { thread }, signal) => {
    const [originals, read] = await Promise.all([
      originalOf(message, signal),
      thread && threadOf(message, thread.since, signal),
    ]);
    const problems = originals ? [] : ['The message that this one answers could not be read'];
    if (thread && !read && thread.since === undefined)
      problems.push('The earlier messages of this thread could not be read');
    const quotes = [...(originals ?? []), ...message.quotes];
    return { message: await named({ ...message, quotes }, signal), ...(read && { thread: read }), problems };
  };
}

const fieldsIn = (answer: unknown): Fields[] | undefined =>
  Array.isArray(answer) ? answer.filter(isFields) : undefined;

/** Returns the message that a thread is attached to: Discord shows a notice in its place, which holds it. */
function begunWith(message: Fields): Fields {
  const begun = integer(message, 'type') === STARTER ? fields(message, 'referenced_message') : undefined;
  return begun ?? message;
}

/** Returns the message that a thread is attached to, also if Discord's notice in its place doesn't hold it. */
async function begun(oldest: Fields, ask: (route: `/${string}`) => Promise<unknown>): Promise<Fields> {
  const { message_id: message, channel_id: channel } = fields(oldest, 'message_reference') ?? {};
  const isBare = integer(oldest, 'type') === STARTER && oldest.referenced_message === undefined;
  if (!isBare || !isId(message) || !isId(channel)) return begunWith(oldest);
  const found = await ask(`/channels/${channel}/messages/${message}`);
  return isFields(found) ? found : oldest;
}

function repliesOf(messages: readonly Fields[], self: Context): ThreadWords['replies'] {
  return messages.flatMap((message) =>
    quoteOf(begunWith(message), 'thread', self).map((quote) => ({ id: id(message, 'id') ?? '', quote })),
  );
}
