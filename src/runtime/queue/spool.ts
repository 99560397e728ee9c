/**
 * The inbox: what a platform handed us, from the moment we acknowledge it until its answer is on its way.
 *
 *   new/<key>.json  --claim-->  cur/<key>.json  --ack-->  done/<day>/<key>.json
 *        ^                          |  found at start: a crash; counted, tried again, after the third given up
 *        +------- release ----------+------------------------------------------------------> dead/<key>.json
 *
 * Invariants: one owner a lane; a lane's messages are handed out in order of arrival; an event's file is created once.
 */
import { createHash } from 'node:crypto';
import { crashPoint } from '../../faults.ts';
import type { EnqueueOptions, LaneSignal, Lease, Queue, QueueItem } from './queue.ts';
import { deadLetters, MAX_CRASHES, recoverSpool, type SpoolFile } from './recovery.ts';
import type { SpoolStore } from './store.ts';

export { MAX_CRASHES } from './recovery.ts';

/**
 * How long the gateway must have been up before a message is tried that was part of two crashes already. A third crash
 * right then is no accident; kills that merely follow each other quickly never meet it.
 */
const SUSPECT_DELAY_MS = 3_000;

interface Lane<T> {
  items: (QueueItem<T> & { notBefore: number; group: string | undefined })[];
  /** Items from the front that are in work. */
  leased: number;
  epoch: number;
  retryAt: number;
  queued: boolean;
}

export interface SpoolOptions<T> {
  store: SpoolStore;
  /** A message was given up after crashing the gateway: the person should hear of it. */
  onDead: (item: QueueItem<T>, reason: string) => void;
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

/** Opens the inbox and takes up what an earlier process left, before anything new arrives. */
export async function openSpool<T>(given: SpoolOptions<T>): Promise<Spool<T>> {
  const options = { suspectDelayMs: SUSPECT_DELAY_MS, ...given };
  const { store } = options;
  const now = options.now ?? Date.now;
  const lanes = new Map<string, Lane<T>>();
  const ready: string[] = [];
  const known = new Set<string>();
  /** By id, messages that are not durable yet: nobody may be told that they are. */
  const commits = new Map<string, Promise<void>>();
  /** By lane, messages that are being stored. */
  const storing = new Map<string, number>();
  const claimers: { prefix: string; resolve: (lease: Lease<T> | undefined) => void }[] = [];
  const listeners: ((lane: string, signal: LaneSignal) => boolean)[] = [];
  let lastSeq = 0;
  let epoch = 0;
  let closed = false;
  let suspect: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Number.POSITIVE_INFINITY;

  function laneOf(name: string): Lane<T> {
    let lane = lanes.get(name);
    if (!lane) {
      lane = { items: [], leased: 0, epoch: 0, retryAt: 0, queued: false };
      lanes.set(name, lane);
    }
    return lane;
  }

  /** Messages that are handed out together: the head and its neighbours of the same group. */
  function head(lane: Lane<T>): Lane<T>['items'] {
    const group = lane.items[0]?.group;
    if (group === undefined) return lane.items.slice(0, 1);
    const end = lane.items.findIndex((item) => item.group !== group);
    return end < 0 ? [...lane.items] : lane.items.slice(0, end);
  }

  function wake(name: string): void {
    const lane = lanes.get(name);
    if (!lane || lane.leased > 0 || lane.queued || lane.items.length === 0 || closed) return;
    const due = Math.max(lane.retryAt, ...head(lane).map((item) => item.notBefore));
    if (due > now()) {
      wakeAt(due);
      return;
    }
    lane.queued = true;
    ready.push(name);
    handOut();
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
  function mayGo(name: string, prefix: string): boolean {
    return name.startsWith(prefix) && (suspect === undefined || (lanes.get(name)?.items[0]?.attempts ?? 0) === 0);
  }

  function handOut(): void {
    if (closed) return;
    for (let c = 0; c < claimers.length; ) {
      const claimer = claimers[c] as (typeof claimers)[number];
      const at = ready.findIndex((name) => mayGo(name, claimer.prefix));
      if (at < 0) {
        c++;
        continue;
      }
      const [name = ''] = ready.splice(at, 1);
      const lane = laneOf(name);
      lane.queued = false;
      const items = head(lane);
      for (const item of items) store.move('new', 'cur', item.id);
      lane.leased = items.length;
      lane.epoch = ++epoch;
      lane.retryAt = 0;
      if (items.some((item) => item.attempts > 0)) suspect = name;
      claimers.splice(c, 1);
      claimer.resolve({ lane: name, epoch, items });
    }
  }

  /** The lane is free again. */
  function freed(name: string, lane: Lane<T>): void {
    lane.leased = 0;
    if (suspect === name) {
      suspect = undefined;
      handOut();
    }
    if (lane.items.length === 0) lanes.delete(name);
    else wake(name);
  }

  function add(file: SpoolFile<T>): void {
    const { id, lane, seq, attempts, message, acceptedAt } = file;
    const { items } = laneOf(lane);
    let at = items.length;
    while (at > 0 && (items[at - 1]?.seq ?? 0) > seq) at--;
    const item = { id, lane, seq, attempts, message, acceptedAt };
    items.splice(at, 0, { ...item, notBefore: file.notBefore ?? 0, group: file.group });
    known.add(id);
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

  const left = await recoverSpool<T>(store, options.onDead, now);
  // One moment for all: messages that were in work together are due together.
  const suspectsDue = now() + options.suspectDelayMs;
  for (const file of left) {
    add(file.attempts >= MAX_CRASHES - 1 ? { ...file, notBefore: suspectsDue } : file);
    lastSeq = file.seq;
  }
  for (const name of lanes.keys()) wake(name);

  return {
    async enqueue(lane, message, enqueueOptions: EnqueueOptions) {
      const { dedupeId, notBefore, group, raw } = enqueueOptions;
      const id = spoolKey(dedupeId);
      const before = seen(id);
      if (before) {
        await before;
        return 'duplicate';
      }
      known.add(id);
      lastSeq = Math.max(lastSeq + 1, now() * 1000);
      const file: SpoolFile<T> = {
        ...{ id, dedupeId, lane, seq: lastSeq, attempts: 0, message, acceptedAt: new Date(now()).toISOString() },
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
    claim(prefix) {
      if (closed) return Promise.resolve(undefined);
      const { promise, resolve } = Promise.withResolvers<Lease<T> | undefined>();
      claimers.push({ prefix, resolve });
      handOut();
      return promise;
    },
    extend(lease, pick) {
      const lane = owned(lease);
      if (!lane) return [];
      const mayTake = (item: QueueItem<T>) => item.attempts === 0 || suspect === undefined || suspect === lease.lane;
      const waiting = lane.items.slice(lane.leased);
      // A group is due when all of it is.
      const early = new Set(
        waiting.flatMap((item) => (item.notBefore > now() ? [item.id, item.group ?? item.id] : [])),
      );
      const due = waiting.filter((item) => mayTake(item) && !early.has(item.id) && !early.has(item.group ?? item.id));
      const taken = due.filter(pick);
      if (taken.length === 0) return [];
      if (taken.some((item) => item.attempts > 0)) suspect = lease.lane;
      const rest = waiting.filter((item) => !taken.includes(item));
      lane.items = [...lane.items.slice(0, lane.leased), ...taken, ...rest];
      lane.leased += taken.length;
      for (const item of taken) store.move('new', 'cur', item.id);
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
      for (const item of lane.items.slice(0, lane.leased)) store.move('cur', 'new', item.id);
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
      for (const { resolve } of claimers.splice(0)) resolve(undefined);
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
