/** Where messages, answers and small state stand between a platform and its answer: its part of `types.ts`. */

export type EngineRole = 'ingress' | 'work' | 'deliver';

export interface EngineConfig {
  /** `local`: files of the home, one process. `redis`: a server that several processes share. */
  kind: 'local' | 'redis';
  /** Of the server, with its password: never to be shown. Always there when `kind` is `redis`. */
  url?: string;
  /** What this process does: takes in, works, sends. All of it unless told. */
  roles: EngineRole[];
  /** Milliseconds after which what a process owned that is heard of no more is given to another. */
  leaseMs: number;
  /** Queues that lanes are spread over; the same for all processes, and for good. */
  shards: number;
  /** Replicas that must have written what is acknowledged. */
  replicas: number;
  /** Days for which an event is known that was taken in. */
  dedupeDays: number;
  /** This process's own folder for locks and sockets; absent: one of the system's for such things. */
  runDir?: string;
}
