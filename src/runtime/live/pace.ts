/**
 * Decides whose turn it is to show progress. Places that share a limit of their platform share a queue: one turn per
 * `gapMs`, first come, first served. Invariants: a chat gets no turn while answers to it are pending or the platform
 * has said "slow down"; an answer counts as a turn, so that answers and progress together stay below the limit; memory
 * is bounded by the number of waiting tickets.
 */
import type { Address } from '../../channels/channel.ts';

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

interface Slot {
  nextAt: number;
  waiting: Map<object, { address: Address; gapMs: number; turn: PromiseWithResolvers<boolean> }>;
  timer: NodeJS.Timeout | undefined;
}

/** How often a place with pending answers is checked again, in ms. */
const BUSY_MS = 200;
const MAX_TIMER_MS = 2 ** 31 - 1;

export function createLivePace({ limitOf, isBusy }: LivePaceOptions): LivePace {
  const places = new Map<string, Slot>();

  function placeOf(key: string): Slot {
    const place = places.get(key) ?? { nextAt: 0, waiting: new Map(), timer: undefined };
    places.set(key, place);
    return place;
  }

  function hold(key: string, ms: number): void {
    const place = placeOf(key);
    place.nextAt = Math.max(place.nextAt, Date.now() + ms);
    again(key, place, ms);
  }

  function again(key: string, place: Slot, ms: number): void {
    clearTimeout(place.timer);
    place.timer = setTimeout(() => give(key, place), Math.min(ms, MAX_TIMER_MS)).unref();
  }

  /** Gives the turn to the first ticket whose chat has no pending answers. */
  function give(key: string, place: Slot): void {
    const now = Date.now();
    const isTime = now >= place.nextAt;
    if (isTime && place.waiting.size === 0) {
      clearTimeout(place.timer);
      places.delete(key);
      return;
    }
    const next = isTime && [...place.waiting].find(([, { address }]) => !isBusy(address));
    if (next) {
      const [ticket, { gapMs, turn }] = next;
      place.waiting.delete(ticket);
      place.nextAt = now + gapMs;
      turn.resolve(true);
    }
    const [first] = place.waiting.values();
    again(
      key,
      place,
      Math.max(place.nextAt - now, next || !isTime ? 0 : Math.max(10, Math.min(BUSY_MS, first?.gapMs ?? 0))),
    );
  }

  return {
    turn(address, ticket) {
      const { key, gapMs } = limitOf(address);
      const place = placeOf(key);
      const known = place.waiting.get(ticket);
      if (known) return known.turn.promise;
      const turn = Promise.withResolvers<boolean>();
      place.waiting.set(ticket, { address, gapMs, turn });
      if (place.waiting.size === 1) give(key, place);
      return turn.promise;
    },
    leave(address, ticket) {
      const place = places.get(limitOf(address).key);
      place?.waiting.get(ticket)?.turn.resolve(false);
      place?.waiting.delete(ticket);
    },
    limited: (address, ms) => hold(limitOf(address).key, ms),
    answered(address) {
      const { key, gapMs } = limitOf(address);
      hold(key, gapMs);
    },
  };
}
