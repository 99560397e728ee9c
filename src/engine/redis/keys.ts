/**
 * Names of keys. All keys of one shard share a hash tag, so that a script touches only one slot of a cluster. A lane
 * always maps to the same shard, so the number of shards can't change for a server in use.
 */
import { createHash } from 'node:crypto';

export type Side = 'in' | 'out';

/** The prefix of all keys of a shard, and of its BullMQ queues. */
export const tagOf = (shard: number): string => `{viber:${shard}}`;

export const prefixOf = (shard: number, side: Side): string => `${tagOf(shard)}:${side}:`;

export function shardOf(name: string, shards: number): number {
  return shards === 1 ? 0 : createHash('sha1').update(name).digest().readUInt32BE(0) % shards;
}

export const stateKey = (key: string, shards: number): string => `${tagOf(shardOf(key, shards))}:state:${key}`;

export const allShards = (shards: number): number[] => Array.from({ length: shards }, (_, shard) => shard);

/** Owners (`o`) and everybody else (`m`) have separate queues. */
export type LaneClass = 'o' | 'm';

/** The queue for the jobs of a kind of lane; BullMQ allows no colon. */
export const queueName = (side: Side, kind: string, laneClass: LaneClass): string => `${side}-${kind}-${laneClass}`;
