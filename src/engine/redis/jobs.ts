/**
 * The jobs of BullMQ: one for each lane that has something to do. BullMQ owns their locks, finds jobs whose worker is
 * gone, and delays those that aren't due; it doesn't know what is in a lane.
 *
 * Invariant: a job's ID is the lane's token, so an old job claims nothing. Whether a job exists only affects speed,
 * since the sweep finds lanes without one and adds it (`sweep.lua`).
 */
import { type Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { isFilled, objectOf, shape } from '../../lib/shape.ts';
import { type LaneClass, queueName, type Side, tagOf } from './keys.ts';
import type { Offer } from './scripts.ts';

/** A lane's job, taken by this process. */
export interface TakenJob {
  lane: string;
  token: number;
  job: Job;
  /** The key of its lock, and the lock's value while it is ours. */
  lock: string;
  holder: string;
}

export interface JobsOptions {
  client: Redis;
  leaseMs: number;
  onError: (error: unknown) => void;
}

const ONLY_WE_COUNT_CRASHES = 1_000_000_000;
const dataShape = shape<{ lane: string }>(objectOf({ lane: isFilled }));

const AGAIN_MS = 200;
/**
 * The longest interval between stall checks, in ms: a lease that is gone is freed before it would have expired
 * (`gone.lua`).
 */
const MOST_STALLED_MS = 750;

/** Retries soon after its connection failed: a server that is back has people waiting. */
class EagerWorker extends Worker {
  override delay(ms?: number, ending?: Parameters<Worker['delay']>[1]): Promise<void> {
    return super.delay(ms ?? AGAIN_MS, ending);
  }
}

export class Source {
  readonly shard: number;
  readonly kind: string;
  readonly laneClass: LaneClass;
  readonly #worker: Worker;
  readonly #prefix: string;
  readonly #leaseMs: number;
  #taken = 0;

  constructor(
    shard: number,
    side: Side,
    kind: string,
    laneClass: LaneClass,
    { client, leaseMs, onError }: JobsOptions,
  ) {
    this.shard = shard;
    this.kind = kind;
    this.laneClass = laneClass;
    this.#leaseMs = leaseMs;
    const name = queueName(side, kind, laneClass);
    this.#prefix = `${tagOf(shard)}:${name}:`;
    this.#worker = new EagerWorker(name, null, {
      connection: client,
      prefix: tagOf(shard),
      autorun: false,
      drainDelay: 5,
      lockDuration: leaseMs,
      stalledInterval: Math.max(50, Math.min(MOST_STALLED_MS, Math.round(leaseMs / 8))),
      maxStalledCount: ONLY_WE_COUNT_CRASHES,
    });
    this.#worker.on('error', onError);
    void this.#worker.startStalledCheckTimer().catch(onError);
  }

  /** Waits a few seconds for a job, unless `block` is false. */
  async next(block = true): Promise<TakenJob | undefined> {
    const holder = `${process.pid}-${++this.#taken}-${Math.random().toString(36).slice(2)}`;
    const job: Job | undefined = await this.#worker.getNextJob(holder, { block });
    if (!job?.id) return undefined;
    const { data } = dataShape.safeParse(job.data);
    return {
      lane: data?.lane ?? '',
      token: Number(job.id.slice(1)),
      job,
      lock: `${this.#prefix}${job.id}:lock`,
      holder,
    };
  }

  /** Returns the IDs of jobs whose lock isn't ours any more. */
  async renew(taken: readonly TakenJob[]): Promise<ReadonlySet<string>> {
    const ids = taken.map(({ job }) => job.id ?? '');
    const holders = taken.map(({ holder }) => holder);
    return new Set(await this.#worker.extendJobLocks(ids, holders, this.#leaseMs));
  }

  close(): Promise<void> {
    return this.#worker.close(true);
  }
}

export class Jobs {
  readonly side: Side;
  readonly #options: JobsOptions;
  readonly #queues = new Map<string, Queue>();
  readonly #sources = new Map<string, Source>();

  constructor(side: Side, options: JobsOptions) {
    this.side = side;
    this.#options = options;
  }

  async add(shard: number, offers: readonly Offer[]): Promise<void> {
    await Promise.all(
      offers.map(({ lane, token, delay, kind, class: laneClass }) =>
        this.#queue(shard, queueName(this.side, kind, laneClass)).add('lane', { lane }, { jobId: `t${token}`, delay }),
      ),
    );
  }

  source(shard: number, kind: string, laneClass: LaneClass): Source {
    const name = `${shard} ${kind} ${laneClass}`;
    const source = this.#sources.get(name) ?? new Source(shard, this.side, kind, laneClass, this.#options);
    this.#sources.set(name, source);
    return source;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sources.values()].map((source) => source.close()));
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }

  #queue(shard: number, name: string): Queue {
    const key = `${shard} ${name}`;
    const known = this.#queues.get(key);
    if (known) return known;
    const queue = new Queue(name, {
      connection: this.#options.client,
      prefix: tagOf(shard),
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
      streams: { events: { maxLen: 1 } },
    });
    queue.on('error', this.#options.onError);
    this.#queues.set(key, queue);
    return queue;
  }
}

/** Completes the job: its lane has nothing to do. */
export async function dropJob({ job, holder }: TakenJob): Promise<void> {
  await job.moveToCompleted(undefined, holder, false);
}

/** Requeues the job at that time, in ms since the epoch. */
export async function delayJob({ job, holder }: TakenJob, at: number): Promise<void> {
  await job.moveToDelayed(at, holder);
}

/** Requeues the job for the next caller. */
export async function putJobBack({ job, holder }: TakenJob): Promise<void> {
  await job.moveToWait(holder);
}
