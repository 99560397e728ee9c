/**
 * Looks up the context of a turn's messages that their events didn't contain: names, originals, and earlier messages of
 * other people's threads that the viber is called into. A thread is quoted once, and then only what is new. The
 * position is stored after the message is in the session, so that a crash in between quotes it once more. The platform
 * has a few seconds; the message is answered in any case.
 */
import {
  type Channel,
  conversationKey,
  type InboundMessage,
  type LookedUp,
  type QuotedText,
  type ThreadWords,
} from '../../channels/channel.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import type { Entry } from '../contract/entry.ts';
import type { Gateway } from './gateway.ts';
import type { Intake } from './inbox-files.ts';

export interface LookedAround {
  /** The intake with the current form of its messages. */
  given: Intake;
  facts: string[];
  /** Stores how far threads were quoted. */
  settle(): Promise<void>;
}

/** How far a thread was quoted. `ours`: the thread began with a message to us, or hangs on one of this bot's. */
interface Mark {
  ours?: true;
  /** The task whose session holds what was quoted. */
  task?: string;
  upTo?: string;
  /** IDs of messages that the model received directly since a failed lookup. */
  known?: string[];
}

const LOOK_MS = 5_000;
const MARK_MS = 90 * 86_400_000;
/** Limits of a thread, including its first message. */
const MAX_MESSAGES = 30;
const MAX_CHARACTERS = 8_000;
const MAX_ROOT = 3_000;
/** The number of newest replies whose files are included. */
const MAX_WITH_FILES = 3;
const MAX_KNOWN = 50;

export async function lookAround(given: Intake, gw: Gateway): Promise<LookedAround> {
  const looked = await Promise.all(given.items.map((item) => lookAt(item, given, gw)));
  return {
    given: { ...given, items: looked.map(({ item }) => item) },
    facts: looked.flatMap(({ facts }) => facts),
    async settle() {
      for (const { note } of looked) await note?.();
    },
  };
}

interface ItemFacts {
  item: QueueItem<Entry>;
  facts: string[];
  note?: () => Promise<void>;
}

async function lookAt(item: QueueItem<Entry>, { items, intake, task }: Intake, gw: Gateway): Promise<ItemFacts> {
  const { message, job } = item.message;
  const channel = job ? undefined : gw.places.channelOf(message.address);
  if (!channel) return { item, facts: [] };
  const together = items.map((one) => one.message.message).filter((one) => isSameThread(one, message));
  // If a person writes several messages at once, the thread is quoted with the last of them.
  const mark = together.at(-1) === message ? await markOf(message, task.id, gw) : undefined;
  const wanted = mark && !mark.ours ? { thread: mark.upTo === undefined ? {} : { since: mark.upTo } } : {};
  const found: LookedUp = channel.lookUp
    ? await readAround(channel, message, wanted, intake, gw)
    : { message, problems: [] };
  const name = mark && found.thread !== 'ours' ? threadNameFact(message, mark) : [];
  const ids = together.map(({ messageId }) => messageId).filter(Boolean);
  const known = mark?.known ?? [];
  const quoted = typeof found.thread === 'object' ? newReplies(found.thread, ids, known) : undefined;
  // Where nothing is looked up, the first message is all that has to be known.
  const isNoted = mark !== undefined && (channel.lookUp !== undefined || mark.known === undefined);
  const next = isNoted ? nextMark(mark, found.thread, ids) : undefined;
  return {
    item: { ...item, message: { ...item.message, message: withQuotes(found.message, quoted?.quotes ?? []) } },
    facts: [...name, ...(quoted?.facts ?? []), ...found.problems],
    ...(next && { note: () => storeMark(message, { ...next, task: task.id }, gw) }),
  };
}

const isSameThread = (one: InboundMessage, other: InboundMessage): boolean =>
  conversationKey(one.address) === conversationKey(other.address);

/** Tells the name of a thread once: of one that others have begun, or whose first message is to us. */
function threadNameFact({ threadName, address, messageId, opensThread }: InboundMessage, mark: Mark): string[] {
  const isFirst = mark.ours ? address.thread === messageId && !opensThread : mark.upTo === undefined && !mark.known;
  return isFirst && threadName !== undefined ? [`The thread is called ${JSON.stringify(threadName)}`] : [];
}

/** Returns undefined outside of threads; in direct messages everything is known. */
async function markOf(message: InboundMessage, taskId: string, { engine }: Gateway): Promise<Mark | undefined> {
  const { thread } = message.address;
  const isAny = message.isThread === true || message.threadName !== undefined;
  if (thread === undefined || message.isDirect || !isAny) return undefined;
  if (thread === message.messageId || message.opensThread) return { ours: true };
  const { task = taskId, ...mark } = readMark(await engine.state.get(threadMarkKey(message)));
  // Another task's session doesn't contain these quotes.
  return mark.ours || task === taskId ? mark : {};
}

const threadMarkKey = ({ address }: InboundMessage): string => `thread-told:${conversationKey(address)}`;

function readMark(text: string | undefined): Mark {
  const found = parseJson(text ?? '');
  const { ours, task, upTo, known } = isRecord(found) ? found : {};
  return {
    ...(ours === true && { ours }),
    ...(typeof task === 'string' && { task }),
    ...(typeof upTo === 'string' && { upTo }),
    ...(Array.isArray(known) && { known: known.filter((id) => typeof id === 'string') }),
  };
}

async function storeMark(message: InboundMessage, mark: Mark, { engine, log }: Gateway): Promise<void> {
  try {
    await engine.state.set(threadMarkKey(message), JSON.stringify(mark), MARK_MS);
  } catch (error) {
    log.warn({ err: error }, 'the position in a quoted thread could not be stored; it is quoted once more');
  }
}

function nextMark(mark: Mark, thread: LookedUp['thread'], ids: readonly string[]): Mark {
  if (mark.ours || thread === 'ours') return { ours: true };
  const known = [...(mark.known ?? []), ...ids].slice(-MAX_KNOWN);
  if (thread === undefined) return { ...mark, known };
  const all = [...thread.replies.map(({ id }) => id), ...known, ...(mark.upTo === undefined ? [] : [mark.upTo])];
  const upTo = all.reduce<string | undefined>(
    (last, id) => (last === undefined || isAfter(id, last) ? id : last),
    undefined,
  );
  return upTo === undefined ? {} : { upTo };
}

/** IDs of messages increase on every platform that has threads. */
const isAfter = (one: string, other: string): boolean =>
  one.length === other.length ? one > other : one.length > other.length;

async function readAround(
  channel: Channel,
  message: InboundMessage,
  wanted: { thread?: { since?: string } },
  intake: AbortSignal,
  { log }: Gateway,
): Promise<LookedUp> {
  const signal = AbortSignal.any([intake, AbortSignal.timeout(LOOK_MS)]);
  const problems =
    wanted.thread && !wanted.thread.since ? ['The earlier messages of this thread could not be read'] : [];
  const nothing: LookedUp = { message, problems };
  const over = Promise.withResolvers<LookedUp>();
  const giveUp = () => over.resolve(nothing);
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([channel.lookUp?.(message, wanted, signal) ?? nothing, over.promise]);
  } catch (error) {
    log.debug({ err: error, channel: channel.id }, 'the context of a message could not be looked up');
    return nothing;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

function newReplies(
  { root, replies }: ThreadWords,
  ids: readonly string[],
  known: readonly string[],
): { quotes: QuotedText[]; facts: string[] } {
  // This bot's own answers since a failed lookup are in the session.
  const isNew = ({ id, quote }: ThreadWords['replies'][number]) =>
    !ids.includes(id) && !known.includes(id) && !(quote.fromSelf && known.length > 0);
  const fresh = replies.filter(isNew);
  const first = root && { ...root, text: shortened(root.text, MAX_ROOT) };
  let room = MAX_CHARACTERS - (first?.text.length ?? 0);
  let places = MAX_MESSAGES - (first ? 1 : 0);
  const last: QuotedText[] = [];
  for (const { quote } of fresh.toReversed()) {
    if (places-- <= 0 || room < Math.min(quote.text.length, 200)) break;
    const text = shortened(quote.text, room);
    room -= text.length;
    const { files, ...words } = quote;
    last.unshift({ ...words, text, ...(files && !quote.fromSelf && last.length < MAX_WITH_FILES && { files }) });
  }
  const quotes = [...(first ? [first] : []), ...last];
  if (quotes.length === 0) return { quotes, facts: [] };
  const left = fresh.length - last.length;
  const how = root ? 'its first message and the newest replies' : 'what is new';
  const more = left > 0 ? `; ${left} older ${left === 1 ? 'message is' : 'messages are'} left out` : '';
  return { quotes, facts: [`Quoted as "thread": what was said in this thread, ${how}${more}`] };
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1)).toWellFormed()}…`;
}

const withQuotes = (message: InboundMessage, quotes: readonly QuotedText[]): InboundMessage =>
  quotes.length === 0 ? message : { ...message, quotes: [...quotes, ...message.quotes] };
