/**
 * The inbox: what a platform handed us, from the moment we acknowledge it until its answer is on its way.
 *
 *   put new  -- claim -->  move cur  -- ack -->  done, and its key is kept for 30 days
 *      ^                      |  cur at start: a crash; counted and put again, after the third given up
 *      +----- release --------+-----------------------------------------> dead/<key>.json, then drop
 *
 * These are lines of the log (`log-lines.ts`). Invariants: one owner a lane; a lane's messages are handed out in order of arrival; an
 * event is put once.
 */
import { createHash } from 'node:crypto';
import { crashPoint } from '../../crash-points.ts';
import type { EnqueueOptions, FairLimits, LaneSignal, Lease, Queue, QueueItem } from '../engine.ts';
import { deadLetters, type SpoolFile } from './dead-letters.ts';
import { createFair, type Fair } from './fair.ts';
import { dueAt, dueBehind, emptyLane, head, insert, lease as intoWork, type Lane } from './lanes.ts';
import { MAX_CRASHES, type RecoveryOptions, recoverSpool } from './recovery.ts';

export { MAX_CRASHES };

/**
 * How long the gateway must have been up before a message is tried that was part of two crashes already. A third crash
 * right then is no accident; kills that merely follow each other quickly never meet it.
 */
const SUSPECT_DELAY_MS = 3_000;

/** Lanes of one kind, and those who want one. */
interface Kind<T> {
  fair: Fair;
  claimers: ((lease: Lease<T> | undefined) => void)[];
}

export interface SpoolOptions<T> extends RecoveryOptions<T> {
  /** By kind of lane, how many may be in work for whom; absent: as many as are claimed. */
  limits?: Readonly<Record<string, FairLimits>>;
  now?: () => number;
  /** Milliseconds; for tests. */
  suspectDelayMs?: number;
}

export interface Spool<T> extends Queue<T> {
  /** Milliseconds since the epoch at which the oldest unfinished message was accepted. */
  oldest(): number | undefined;
  size(): number;
}

/** The name of an event's file: 32 hex characters; the first 12 are its trace id. */
export function spoolKey(dedupeId: string): string {
  return createHash('sha256').update(dedupeId).digest('hex').slice(0, 32);
}

/** `task:` of `task:20261122-abcde`. */
const kindOf = (lane: string): string => lane.slice(0, lane.indexOf(':') + 1);

/** Opens the inbox and takes up what an earlier process left, before anything new arrives. */
export async function openSpool<T>(given: SpoolOptions<T>): Promise<Spool<T>> {
  const options = { suspectDelayMs: SUSPECT_DELAY_MS, ...given };
  const { store } = options;
  const now = options.now ?? Date.now;
  const lanes = new Map<string, Lane<T>>();
  const kinds = new Map<string, Kind<T>>();
  /** Lanes that begin with a message of a crash, while another such message is in work. */
  const held = new Set<string>();
  const known = new Set<string>();
  /** By id, messages that are not durable yet: nobody may be told that they are. */
  const commits = new Map<string, Promise<void>>();
  /** By lane, messages that are being stored. */
  const storing = new Map<string, number>();
  const listeners: ((lane: string, signal: LaneSignal) => boolean)[] = [];
  let lastSeq = 0;
  let epoch = 0;
  let closed = false;
  let suspect: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Number.POSITIVE_INFINITY;

  function laneOf(name: string): Lane<T> {
    const lane = lanes.get(name) ?? emptyLane<T>();
    lanes.set(name, lane);
    return lane;
  }

  function kindFor(name: string): Kind<T> {
    const kind = kinds.get(name) ?? { fair: createFair(options.limits?.[name]), claimers: [] };
    kinds.set(name, kind);
    return kind;
  }

  function wake(name: string): void {
    const lane = lanes.get(name);
    if (!lane || lane.leased > 0 || lane.isReady || lane.items.length === 0 || closed) return;
    const due = dueAt(lane);
    if (due > now()) {
      wakeAt(due);
      return;
    }
    lane.isReady = true;
    const kind = kindFor(kindOf(name));
    for (const { by } of lane.items) kind.fair.add(name, by);
    handOut(kind);
  }

  function wakeAt(due: number): void {
    if (due >= timerAt) return;
    clearTimeout(timer);
    timerAt = due;
    timer = setTimeout(
      () => {
        timerAt = Number.POSITIVE_INFINITY;
        for (const name of lanes.keys()) wake(name);
      },
      Math.max(1, due - now()),
    );
  }

  /**
   * A message that was part of a crash is worked on while no other such message is: the one that kills the gateway is
   * then alone when it does so again, and takes no innocent one with it to `dead`.
   */
  const mustWait = (lane: Lane<T>): boolean => suspect !== undefined && (lane.items[0]?.attempts ?? 0) > 0;

  function handOut({ fair, claimers }: Kind<T>): void {
    while (!closed && claimers.length > 0) {
      const taken = fair.take();
      if (!taken) return;
      const { lane: name, share } = taken;
      const lane = laneOf(name);
      lane.isReady = false;
      if (mustWait(lane)) {
        held.add(name);
        fair.done(share);
        continue;
      }
      const items = head(lane);
      for (const item of items) store.move('cur', item.id);
      lane.leased = items.length;
      lane.share = share;
      lane.epoch = ++epoch;
      lane.retryAt = 0;
      if (items.some((item) => item.attempts > 0)) suspect = name;
      claimers.shift()?.({ lane: name, epoch, items });
    }
  }

  /** The lane is free again. */
  function freed(name: string, lane: Lane<T>): void {
    lane.leased = 0;
    const kind = kindFor(kindOf(name));
    if (lane.share) kind.fair.done(lane.share);
    lane.share = undefined;
    if (lane.items.length === 0) lanes.delete(name);
    if (suspect === name) {
      suspect = undefined;
      const waited = [...held];
      held.clear();
      for (const each of waited) wake(each);
    }
    wake(name);
    handOut(kind);
  }

  function add(file: SpoolFile<T>): void {
    const lane = laneOf(file.lane);
    const { by } = insert(lane, file);
    known.add(file.id);
    if (lane.isReady) kindFor(kindOf(file.lane)).fair.add(file.lane, by);
  }

  function seen(id: string): Promise<void> | undefined {
    const isHere = known.has(id) || store.wasFinished(id) || store.has('dead', id);
    return isHere ? (commits.get(id) ?? Promise.resolve()) : undefined;
  }

  /** The lane if `lease` still owns it. */
  function owned(lease: Lease<T>): Lane<T> | undefined {
    const lane = lanes.get(lease.lane);
    return lane && lane.epoch === lease.epoch && lane.leased > 0 ? lane : undefined;
  }

  const left = await recoverSpool<T>(options, now);
  // One moment for all: messages that were in work together are due together.
  const suspectsDue = now() + options.suspectDelayMs;
  for (const file of left) {
    add(file.attempts >= MAX_CRASHES - 1 ? { ...file, notBefore: suspectsDue } : file);
    lastSeq = file.seq;
  }
  for (const name of lanes.keys()) wake(name);

  return {
    async enqueue(lane, message, enqueueOptions: EnqueueOptions) {
      const { dedupeId, by, notBefore, group, raw } = enqueueOptions;
      const id = spoolKey(dedupeId);
      const before = seen(id);
      if (before) return before.then(() => 'duplicate');
      known.add(id);
      lastSeq = Math.max(lastSeq + 1, now() * 1000);
      const file: SpoolFile<T> = {
        ...{ id, dedupeId, lane, seq: lastSeq, attempts: 0, by, message, acceptedAt: new Date(now()).toISOString() },
        ...(notBefore === undefined ? {} : { notBefore }),
        ...(group === undefined ? {} : { group }),
        ...(raw === undefined ? {} : { raw }),
      };
      crashPoint('accept:before-commit');
      storing.set(lane, (storing.get(lane) ?? 0) + 1);
      try {
        const commit = store.put('new', id, file);
        commits.set(id, commit);
        await commit;
      } catch (error) {
        known.delete(id);
        throw error;
      } finally {
        commits.delete(id);
        const left = (storing.get(lane) ?? 1) - 1;
        if (left > 0) storing.set(lane, left);
        else storing.delete(lane);
      }
      crashPoint('accept:after-commit');
      add(file);
      wake(lane);
      return 'accepted';
    },
    seen: (dedupeId) => seen(spoolKey(dedupeId)),
    claim(name) {
      if (closed) return Promise.resolve(undefined);
      const { promise, resolve } = Promise.withResolvers<Lease<T> | undefined>();
      const kind = kindFor(name);
      kind.claimers.push(resolve);
      handOut(kind);
      return promise;
    },
    extend(lease, pick) {
      const lane = owned(lease);
      if (!lane) return [];
      const mayTake = (item: QueueItem<T>) => item.attempts === 0 || suspect === undefined || suspect === lease.lane;
      const taken = dueBehind(lane, now()).filter((item) => mayTake(item) && pick(item));
      if (taken.length === 0) return [];
      if (taken.some((item) => item.attempts > 0)) suspect = lease.lane;
      intoWork(lane, taken);
      for (const item of taken) store.move('cur', item.id);
      return taken;
    },
    ack(lease, ids) {
      const lane = owned(lease);
      if (!lane) return;
      for (const id of ids) {
        const at = lane.items.findIndex((item) => item.id === id);
        if (at < 0 || at >= lane.leased) continue;
        store.finish('cur', id);
        lane.items.splice(at, 1);
        lane.leased--;
        known.delete(id);
      }
      if (lane.leased === 0) freed(lease.lane, lane);
    },
    release(lease, releaseOptions = {}) {
      const lane = owned(lease);
      if (!lane) return;
      for (const item of lane.items.slice(0, lane.leased)) store.move('new', item.id);
      lane.items.sort((a, b) => a.seq - b.seq);
      lane.retryAt = releaseOptions.retryAt ?? 0;
      freed(lease.lane, lane);
    },
    depth(name) {
      const lane = lanes.get(name);
      return (lane ? lane.items.length - lane.leased : 0) + (storing.get(name) ?? 0);
    },
    isBusy: (name) => (lanes.get(name)?.leased ?? 0) > 0,
    signal(name, signal) {
      if ((lanes.get(name)?.leased ?? 0) === 0) return false;
      return listeners.map((listener) => listener(name, signal)).includes(true);
    },
    onSignal: (listener) => void listeners.push(listener),
    deadLetters: () => deadLetters(store),
    close() {
      closed = true;
      clearTimeout(timer);
      for (const { claimers } of kinds.values()) for (const resolve of claimers.splice(0)) resolve(undefined);
    },
    oldest() {
      let oldest: number | undefined;
      for (const lane of lanes.values()) {
        const at = lane.items[0] && Date.parse(lane.items[0].acceptedAt);
        if (at !== undefined && (oldest === undefined || at < oldest)) oldest = at;
      }
      return oldest;
    },
    size: () => known.size,
  };
}
