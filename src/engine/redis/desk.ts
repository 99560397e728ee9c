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
  onError: (error: unknown) => void;
}

/** After a failure, which the connection mends by itself. */
const PAUSE_MS = 100;

export class Desk {
  readonly #options: DeskOptions;
  readonly #claimers: Claimer[] = [];
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
    this.#claimers.push({ wants, resolve });
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
  ended({ source }: Held): void {
    if (source.laneClass === 'm') this.#count(source.kind, -1);
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    for (const { resolve } of this.#claimers.splice(0)) resolve(undefined);
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
        if (taken) await this.#give(source, taken);
      } catch (error) {
        if (this.#isClosed) return;
        this.#options.onError(error);
        await sleep(PAUSE_MS);
      }
    }
  }

  async #give(source: Source, taken: Taken): Promise<void> {
    const at =
      this.#isClosed || !this.#mayTake(source) ? -1 : this.#claimers.findIndex(({ wants }) => wants(source.kind));
    const [claimer] = at < 0 ? [] : this.#claimers.splice(at, 1);
    if (!claimer) return putJobBack(taken);
    if (source.laneClass === 'm') this.#count(source.kind, 1);
    let held: Held | undefined;
    try {
      held = await this.#options.open(source, taken);
    } finally {
      if (!held) {
        if (source.laneClass === 'm') this.#count(source.kind, -1);
        if (this.#isClosed) claimer.resolve(undefined);
        else this.#claimers.unshift(claimer);
      }
    }
    if (held) claimer.resolve(held);
  }

  #mayTake({ kind, laneClass }: Source): boolean {
    const most = laneClass === 'o' ? undefined : this.#options.limitsOf(kind)?.others;
    if (most !== undefined && (this.#others.get(kind) ?? 0) >= most) return false;
    return this.#claimers.some(({ wants }) => wants(kind));
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
