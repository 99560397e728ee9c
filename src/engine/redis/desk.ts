/**
 * Matches callers that wait for a lane with the sources of lanes. One loop polls each source, only while somebody waits
 * for what it has. Owners and everybody else have separate queues, so that a process that runs as many lanes of others
 * as it may takes no more of theirs. A lane taken without a caller is put back at the front.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FairLimits } from '../engine.ts';
import type { HeldLane } from './held.ts';
import type { Source, TakenJob } from './jobs.ts';
import { putJobBack } from './jobs.ts';

interface Claimer {
  wants: (kind: string) => boolean;
  resolve: (held: HeldLane | undefined) => void;
}

export interface DeskOptions {
  limitsOf: (kind: string) => FairLimits | undefined;
  /** Claims the lane of a taken job, if it has something to do. */
  open: (source: Source, taken: TakenJob) => Promise<HeldLane | undefined>;
  /** Prefetches this many lanes, of kinds that were claimed before, so that one-by-one claims wait less. */
  ahead: { count: number; wants: (kind: string) => boolean } | undefined;
  /** Returns a prefetched lane that nobody claimed before the end. */
  giveBack: (held: HeldLane) => void;
  onError: (error: unknown) => void;
}

/** The delay after a failure, in ms; the connection recovers by itself. */
const PAUSE_MS = 100;
/** Jobs requested at the same time from one queue. */
const AT_ONCE = 8;

export class Desk {
  readonly #options: DeskOptions;
  readonly #claimers: Claimer[] = [];
  /** Prefetched. */
  readonly #ready: HeldLane[] = [];
  #opening = 0;
  readonly #sources = new Set<Source>();
  /** Wakes loops that wait for a caller. */
  #idle: (() => void)[] = [];
  /** Running lanes of people who aren't owners, by kind. */
  readonly #others = new Map<string, number>();
  #isClosed = false;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  claim(wants: (kind: string) => boolean): Promise<HeldLane | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<HeldLane | undefined>();
    const at = this.#ready.findIndex((held) => held.isOwned && wants(held.source.kind));
    const [held] = at < 0 ? [] : this.#ready.splice(at, 1);
    if (held) resolve(held);
    else this.#claimers.push({ wants, resolve });
    this.#wake();
    return promise;
  }

  /** Starts polling the source. */
  serve(source: Source): void {
    if (this.#sources.has(source) || this.#isClosed) return;
    this.#sources.add(source);
    void this.#ask(source);
  }

  /** Call it when a lane isn't running any more. */
  ended(held: HeldLane): void {
    const { source } = held;
    const at = this.#ready.indexOf(held);
    if (at >= 0) this.#ready.splice(at, 1);
    if (source.laneClass === 'm') this.#count(source.kind, -1);
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    for (const { resolve } of this.#claimers.splice(0)) resolve(undefined);
    for (const held of this.#ready.splice(0)) this.#options.giveBack(held);
    this.#wake();
  }

  async #ask(source: Source): Promise<void> {
    while (!this.#isClosed) {
      if (!this.#mayTake(source)) {
        await new Promise<void>((resolve) => this.#idle.push(resolve));
        continue;
      }
      try {
        const taken = await source.next();
        if (taken) await this.#giveMore(source, taken);
      } catch (error) {
        this.#failed(error);
        await sleep(PAUSE_MS);
      }
    }
  }

  /**
   * Takes as many lanes at once as there are callers for, until the source is empty: where there is one, there may be
   * many.
   */
  async #giveMore(source: Source, first: TakenJob): Promise<void> {
    for (let taken = [first]; taken.length > 0; ) {
      for (const each of taken) void this.#give(source, each).catch((error: unknown) => this.#failed(error));
      const places = this.#isClosed ? 0 : Math.min(AT_ONCE, this.#places(source));
      const found = await Promise.all(Array.from({ length: places }, () => source.next(false)));
      taken = found.filter((each) => each !== undefined);
    }
  }

  /** Picks the caller before any await, so that no lane is opened for nobody. */
  async #give(source: Source, taken: TakenJob): Promise<void> {
    const mayTake = !this.#isClosed && this.#mayTake(source);
    const at = mayTake ? this.#claimers.findIndex(({ wants }) => wants(source.kind)) : -1;
    const [claimer] = at < 0 ? [] : this.#claimers.splice(at, 1);
    if (!mayTake) return putJobBack(taken);
    if (source.laneClass === 'm') this.#count(source.kind, 1);
    this.#opening++;
    let held: HeldLane | undefined;
    try {
      held = await this.#options.open(source, taken);
    } finally {
      this.#opening--;
      if (!held && source.laneClass === 'm') this.#count(source.kind, -1);
      if (!held && claimer && this.#isClosed) claimer.resolve(undefined);
      else if (!held && claimer) this.#claimers.unshift(claimer);
      if (held) this.#hand(held, claimer);
      // Also after a failure: a caller may still wait.
      this.#wake();
    }
  }

  #hand(held: HeldLane, claimer: Claimer | undefined): void {
    const at = claimer ? -1 : this.#claimers.findIndex(({ wants }) => wants(held.source.kind));
    const [other] = at < 0 ? [] : this.#claimers.splice(at, 1);
    const taker = claimer ?? other;
    if (taker) taker.resolve(held);
    else if (this.#isClosed) this.#options.giveBack(held);
    else this.#ready.push(held);
  }

  #failed(error: unknown): void {
    if (!this.#isClosed) this.#options.onError(error);
  }

  #mayTake(source: Source): boolean {
    return this.#places(source) > 0;
  }

  /** Returns how many lanes of this source have a taker. */
  #places({ kind, laneClass }: Source): number {
    const { limitsOf, ahead } = this.#options;
    const most = laneClass === 'o' ? Number.POSITIVE_INFINITY : (limitsOf(kind)?.others ?? Number.POSITIVE_INFINITY);
    const room = ahead?.wants(kind) ? Math.max(0, ahead.count - this.#ready.length - this.#opening) : 0;
    const wanted = this.#claimers.filter(({ wants }) => wants(kind)).length + room;
    return Math.min(wanted, most - (this.#others.get(kind) ?? 0));
  }

  #count(kind: string, by: number): void {
    this.#others.set(kind, (this.#others.get(kind) ?? 0) + by);
  }

  #wake(): void {
    const idle = this.#idle;
    this.#idle = [];
    for (const go of idle) go();
  }
}
