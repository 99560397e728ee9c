/**
 * Names of keys. All keys of one shard share a hash tag, so that a script sees only one slot of a cluster; a lane is always of the same
 * shard, so their number never changes for a server that is in use.
 */
import { createHash } from 'node:crypto';

export type Side = 'in' | 'out';

/** Beginning of everything of a shard, and of the queues of BullMQ in it. */
export const tagOf = (shard: number): string => `{viber:${shard}}`;

export const prefixOf = (shard: number, side: Side): string => `${tagOf(shard)}:${side}:`;

export function shardOf(name: string, shards: number): number {
  return shards === 1 ? 0 : createHash('sha1').update(name).digest().readUInt32BE(0) % shards;
}

export const stateKey = (key: string, shards: number): string => `${tagOf(shardOf(key, shards))}:state:${key}`;

export const allShards = (shards: number): number[] => Array.from({ length: shards }, (_, shard) => shard);

/** Owners and everybody else wait in queues of their own. */
export type LaneClass = 'o' | 'm';

/** Where the jobs of a kind of lanes stand; BullMQ allows no colon. */
export const queueName = (side: Side, kind: string, laneClass: LaneClass): string => `${side}-${kind}-${laneClass}`;
