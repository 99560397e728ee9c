/** Fetches what an accepted message refers to: the message it replies to, and the words of its thread. */
import {
  type Fields,
  type InboundMessage,
  type LookedUp,
  list,
  type QuotedText,
  string,
} from 'openviber-gateway/plugin';
import { CLIENT, type MatrixApi, MatrixError } from './api.ts';
import { type Around, decode } from './decode.ts';

const MAX_REPLIES = 50;

export async function lookUp(
  api: MatrixApi,
  { message, thread, around }: { message: InboundMessage; thread: { since?: string } | undefined; around: Around },
  signal: AbortSignal,
): Promise<LookedUp> {
  const problems: string[] = [];
  async function ask(path: readonly string[], what: string, query?: Record<string, string | number>) {
    try {
      return await api.call('GET', path, { signal, ...(query && { query }) });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof MatrixError)) throw error;
      problems.push(`${what} could not be fetched (${error.message})`);
      return undefined;
    }
  }
  const event = (id: string, what: string) => ask([...CLIENT, 'rooms', around.room, 'event', id], what);

  const { original } = message;
  const replied = original && (await event(original.message, 'the message that this one replies to'));
  const quote = replied && quoteOf(replied, 'reply', around);
  const completed = quote ? { ...message, quotes: [...message.quotes, quote] } : message;
  const root = message.address.thread;
  if (!thread || root === undefined) return { message: completed, problems };
  const path = ['_matrix', 'client', 'v1', 'rooms', around.room, 'relations', root, 'm.thread'];
  const found = await ask(path, 'the thread', { dir: 'b', limit: MAX_REPLIES });
  const first =
    thread.since === undefined && root !== message.id
      ? await event(root, 'the first message of the thread')
      : undefined;
  if (first?.sender === around.self) return { message: completed, thread: 'ours', problems };
  const replies = found ? repliesIn(list(found, 'chunk').toReversed(), { message, since: thread.since, around }) : [];
  const rootQuote = first && quoteOf(first, 'thread', around);
  return { message: completed, thread: { ...(rootQuote && { root: rootQuote }), replies }, problems };
}

function repliesIn(
  events: readonly Fields[],
  { message, since, around }: { message: InboundMessage; since: string | undefined; around: Around },
): { id: string; quote: QuotedText }[] {
  const from = since === undefined ? 0 : events.findIndex(({ event_id }) => event_id === since) + 1;
  const to = events.findIndex(({ event_id }) => event_id === message.id);
  return events.slice(from, to < 0 ? undefined : to).flatMap((event) => {
    const id = string(event, 'event_id');
    const quote = quoteOf(event, 'thread', around);
    return id === undefined || !quote || (since !== undefined && quote.fromSelf) ? [] : [{ id, quote }];
  });
}

/** Our own events are read as anybody's, so that a person's reply to one has its words. */
function quoteOf(event: Fields, kind: QuotedText['kind'], around: Around): QuotedText | undefined {
  const fromSelf = event.sender === around.self;
  const decoded = decode(event, fromSelf ? { ...around, self: '', selfName: undefined } : around);
  if (decoded.kind !== 'message' && decoded.kind !== 'number') return undefined;
  const { text, files, sender } = decoded.message;
  return { kind, from: sender.name, text, fromSelf, ...(files.length > 0 && { files }) };
}
