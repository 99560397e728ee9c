/**
 * The lanes of messages or of answers: a mailbox each (`lua/`), given to one owner at a time by a job of BullMQ
 * (`jobs.ts`).
 *
 * Invariants: a put is durable when it resolves. An owner keeps its lane for as long as its job's lock is renewed,
 * which this process does for all of its lanes at once. A lane it couldn't renew is lost, and its epoch changes nothing
 * any more.
 */
import { randomUUID } from 'node:crypto';
import { LeaseLost } from '../../errors.ts';
import { steadyNow } from '../../lib/clock.ts';
import { MAX_CRASHES, SUSPECT_FROM } from '../crashes.ts';
import type { FairLimits, Share } from '../engine.ts';
import { Desk, type DeskOptions } from './desk.ts';
import { HeldLane } from './held.ts';
import { delayJob, dropJob, Jobs, type Source, type TakenJob } from './jobs.ts';
import { allShards, prefixOf, type Side, shardOf, tagOf } from './keys.ts';
import type { Answer, RawItem, Scripts } from './scripts.ts';
import { isSameCode } from './seal.ts';
import { Suspects } from './suspects.ts';
import type { World } from './world.ts';

const NEVER = 1_000_000_000;
/** The delay before retrying a lane whose replicas were away, in ms. */
const UNCOPIED_MS = 1_000;
const SWEPT_AT_ONCE = 500;

export interface LanesOptions {
  side: Side;
  world: World;
  kindOf: (lane: string) => string;
  limitsOf: (kind: string) => FairLimits | undefined;
  /** How long the text of finished items is kept, in ms. */
  keepMs: number;
  ahead?: DeskOptions['ahead'];
  /**
   * Gives up items that were part of too many crashes and returns those it gave up, durably. Without it crashes aren't
   * counted.
   */
  onCrashed?: (lane: string, items: readonly RawItem[]) => Promise<readonly RawItem[]>;
}

export interface NewMessage {
  lane: string;
  id: string;
  message: string;
  by: Share;
  dedupeId: string;
  raw?: string | undefined;
  group?: string | undefined;
  notBefore?: number | undefined;
  source?: string | undefined;
  order?: number | undefined;
  maxDepth?: number | undefined;
  fence?: { key: string; epoch: number } | undefined;
}

export class Lanes {
  readonly #options: LanesOptions;
  readonly #world: World;
  readonly #scripts: Scripts;
  readonly #jobs: Jobs;
  readonly #desk: Desk;
  readonly #held = new Set<HeldLane>();
  readonly #suspects = new Suspects();
  /** The end of the last pending put, by lane. */
  readonly #puts = new Map<string, Promise<unknown>>();
  /** Background work without a caller. */
  readonly #pending = new Set<Promise<void>>();

  constructor(options: LanesOptions) {
    const { world, side, limitsOf } = options;
    this.#options = options;
    this.#world = world;
    this.#scripts = world.scripts;
    this.#jobs = new Jobs(side, { client: world.connections.bull, leaseMs: world.leaseMs, onError: world.onQuiet });
    const open = (source: Source, taken: TakenJob) => this.#open(source, taken);
    const giveBack = (held: HeldLane) => void this.#later(this.release(held));
    this.#desk = new Desk({ limitsOf, open, giveBack, ahead: options.ahead, onError: world.onQuiet });
  }

  prefix(lane: string): string {
    return prefixOf(this.#shard(lane), this.#options.side);
  }

  prefixes(): string[] {
    return allShards(this.#world.shards).map((shard) => prefixOf(shard, this.#options.side));
  }

  /** Puts in the order of the calls, which a reconnect in between would otherwise break. */
  put(put: NewMessage): Promise<Answer> {
    const { lane } = put;
    const before = this.#puts.get(lane);
    const done = before === undefined ? this.#put(put) : before.then(() => this.#put(put));
    const over = () => this.#puts.get(lane) === tail && this.#puts.delete(lane);
    const tail: Promise<unknown> = done.then(over, over);
    this.#puts.set(lane, tail);
    return done;
  }

  /** Starts polling lanes of these kinds, and waits for one of them. */
  claim(wants: (kind: string) => boolean, kinds: readonly string[]): Promise<HeldLane | undefined> {
    for (const kind of kinds) this.serve(kind);
    return this.#desk.claim(wants);
  }

  serve(kind: string): void {
    for (const shard of allShards(this.#world.shards)) {
      for (const laneClass of ['o', 'm'] as const) this.#desk.serve(this.#jobs.source(shard, kind, laneClass));
    }
  }

  /** @throws LeaseLost */
  async finish(held: HeldLane, ids: readonly string[]): Promise<void> {
    this.#ended(held, await this.owned(held, 'finish', { ids }));
  }

  async release(held: HeldLane, retryAt?: number): Promise<void> {
    if (!held.isOwned) return this.#forget(held);
    const answer = await this.run('release', held.lane, { epoch: held.epoch, retryAt });
    if (answer.what === 'lost') return this.#lose(held);
    this.#ended(held, answer);
  }

  async waiting(held: HeldLane): Promise<RawItem[]> {
    const maySuspect = this.#suspects.may(held.lane);
    return (await this.owned(held, 'waiting', { maySuspect, suspectFrom: SUSPECT_FROM })).items ?? [];
  }

  async take(held: HeldLane, items: readonly RawItem[]): Promise<void> {
    await this.owned(held, 'take', { ids: items.map(({ id }) => id) });
    this.#suspects.tookMore(held.lane, items);
  }

  /**
   * Runs a script that only the lane's owner may.
   * @throws LeaseLost
   */
  async owned(held: HeldLane, script: string, ask: object, ...more: string[]): Promise<Answer> {
    held.check();
    const answer = await this.run(script, held.lane, { ...ask, epoch: held.epoch }, ...more);
    if (answer.what !== 'lost') return answer;
    this.#lose(held);
    throw new LeaseLost(`${held.lane} has another owner (epoch ${held.epoch})`);
  }

  run(script: string, lane: string, ask: object, ...more: string[]): Promise<Answer> {
    const { keepMs, kindOf, limitsOf } = this.#options;
    const limit = limitsOf(kindOf(lane))?.perPerson ?? 0;
    const about = { lane, keepMs, seenMs: this.#world.seenMs, limit: Number.isFinite(limit) ? limit : 0, ...ask };
    return this.#scripts.run(script, this.prefix(lane), about, ...more);
  }

  /** @throws StorageError when too few replicas have written it */
  copied(): Promise<void> {
    return this.#scripts.copied();
  }

  /** Returns whether this home put exactly this message into this lane. */
  isOurs(lane: string, { id, message, seal = '' }: { id: string; message: string; seal?: string }): boolean {
    const code = this.#world.codeOf?.(this.#options.side, lane, id, message);
    return code === undefined || isSameCode(code, seal);
  }

  /** Accepts unsealed items as ours. */
  async sealAll(): Promise<void> {
    const { connections, codeOf } = this.#world;
    for (const prefix of codeOf ? this.prefixes() : [])
      for (const id of await connections.own.zrange(`${prefix}open`, '0', '-1')) {
        const key = `${prefix}item:${id}`;
        const [lane, message, seal] = await connections.own.hmget(key, 'lane', 'message', 'seal');
        if (typeof lane !== 'string' || typeof message !== 'string' || typeof seal === 'string') continue;
        await connections.own.hsetnx(key, 'seal', codeOf?.(this.#options.side, lane, id, message) ?? '');
        // It was just finished, and `hsetnx` created it again.
        if ((await connections.own.hexists(key, 'message')) === 0) await connections.own.del(key);
      }
  }

  /** Returns the lane if this process owns it. */
  ownedBy(lane: string): HeldLane | undefined {
    return [...this.#held].find((held) => held.lane === lane && held.isOwned);
  }

  /** Renews all leases, and drops those that can't be renewed. */
  async renew(): Promise<void> {
    const askedAt = steadyNow();
    const bySource = Map.groupBy(this.#held, ({ source }) => source);
    await Promise.all(
      [...bySource].map(async ([source, all]) => {
        const lost = await source.renew(all.map(({ taken }) => taken));
        for (const held of all) {
          if (lost.has(held.taken.job.id ?? '')) this.#lose(held);
          else held.prolong(askedAt + this.#world.leaseMs);
        }
      }),
    );
  }

  /** Drops leases that weren't renewed in time, even while the server is away. */
  expire(): void {
    for (const held of this.#held) if (!held.isOwned) this.#lose(held);
  }

  /** Adds a job to lanes that have none. */
  async sweep(): Promise<void> {
    for (const shard of allShards(this.#world.shards)) {
      const prefix = prefixOf(shard, this.#options.side);
      const jobs = `${tagOf(shard)}:${this.#options.side}-`;
      const ask = { limit: 0, jobs, count: SWEPT_AT_ONCE };
      for (let from = 0, seen = SWEPT_AT_ONCE; seen === SWEPT_AT_ONCE; from += SWEPT_AT_ONCE) {
        const answer = await this.#scripts.run('sweep', prefix, { ...ask, from });
        seen = answer.seen ?? 0;
        await this.#jobs.add(shard, answer.offers ?? []);
      }
    }
  }

  /** Frees the lanes of a process that is certainly gone, so that the stall check finds its jobs at once. */
  async free(process: string): Promise<void> {
    for (const shard of allShards(this.#world.shards)) {
      const ask = { process, limit: 0, jobs: `${tagOf(shard)}:${this.#options.side}-`, count: SWEPT_AT_ONCE };
      for (let from = 0, seen = SWEPT_AT_ONCE; seen === SWEPT_AT_ONCE; from += SWEPT_AT_ONCE)
        seen = (await this.#scripts.run('gone', prefixOf(shard, this.#options.side), { ...ask, from })).seen ?? 0;
    }
  }

  /** Ends all claims. */
  stop(): void {
    this.#desk.close();
  }

  async close(): Promise<void> {
    this.stop();
    await Promise.all(this.#pending);
    await this.#jobs.close();
  }

  /** Closes as a crash would. */
  async cut(): Promise<void> {
    this.stop();
    await this.#jobs.close();
  }

  async #put({ message, raw, by, ...ask }: NewMessage): Promise<Answer> {
    const { side, kindOf } = this.#options;
    const about = { ...ask, class: by.isOwner ? 'o' : 'm', person: by.person, kind: kindOf(ask.lane) };
    const seal = this.#world.codeOf?.(side, ask.lane, ask.id, message);
    const answer = await this.run('put', ask.lane, { ...about, seal, once: randomUUID() }, message, raw ?? '');
    // Offered first, so that a waiting caller finds it even if this process ends now.
    await this.#offer(ask.lane, answer);
    await this.copied();
    return answer;
  }

  async #open(source: Source, taken: TakenJob): Promise<HeldLane | undefined> {
    const { lane, token, lock, holder } = taken;
    const counts = this.#options.onCrashed !== undefined;
    const maySuspect = !counts || this.#suspects.begin(lane);
    const maxCrashes = counts ? MAX_CRASHES : NEVER;
    const askedAt = steadyNow();
    const about = { token, lock, holder, process: this.#world.name, maySuspect, maxCrashes, suspectFrom: SUSPECT_FROM };
    const answer = await this.run('claim', lane, { ...about, suspectMs: this.#world.suspectMs });
    const { what, epoch = 0, left = 0, items = [], isAgain = false, at = 0 } = answer;
    void this.#offer(lane, answer);
    if (what === 'got' && counts) this.#suspects.took(lane, items);
    else this.#suspects.ended(lane);
    if (what === 'over') await dropJob(taken);
    if (what === 'later') await delayJob(taken, at);
    if (what !== 'got') return undefined;
    const held = new HeldLane(source, taken, { epoch, until: askedAt + left, items, isAgain });
    this.#held.add(held);
    // Before any work: a replica without the claim would hand the work out again as if for the first time.
    await this.copied().catch((error: unknown) => this.#handBack(held, error));
    if (!answer.isDead) return held;
    await this.#bury(held);
    return undefined;
  }

  /**
   * Releases a lane whose replicas were away, which doesn't count as a crash.
   * @throws the given error
   */
  async #handBack(held: HeldLane, error: unknown): Promise<never> {
    this.#over(held, await this.owned(held, 'release', { retryAt: Date.now() + UNCOPIED_MS }));
    throw error;
  }

  /** Removes dead items from their lane once they are durable elsewhere; the others wait again. */
  async #bury(held: HeldLane): Promise<void> {
    const dead = (await this.#options.onCrashed?.(held.lane, held.items)) ?? [];
    const answer = await this.owned(held, 'finish', { ids: dead.map(({ id }) => id) });
    this.#over(
      held,
      answer.isFree ? answer : await this.owned(held, 'release', { retryAt: Date.now() + this.#world.suspectMs }),
    );
  }

  /** Ends a lease that no caller received. */
  #over(held: HeldLane, answer: Answer): void {
    void this.#offer(held.lane, answer);
    held.end();
    this.#held.delete(held);
    this.#suspects.ended(held.lane);
    void this.#later(dropJob(held.taken));
  }

  #ended(held: HeldLane, answer: Answer): void {
    void this.#offer(held.lane, answer);
    if (!answer.isFree) return;
    held.end();
    this.#forget(held);
    void this.#later(dropJob(held.taken));
  }

  #lose(held: HeldLane): void {
    held.lose();
    this.#forget(held);
  }

  #forget(held: HeldLane): void {
    if (!this.#held.delete(held)) return;
    this.#suspects.ended(held.lane);
    this.#desk.ended(held);
  }

  /** Never rejects: the sweep finds a lane whose job couldn't be added. */
  async #offer(lane: string, { offers }: Answer): Promise<void> {
    if (offers) await this.#later(this.#jobs.add(this.#shard(lane), offers));
  }

  /**
   * Runs work whose failure is harmless: a job that is missing or was taken by another is found by the sweep or claims
   * nothing.
   */
  #later(work: Promise<void>): Promise<void> {
    const done: Promise<void> = work.catch(this.#world.onQuiet).finally(() => this.#pending.delete(done));
    this.#pending.add(done);
    return done;
  }

  #shard(lane: string): number {
    return shardOf(lane, this.#world.shards);
  }
}
