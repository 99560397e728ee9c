/**
 * Who waits for a lane, and where lanes come from. Each source is asked by one loop, only while somebody waits for what it has. Owners
 * and everybody else wait in queues of their own, so that a process that has as many lanes of others in work as it may takes no more
 * of theirs. A lane that was taken for nobody is put back at the front.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FairLimits } from '../engine.ts';
import type { Held } from './held.ts';
import type { Source, Taken } from './jobs.ts';
import { putJobBack } from './jobs.ts';

interface Claimer {
  wants: (kind: string) => boolean;
  resolve: (held: Held | undefined) => void;
}

export interface DeskOptions {
  limitsOf: (kind: string) => FairLimits | undefined;
  /** Makes an owner of whoever has taken a job, if there is something to do in its lane. */
  open: (source: Source, taken: Taken) => Promise<Held | undefined>;
  /** Lanes that are taken before somebody asks, of kinds that somebody has asked for, so that whoever asks one by one waits less. */
  ahead: { count: number; wants: (kind: string) => boolean } | undefined;
  /** A lane that nobody has asked for before the end. */
  giveBack: (held: Held) => void;
  onError: (error: unknown) => void;
}

/** After a failure, which the connection mends by itself. */
const PAUSE_MS = 100;
/** Jobs asked for at the same time in one queue. */
const AT_ONCE = 8;

export class Desk {
  readonly #options: DeskOptions;
  readonly #claimers: Claimer[] = [];
  /** Taken ahead. */
  readonly #ready: Held[] = [];
  #opening = 0;
  readonly #sources = new Set<Source>();
  /** Loops that wait for somebody to want something. */
  #idle: (() => void)[] = [];
  /** By kind, lanes in work in the turn of somebody who is no owner. */
  readonly #others = new Map<string, number>();
  #isClosed = false;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  claim(wants: (kind: string) => boolean): Promise<Held | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<Held | undefined>();
    const at = this.#ready.findIndex((held) => held.isOwned && wants(held.source.kind));
    const [held] = at < 0 ? [] : this.#ready.splice(at, 1);
    if (held) resolve(held);
    else this.#claimers.push({ wants, resolve });
    this.#wake();
    return promise;
  }

  /** Asks there from now on. */
  serve(source: Source): void {
    if (this.#sources.has(source) || this.#isClosed) return;
    this.#sources.add(source);
    void this.#ask(source);
  }

  /** A lane is not in work any more. */
  ended(held: Held): void {
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

  /** Where there is one there may be many: as many are asked for at once as there is somebody for, until there are no more. */
  async #giveMore(source: Source, first: Taken): Promise<void> {
    for (let taken = [first]; taken.length > 0; ) {
      for (const each of taken) void this.#give(source, each).catch((error: unknown) => this.#failed(error));
      const places = this.#isClosed ? 0 : Math.min(AT_ONCE, this.#places(source));
      const found = await Promise.all(Array.from({ length: places }, () => source.next(false)));
      taken = found.filter((each) => each !== undefined);
    }
  }

  /** Whoever waits is chosen before anything is asked, so that no lane is opened for nobody. */
  async #give(source: Source, taken: Taken): Promise<void> {
    const mayTake = !this.#isClosed && this.#mayTake(source);
    const at = mayTake ? this.#claimers.findIndex(({ wants }) => wants(source.kind)) : -1;
    const [claimer] = at < 0 ? [] : this.#claimers.splice(at, 1);
    if (!mayTake) return putJobBack(taken);
    if (source.laneClass === 'm') this.#count(source.kind, 1);
    this.#opening++;
    let held: Held | undefined;
    try {
      held = await this.#options.open(source, taken);
    } finally {
      this.#opening--;
      if (!held && source.laneClass === 'm') this.#count(source.kind, -1);
      if (!held && claimer && this.#isClosed) claimer.resolve(undefined);
      else if (!held && claimer) this.#claimers.unshift(claimer);
      if (held) this.#hand(held, claimer);
      // Also after a failure: whoever waits has to be asked for again.
      this.#wake();
    }
  }

  #hand(held: Held, claimer: Claimer | undefined): void {
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

  /** For how many lanes of it there is somebody. */
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
