/**
 * Lanes of one side, of messages or of answers: a mailbox each (`lua/`), given to one owner at a time by a job of BullMQ (`jobs.ts`).
 *
 * Invariants: what is put is durable when it says so. An owner is one for as long as its job's lock is kept, which this process does
 * for all of its lanes at once; what it could not keep it has lost, and its epoch changes nothing any more.
 */
import { randomUUID } from 'node:crypto';
import { LeaseLost } from '../../errors.ts';
import { steadyNow } from '../../lib/steady.ts';
import { MAX_CRASHES, SUSPECT_FROM } from '../crashes.ts';
import type { FairLimits, Share } from '../engine.ts';
import { Desk, type DeskOptions } from './desk.ts';
import { Held } from './held.ts';
import { delayJob, dropJob, Jobs, type Source, type Taken } from './jobs.ts';
import { allShards, prefixOf, type Side, shardOf, tagOf } from './keys.ts';
import type { Answer, RawItem, Scripts } from './scripts.ts';
import { isSameCode } from './seal.ts';
import { Suspects } from './suspects.ts';
import type { World } from './world.ts';

const NEVER = 1_000_000_000;
/** Before a lane is tried again whose copy was away. */
const UNCOPIED_MS = 1_000;
const SWEPT_AT_ONCE = 500;

export interface LanesOptions {
  side: Side;
  world: World;
  kindOf: (lane: string) => string;
  limitsOf: (kind: string) => FairLimits | undefined;
  /** Milliseconds for which the words of what is finished are kept. */
  keepMs: number;
  ahead?: DeskOptions['ahead'];
  /** What was part of too many crashes: those that it has given up, durably. Without it crashes are not counted. */
  onCrashed?: (lane: string, items: readonly RawItem[]) => Promise<readonly RawItem[]>;
}

export interface Put {
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
  readonly #held = new Set<Held>();
  readonly #suspects = new Suspects();
  /** By lane, the end of the last put under way. */
  readonly #puts = new Map<string, Promise<unknown>>();
  /** Whatever nobody waits for. */
  readonly #pending = new Set<Promise<void>>();

  constructor(options: LanesOptions) {
    const { world, side, limitsOf } = options;
    this.#options = options;
    this.#world = world;
    this.#scripts = world.scripts;
    this.#jobs = new Jobs(side, { client: world.connections.bull, leaseMs: world.leaseMs, onError: world.onQuiet });
    const open = (source: Source, taken: Taken) => this.#open(source, taken);
    const giveBack = (held: Held) => void this.#later(this.release(held));
    this.#desk = new Desk({ limitsOf, open, giveBack, ahead: options.ahead, onError: world.onQuiet });
  }

  /** The prefix of the keys of a lane. */
  prefix(lane: string): string {
    return prefixOf(this.#shard(lane), this.#options.side);
  }

  prefixes(): string[] {
    return allShards(this.#world.shards).map((shard) => prefixOf(shard, this.#options.side));
  }

  /** In the order of the calls, which a connection that is opened again in between would not keep. */
  put(put: Put): Promise<Answer> {
    const { lane } = put;
    const before = this.#puts.get(lane);
    const done = before === undefined ? this.#put(put) : before.then(() => this.#put(put));
    const over = () => this.#puts.get(lane) === tail && this.#puts.delete(lane);
    const tail: Promise<unknown> = done.then(over, over);
    this.#puts.set(lane, tail);
    return done;
  }

  /** Asks for lanes of this kind from now on, and for one of them. */
  claim(wants: (kind: string) => boolean, kinds: readonly string[]): Promise<Held | undefined> {
    for (const kind of kinds) this.serve(kind);
    return this.#desk.claim(wants);
  }

  serve(kind: string): void {
    for (const shard of allShards(this.#world.shards)) {
      for (const laneClass of ['o', 'm'] as const) this.#desk.serve(this.#jobs.source(shard, kind, laneClass));
    }
  }

  /** Throws LeaseLost. */
  async finish(held: Held, ids: readonly string[]): Promise<void> {
    this.#ended(held, await this.owned(held, 'finish', { ids }));
  }

  async release(held: Held, retryAt?: number): Promise<void> {
    if (!held.isOwned) return this.#forget(held);
    const answer = await this.run('release', held.lane, { epoch: held.epoch, retryAt });
    if (answer.what === 'lost') return this.#lose(held);
    this.#ended(held, answer);
  }

  async waiting(held: Held): Promise<RawItem[]> {
    const maySuspect = this.#suspects.may(held.lane);
    return (await this.owned(held, 'waiting', { maySuspect, suspectFrom: SUSPECT_FROM })).items ?? [];
  }

  async take(held: Held, items: readonly RawItem[]): Promise<void> {
    await this.owned(held, 'take', { ids: items.map(({ id }) => id) });
    this.#suspects.tookMore(held.lane, items);
  }

  /** Asks what only the owner of a lane may. Throws LeaseLost. */
  async owned(held: Held, script: string, ask: object, ...more: string[]): Promise<Answer> {
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

  /** Throws a StorageError where what was asked is on too few replicas. */
  copied(): Promise<void> {
    return this.#scripts.copied();
  }

  /** Whether one of this home has put it into this lane as it stands. */
  isOurs(lane: string, { id, message, seal = '' }: { id: string; message: string; seal?: string }): boolean {
    const code = this.#world.codeOf?.(this.#options.side, lane, id, message);
    return code === undefined || isSameCode(code, seal);
  }

  /** What is there without a seal counts as ours from now on. */
  async sealAll(): Promise<void> {
    const { connections, codeOf } = this.#world;
    for (const prefix of codeOf ? this.prefixes() : [])
      for (const id of await connections.own.zrange(`${prefix}open`, '0', '-1')) {
        const key = `${prefix}item:${id}`;
        const [lane, message, seal] = await connections.own.hmget(key, 'lane', 'message', 'seal');
        if (typeof lane !== 'string' || typeof message !== 'string' || typeof seal === 'string') continue;
        await connections.own.hsetnx(key, 'seal', codeOf?.(this.#options.side, lane, id, message) ?? '');
        // It was finished a moment ago.
        if ((await connections.own.hexists(key, 'message')) === 0) await connections.own.del(key);
      }
  }

  /** Those that this process owns now. */
  ownedBy(lane: string): Held | undefined {
    return [...this.#held].find((held) => held.lane === lane && held.isOwned);
  }

  /** Keeps what is owned, and finds out what cannot be kept. */
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

  /** What has not been kept for too long is lost, whether the server can be asked or not. */
  expire(): void {
    for (const held of this.#held) if (!held.isOwned) this.#lose(held);
  }

  /** Gives a job to lanes that have none. */
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

  /** Of a process that is gone for certain: whoever looks for jobs without an owner finds its own at once. */
  async free(process: string): Promise<void> {
    for (const shard of allShards(this.#world.shards)) {
      const ask = { process, limit: 0, jobs: `${tagOf(shard)}:${this.#options.side}-`, count: SWEPT_AT_ONCE };
      for (let from = 0, seen = SWEPT_AT_ONCE; seen === SWEPT_AT_ONCE; from += SWEPT_AT_ONCE)
        seen = (await this.#scripts.run('gone', prefixOf(shard, this.#options.side), { ...ask, from })).seen ?? 0;
    }
  }

  /** No more claims. */
  stop(): void {
    this.#desk.close();
  }

  async close(): Promise<void> {
    this.stop();
    await Promise.all(this.#pending);
    await this.#jobs.close();
  }

  /** As a crash does. */
  async cut(): Promise<void> {
    this.stop();
    await this.#jobs.close();
  }

  async #put({ message, raw, by, ...ask }: Put): Promise<Answer> {
    const { side, kindOf } = this.#options;
    const about = { ...ask, class: by.isOwner ? 'o' : 'm', person: by.person, kind: kindOf(ask.lane) };
    const seal = this.#world.codeOf?.(side, ask.lane, ask.id, message);
    const answer = await this.run('put', ask.lane, { ...about, seal, once: randomUUID() }, message, raw ?? '');
    // Found at once by whoever waits, though this process ended now.
    await this.#offer(ask.lane, answer);
    await this.copied();
    return answer;
  }

  async #open(source: Source, taken: Taken): Promise<Held | undefined> {
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
    const held = new Held(source, taken, { epoch, until: askedAt + left, items, isAgain });
    this.#held.add(held);
    // Before anything is done by it: a copy that does not know of it would give what is done to another, as if for the first time.
    await this.copied().catch((error: unknown) => this.#handBack(held, error));
    if (!answer.isDead) return held;
    await this.#bury(held);
    return undefined;
  }

  /** It was no crash that its copy is away. Throws what was wrong. */
  async #handBack(held: Held, error: unknown): Promise<never> {
    this.#over(held, await this.owned(held, 'release', { retryAt: Date.now() + UNCOPIED_MS }));
    throw error;
  }

  /** They leave their lane once they are durable elsewhere; the others wait again. */
  async #bury(held: Held): Promise<void> {
    const dead = (await this.#options.onCrashed?.(held.lane, held.items)) ?? [];
    const answer = await this.owned(held, 'finish', { ids: dead.map(({ id }) => id) });
    this.#over(
      held,
      answer.isFree ? answer : await this.owned(held, 'release', { retryAt: Date.now() + this.#world.suspectMs }),
    );
  }

  /** Of one that nobody was given. */
  #over(held: Held, answer: Answer): void {
    void this.#offer(held.lane, answer);
    held.end();
    this.#held.delete(held);
    this.#suspects.ended(held.lane);
    void this.#later(dropJob(held.taken));
  }

  #ended(held: Held, answer: Answer): void {
    void this.#offer(held.lane, answer);
    if (!answer.isFree) return;
    held.end();
    this.#forget(held);
    void this.#later(dropJob(held.taken));
  }

  #lose(held: Held): void {
    held.lose();
    this.#forget(held);
  }

  #forget(held: Held): void {
    if (!this.#held.delete(held)) return;
    this.#suspects.ended(held.lane);
    this.#desk.ended(held);
  }

  /** Never rejects: a lane whose job could not be added is found by the sweep. */
  async #offer(lane: string, { offers }: Answer): Promise<void> {
    if (offers) await this.#later(this.#jobs.add(this.#shard(lane), offers));
  }

  /** A job that is not there, or that another has taken meanwhile, is found by the sweep or claims nothing. */
  #later(work: Promise<void>): Promise<void> {
    const done: Promise<void> = work.catch(this.#world.onQuiet).finally(() => this.#pending.delete(done));
    this.#pending.add(done);
    return done;
  }

  #shard(lane: string): number {
    return shardOf(lane, this.#world.shards);
  }
}
