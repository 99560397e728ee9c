/**
 * Decides whose turn it is to show progress. Places that share a limit of their platform share a queue: one turn per
 * `gapMs`, first come, first served. Invariants: a chat gets no turn while answers to it are pending or the platform
 * has said "slow down"; an answer counts as a turn, so that answers and progress together stay below the limit; memory
 * is bounded, and a place where nobody waits has no timer.
 */
import type { Address } from '../../channels/channel.ts';
import { createLru } from '../../lib/lru.ts';

export interface LivePace {
  /**
   * Resolves to true when it is the turn of `ticket`, to false if the ticket has left. Calling it again doesn't prolong
   * the wait.
   */
  turn(address: Address, ticket: object): Promise<boolean>;
  leave(address: Address, ticket: object): void;
  /** Gives no turn here for this many ms. */
  limited(address: Address, ms: number): void;
  /** Counts an answer that is about to be sent there. */
  answered(address: Address): void;
}

export interface LivePaceOptions {
  /** Returns the limit of a place; places with the same key share it. */
  limitOf: (address: Address) => { key: string; gapMs: number };
  isBusy: (address: Address) => boolean;
}

interface Queue {
  waiting: Map<object, { address: Address; gapMs: number; turn: PromiseWithResolvers<boolean> }>;
  timer: NodeJS.Timeout | undefined;
}

/** The most places whose next turn is remembered; an evicted one gets its next turn early. */
const MAX_PLACES = 5_000;
/** How often a place with pending answers is checked again, in ms. */
const BUSY_MS = 200;
const MAX_TIMER_MS = 2 ** 31 - 1;

export function createLivePace({ limitOf, isBusy }: LivePaceOptions): LivePace {
  /** Queues with somebody in them, and when each place may have its next turn. */
  const queues = new Map<string, Queue>();
  const nextTurns = createLru<number>(MAX_PLACES);

  function hold(key: string, ms: number): void {
    nextTurns.set(key, Math.max(nextTurns.get(key) ?? 0, Date.now() + ms));
    const queue = queues.get(key);
    if (queue) again(key, queue, ms);
  }

  function again(key: string, queue: Queue, ms: number): void {
    clearTimeout(queue.timer);
    queue.timer = setTimeout(() => give(key, queue), Math.min(ms, MAX_TIMER_MS)).unref();
  }

  function remove(key: string, queue: Queue, ticket: object): void {
    queue.waiting.delete(ticket);
    if (queue.waiting.size > 0) return;
    clearTimeout(queue.timer);
    queues.delete(key);
  }

  /** Gives the turn to the first ticket whose chat has no pending answers. */
  function give(key: string, queue: Queue): void {
    const now = Date.now();
    const wait = (nextTurns.get(key) ?? 0) - now;
    const next = wait > 0 ? undefined : [...queue.waiting].find(([, { address }]) => !isBusy(address));
    if (next) {
      const [ticket, { gapMs, turn }] = next;
      nextTurns.set(key, now + gapMs);
      remove(key, queue, ticket);
      turn.resolve(true);
    }
    const [first] = queue.waiting.values();
    if (!first) return;
    again(key, queue, next ? next[1].gapMs : wait > 0 ? wait : Math.max(10, Math.min(BUSY_MS, first.gapMs)));
  }

  return {
    turn(address, ticket) {
      const { key, gapMs } = limitOf(address);
      const queue = queues.get(key) ?? { waiting: new Map(), timer: undefined };
      const known = queue.waiting.get(ticket);
      if (known) return known.turn.promise;
      const turn = Promise.withResolvers<boolean>();
      queue.waiting.set(ticket, { address, gapMs, turn });
      queues.set(key, queue);
      if (queue.waiting.size === 1) give(key, queue);
      return turn.promise;
    },
    leave(address, ticket) {
      const { key } = limitOf(address);
      const queue = queues.get(key);
      queue?.waiting.get(ticket)?.turn.resolve(false);
      if (queue) remove(key, queue, ticket);
    },
    limited: (address, ms) => hold(limitOf(address).key, ms),
    answered(address) {
      const { key, gapMs } = limitOf(address);
      hold(key, gapMs);
    },
  };
}
