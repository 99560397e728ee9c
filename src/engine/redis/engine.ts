/**
 * The engine of several machines: a Redis or Valkey server that all processes share, and BullMQ, which owns the leases.
 * Controls the order of start and end, and the timers by which a process keeps what it owns.
 */
import { randomUUID } from 'node:crypto';
import { errorMessage } from '../../errors.ts';
import { anything, type Schema, shape } from '../../lib/shape.ts';
import type { Engine, EngineHealth, FairLimits, Fence, OutboxFile, QueueItem, State, Stop } from '../engine.ts';
import { connectRedis, hostAndPort } from './connection.ts';
import { orLast } from './in-time.ts';
import { tagOf } from './keys.ts';
import { Neighbours } from './neighbours.ts';
import { News } from './news.ts';
import { RedisOutbox } from './outbox.ts';
import { RedisQueue } from './queue.ts';
import { Scripts } from './scripts.ts';
import { codesWith } from './seal.ts';
import { sealed } from './sealed-state.ts';
import { checkServer } from './settings.ts';
import { RedisState } from './state.ts';
import { RedisTurns } from './turns.ts';
import type { World } from './world.ts';

export interface RedisEngineOptions<T> {
  url: string;
  leaseMs: number;
  shards: number;
  replicas: number;
  dedupeDays: number;
  /** The required shape of messages and answers; anything by default. */
  schema?: Schema<T>;
  outboxSchema?: Schema<OutboxFile>;
  /** The most running lanes by kind: `perPerson` across all processes, `others` in this one. */
  limits?: Readonly<Record<string, FairLimits>>;
  /** Shared by all processes of a home; signs small values, messages and answers. */
  secret?: Uint8Array;
  /** Whether scripts can reach the server: it must then require a password. */
  reachedByScripts?: boolean;
  /** Whether only the delivery of a message's answer remains; asked before the message is given up. */
  hasResult?: (item: QueueItem<T>) => Promise<boolean>;
  /** Called when a message was given up after crashing processes; resolves once the person has been notified. */
  onDead: (item: QueueItem<T>, reason: string) => unknown;
  /** Receives failures of listeners and leaders, which have no caller. */
  onError: (error: unknown) => void;
  /** Milliseconds; for tests. */
  waits?: { suspectMs?: number; sweepMs?: number };
}

const DAY_MS = 86_400_000;
const SWEEP_MS = 5_000;
const LOOK_MS = 3_000;
const NEIGHBOURS_MS = 500;
const SUSPECT_DELAY_MS = 3_000;

/** @throws ConfigError when the server can't be reached or could lose data */
export async function openRedisEngine<T>(options: RedisEngineOptions<T>): Promise<RedisEngine<T>> {
  await checkServer(options);
  const { url, leaseMs, shards, replicas, dedupeDays, onError } = options;
  const noQuiet = (error: unknown) => quiet(error, onError);
  const connections = connectRedis(url, noQuiet);
  const name = randomUUID().slice(0, 8);
  const news = new News(connections.own, connections.ears, name, onError);
  try {
    const epoch = await connections.own.incr(`${tagOf(0)}:starts`);
    await news.open();
    const world: World = {
      connections,
      news,
      name,
      shards,
      leaseMs,
      onError,
      onQuiet: noQuiet,
      address: hostAndPort(url),
      codeOf: options.secret && codesWith(options.secret),
      scripts: new Scripts(connections.own, connections.copies, replicas),
      seenMs: dedupeDays * DAY_MS,
      suspectMs: options.waits?.suspectMs ?? SUSPECT_DELAY_MS,
      gone: new Set(),
    };
    const engine = new RedisEngine<T>(world, epoch, options);
    await engine.outbox.lookForKinds();
    await engine.meet();
    return engine;
  } catch (error) {
    connections.cut();
    throw error;
  }
}

/** Ignores errors of the connection, which recovers; anything else is a bug or a wrong setting. */
function quiet(error: unknown, onError: (error: unknown) => void): void {
  const isOfConnection =
    /ECONN|EPIPE|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|EAI_AGAIN|Connection is closed|Socket |LOADING|\bjob t\d+/i;
  if (!isOfConnection.test(errorMessage(error))) onError(error);
}

export class RedisEngine<T> implements Engine<T> {
  readonly epoch: number;
  readonly queue: RedisQueue<T>;
  readonly outbox: RedisOutbox;
  readonly state: State;
  readonly #world: World;
  readonly #turns: RedisTurns;
  readonly #neighbours: Neighbours;
  readonly #timers: NodeJS.Timeout[];
  #closing: Promise<void> | undefined;

  constructor(world: World, epoch: number, options: RedisEngineOptions<T>) {
    const { schema = shape<T>(anything), outboxSchema = shape<OutboxFile>(anything), limits = {} } = options;
    const { hasResult, onDead, waits: { sweepMs = SWEEP_MS } = {} } = options;
    this.epoch = epoch;
    this.#world = world;
    this.queue = new RedisQueue<T>({ world, schema, limits, hasResult, onDead });
    const keyOfLane = (lane: string) => `${this.queue.lanes.prefix(lane)}lane:${lane}`;
    this.outbox = new RedisOutbox({ world, schema: outboxSchema, keyOfLane });
    const state = new RedisState(world);
    this.state = world.codeOf ? sealed(state, world.codeOf) : state;
    this.#turns = new RedisTurns(world);
    this.#neighbours = new Neighbours(world, async (name) => {
      await Promise.all([this.queue.lanes.free(name), this.outbox.lanes.free(name)]);
    });
    const every = (ms: number, work: () => Promise<void>) => setInterval(() => void work().catch(world.onQuiet), ms);
    this.#timers = [
      every(world.leaseMs / 3, () => this.#renew()),
      every(sweepMs, () => this.#sweep(sweepMs)),
      every(LOOK_MS, () => this.#look()),
      every(NEIGHBOURS_MS, () => this.#neighbours.look()),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /** From now on other processes on this machine notice when this one is gone. */
  meet(): Promise<void> {
    return this.#neighbours.look();
  }

  /** Accepts messages and answers without a seal, from a version that made none, as ours. */
  async sealOld(): Promise<void> {
    await Promise.all([this.queue.lanes.sealAll(), this.outbox.lanes.sealAll()]);
  }

  lock<R>(name: string, work: (fence: Fence) => Promise<R>): Promise<R> {
    return this.#turns.lock(`lock ${name}`, work);
  }

  lead(name: string, run: (fence: Fence) => Promise<void>): Stop {
    return this.#turns.lead(`lead ${name}`, run, this.#world.onError);
  }

  publish(topic: string, text: string): void {
    this.#world.news.publish(`topic ${topic}`, text);
  }

  subscribe(topic: string, on: (text: string) => void): Stop {
    return this.#world.news.subscribe(`topic ${topic}`, on);
  }

  async ready(): Promise<EngineHealth> {
    if (this.#closing) return { ok: false, detail: 'it was closed' };
    const { connections, address } = this.#world;
    const isThere = () => connections.own.ping().then((said) => said === 'PONG');
    const ok = await orLast(this.#world, isThere, false);
    return ok ? { ok } : { ok, detail: `the server at ${address} does not answer` };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ends as a crash would, handing nothing back. For tests. */
  async cut(): Promise<void> {
    this.#closing ??= Promise.resolve();
    for (const timer of this.#timers) clearInterval(timer);
    this.queue.close();
    this.outbox.close();
    this.#world.connections.cut();
    await Promise.all([this.queue.lanes.cut(), this.outbox.lanes.cut()]);
  }

  async #close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.queue.close();
    this.outbox.close();
    this.#turns.close();
    await Promise.all([this.queue.lanes.close(), this.outbox.lanes.close()]);
    await this.#neighbours.leave();
    await this.#world.connections.close();
  }

  async #renew(): Promise<void> {
    // Before any request: the reply may never come.
    this.queue.lanes.expire();
    this.outbox.lanes.expire();
    this.#turns.expire();
    if (this.#world.connections.own.status !== 'ready') return;
    await Promise.all([this.queue.lanes.renew(), this.outbox.lanes.renew(), this.#turns.renew()]);
  }

  /** Only one process sweeps, for all. */
  async #sweep(ms: number): Promise<void> {
    const { connections, name } = this.#world;
    if (connections.own.status !== 'ready') return;
    const isMine = await connections.own.set(`${tagOf(0)}:sweeper`, name, 'PX', Math.round(ms * 0.9), 'NX');
    if (isMine === 'OK') await Promise.all([this.queue.lanes.sweep(), this.outbox.lanes.sweep()]);
  }

  /** Catches up on lost notifications. */
  async #look(): Promise<void> {
    const { connections } = this.#world;
    if (connections.own.status !== 'ready') return;
    await Promise.all([this.queue.answerSignals(), this.outbox.lookForKinds(), connections.ears.ping()]);
  }
}
