/**
 * The engine of one machine: one process per home (promise 13), with its log, ledger and cache. The order of start and
 * end matters: nothing is opened before the home is locked, and the lock is released last.
 */
import path from 'node:path';
import type { Schema } from '../../lib/shape.ts';
import { openCache } from '../cache.ts';
import type { Engine, EngineHealth, FairLimits, Fence, OutboxFile, QueueItem, Stop } from '../engine.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { acquireLock, type Lock } from './lock.ts';
import { LocalOutbox } from './outbox.ts';
import { openSpool, type Spool } from './spool.ts';
import { LocalState } from './state.ts';
import { openStore, type SpoolStore } from './store.ts';
import { Turns } from './turns.ts';

export interface LocalEngineOptions<T> {
  /** Folders of the home. */
  folders: { spool: string; run: string; cache: string };
  /** Bytes that must stay free; below that no new messages are accepted. */
  freeBytes: number;
  /** The required shape of messages and answers; anything by default. */
  schema?: Schema<T>;
  outboxSchema?: Schema<OutboxFile>;
  /** The most running lanes per person, by kind of lane. */
  limits?: Readonly<Record<string, FairLimits>>;
  /** Whether only the delivery of a message's answer remains; asked before the message is given up. */
  hasResult?: (item: QueueItem<T>) => Promise<boolean>;
  /** Called when a message was given up after crashing the gateway; resolves once the person has been notified. */
  onDead: (item: QueueItem<T>, reason: string) => unknown;
  /** Receives failures of listeners and leaders, which have no caller. */
  onError: (error: unknown) => void;
  /** Milliseconds; for tests. */
  suspectDelayMs?: number;
}

const DAY_MS = 86_400_000;
/** Delays the first cleanup so that it doesn't slow the start. */
const FIRST_SWEEP_MS = 60_000;

/** @throws LockedError when another process holds the home, or a system error */
export async function openLocalEngine<T>(options: LocalEngineOptions<T>): Promise<LocalEngine<T>> {
  const { folders, freeBytes, schema, outboxSchema, limits, suspectDelayMs, hasResult, onDead, onError } = options;
  const lock = acquireLock(folders.run);
  try {
    const store = openStore({ root: folders.spool, freeBytes });
    const ledger = openLedger(path.join(folders.spool, 'ledger'), lock.epoch);
    const queue = await openSpool<T>({
      store,
      onDead,
      ...(hasResult && { hasResult }),
      ...(schema && { schema }),
      ...(limits && { limits }),
      ...(suspectDelayMs !== undefined && { suspectDelayMs }),
    });
    const outbox = new LocalOutbox({ store, ledger, ...(outboxSchema && { schema: outboxSchema }) });
    return new LocalEngine<T>(
      { lock, store, ledger, queue, outbox, state: new LocalState(openCache(folders.cache)) },
      onError,
    );
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface Parts<T> {
  lock: Lock;
  store: SpoolStore;
  ledger: Ledger;
  queue: Spool<T>;
  outbox: LocalOutbox;
  state: LocalState;
}

class LocalEngine<T> implements Engine<T> {
  readonly epoch: number;
  readonly queue: Spool<T>;
  readonly outbox: LocalOutbox;
  readonly state: LocalState;
  readonly #parts: Parts<T>;
  readonly #onError: (error: unknown) => void;
  readonly #turns = new Turns();
  readonly #listeners = new Map<string, Set<(text: string) => void>>();
  readonly #sweeps: NodeJS.Timeout[];
  #closing: Promise<void> | undefined;

  constructor(parts: Parts<T>, onError: (error: unknown) => void) {
    this.#parts = parts;
    this.#onError = onError;
    this.epoch = parts.lock.epoch;
    this.queue = parts.queue;
    this.outbox = parts.outbox;
    this.state = parts.state;
    const sweep = () => parts.ledger.prune(parts.store.prune(new Date()));
    this.#sweeps = [setInterval(sweep, DAY_MS).unref(), setTimeout(sweep, FIRST_SWEEP_MS).unref()];
  }

  lock<R>(name: string, work: (fence: Fence) => Promise<R>): Promise<R> {
    return this.#turns.lock(`lock ${name}`, work);
  }

  lead(name: string, run: (fence: Fence) => Promise<void>): Stop {
    return this.#turns.lead(`lead ${name}`, run, this.#onError);
  }

  publish(topic: string, text: string): void {
    for (const on of this.#listeners.get(topic) ?? []) queueMicrotask(() => this.#tell(on, text));
  }

  subscribe(topic: string, on: (text: string) => void): Stop {
    const all = this.#listeners.get(topic) ?? new Set();
    // The same function may subscribe twice.
    const mine = (text: string) => on(text);
    this.#listeners.set(topic, all.add(mine));
    return async () => {
      all.delete(mine);
      if (all.size === 0 && this.#listeners.get(topic) === all) this.#listeners.delete(topic);
    };
  }

  async ready(): Promise<EngineHealth> {
    return this.#closing ? { ok: false, detail: 'it was closed' } : { ok: true };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { lock, store, ledger, queue, outbox, state } = this.#parts;
    for (const timer of this.#sweeps) clearTimeout(timer);
    queue.close();
    outbox.close();
    await state.close();
    ledger.close();
    await store.close();
    lock.release();
  }

  #tell(on: (text: string) => void, text: string): void {
    try {
      on(text);
    } catch (error) {
      this.#onError(error);
    }
  }
}

export type { LocalEngine };
