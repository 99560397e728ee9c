/**
 * The queue of updates and long polling.
 *
 * An update is confirmed, and forgotten, when getUpdates is called with an offset higher than its id; until then every
 * call gives it again. A negative offset keeps only the newest. One poll at a time: a second one ends the first.
 */
import { type ApiError, badRequest, conflict } from './errors.ts';
import { integer, list, type Params } from './params.ts';

export interface Pending {
  update: { update_id: number; [kind: string]: unknown };
  /** Whether updates of one chat must reach a webhook in order. */
  lane: string;
  /** Sent with an ID that the test chose and not delivered yet: no offset confirms it before that. */
  forced: boolean;
}

export interface Updates {
  /** Queues an update unless the bot didn't request its kind. Returns its ID. */
  add(kind: string, payload: unknown, lane: string | number): number | undefined;
  /** Queues an update unchanged, for repetitions and unknown kinds. */
  addRaw(update: { update_id?: number; [kind: string]: unknown }): number;
  /** Answers a getUpdates call; `gone` registers a callback for a client that closes the connection. */
  poll(params: Params, gone: (then: () => void) => void): Promise<unknown[]>;
  /** Ends a waiting poll with an error; without one, it hangs forever. */
  endPoll(error?: ApiError): void;
  allow(kinds: string[] | undefined): void;
  allowed(): string[];
  pending: Map<number, Pending>;
  clear(): void;
  /** Called when something was queued, instead of answering a poll. Set while there is a webhook. */
  push: (() => void) | undefined;
  stats(): { pending: number; delivered: number; conflicts: number; isPolling: boolean };
}

const FIRST_ID = 500_000_001;
const LONGEST_POLL_SECONDS = 50;
/** Kinds that are sent only if requested by name. */
const ON_REQUEST = new Set(['chat_member', 'message_reaction', 'message_reaction_count']);

interface Poll {
  limit: number;
  resolve(updates: unknown[]): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

export function createUpdates(): Updates {
  const pending = new Map<number, Pending>();
  let kinds: Set<string> = new Set();
  let nextId = FIRST_ID;
  let key = 0;
  let poll: Poll | undefined;
  let isFlushing = false;
  let delivered = 0;
  let conflicts = 0;

  function first(limit: number): unknown[] {
    const batch: unknown[] = [];
    for (const entry of pending.values()) {
      entry.forced = false;
      batch.push(entry.update);
      if (batch.length === limit) break;
    }
    return batch;
  }

  function settle(updates: unknown[]): void {
    if (!poll) return;
    clearTimeout(poll.timer);
    delivered += updates.length;
    poll.resolve(updates);
    poll = undefined;
  }

  // Updates from one turn of the event loop arrive in one batch.
  function flush(): void {
    isFlushing = false;
    if (updates.push) updates.push();
    else if (poll && pending.size > 0) settle(first(poll.limit));
  }

  function queue(entry: Pending): number {
    key += 1;
    pending.set(key, entry);
    if (!isFlushing && (poll || updates.push)) {
      isFlushing = true;
      setImmediate(flush);
    }
    return entry.update.update_id;
  }

  function confirm(offset: number): void {
    if (offset < 0) {
      const forget = pending.size + offset;
      let at = 0;
      for (const id of pending.keys()) if (at++ < forget) pending.delete(id);
      return;
    }
    for (const [id, entry] of pending) if (!entry.forced && entry.update.update_id < offset) pending.delete(id);
  }

  const updates: Updates = {
    pending,
    push: undefined,
    add(kind, payload, lane) {
      if (kinds.size === 0 ? ON_REQUEST.has(kind) : !kinds.has(kind)) return undefined;
      return queue({ update: { update_id: nextId++, [kind]: payload }, lane: String(lane), forced: false });
    },
    addRaw(update) {
      const forced = update.update_id !== undefined;
      return queue({ update: { ...update, update_id: update.update_id ?? nextId++ }, lane: 'raw', forced });
    },
    async poll(params, gone) {
      updates.allow(list<string>(params, 'allowed_updates'));
      const offset = integer(params, 'offset') ?? 0;
      const limit = Math.min(Math.max(integer(params, 'limit') ?? 100, 1), 100);
      const seconds = Math.min(Math.max(integer(params, 'timeout') ?? 0, 0), LONGEST_POLL_SECONDS);
      if (poll) {
        conflicts += 1;
        updates.endPoll(
          conflict('terminated by other getUpdates request; make sure that only one bot instance is running'),
        );
      }
      confirm(offset);
      const batch = first(limit);
      if (batch.length > 0 || seconds === 0) {
        delivered += batch.length;
        return batch;
      }
      return new Promise<unknown[]>((resolve, reject) => {
        const timer = setTimeout(() => settle([]), seconds * 1000);
        const mine: Poll = { limit, resolve, reject, timer };
        poll = mine;
        gone(() => {
          clearTimeout(timer);
          if (poll === mine) poll = undefined;
        });
      });
    },
    endPoll(error) {
      if (!poll) return;
      clearTimeout(poll.timer);
      if (error) poll.reject(error);
      poll = undefined;
    },
    allow(asked) {
      if (asked === undefined) return;
      if (asked.some((kind) => typeof kind !== 'string'))
        throw badRequest('expected an Array of String as allowed updates');
      kinds = new Set(asked);
    },
    allowed: () => [...kinds],
    clear: () => pending.clear(),
    stats: () => ({ pending: pending.size, delivered, conflicts, isPolling: poll !== undefined }),
  };
  return updates;
}
