/** Reads a server from another program while gateways run; never writes. Concurrent changes may be missing in part. */
import { Redis } from 'ioredis';
import { errorMessage, UserError } from '../../errors.ts';
import { parseJson } from '../../lib/json.ts';
import type { SpoolRecord } from '../local/inspect.ts';
import { hostAndPort, parseServerUrl } from './connection.ts';
import { allShards, prefixOf, type Side, stateKey } from './keys.ts';

export interface ServerOf {
  url: string;
  shards: number;
}

const AT_ONCE = 500;

/**
 * Returns what is unfinished, was given up or is unsure; with `prefix`, every key that starts with it, finished or not.
 * Messages before answers.
 * @throws UserError when the server can't be queried
 */
export function inspectServer(server: ServerOf, prefix?: string): Promise<SpoolRecord[]> {
  return asked(server, async (client) => {
    const found: SpoolRecord[] = [];
    for (const [side, beginning] of sidesOf(server)) {
      const open = await client.zrange(`${beginning}open`, '0', '-1');
      const isOpen = new Set(open);
      const ids = prefix === undefined ? open : await scanKeys(client, `${beginning}item:`, prefix);
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        const items = ids.slice(at, at + AT_ONCE).map((id) => readRecord(client, side, beginning, id, isOpen.has(id)));
        found.push(...(await Promise.all(items)).flat());
      }
      for (const state of ['dead', 'unsure'] as const)
        for (const [key, text] of Object.entries(await client.hgetall(`${beginning}${state}`)))
          if (key.startsWith(prefix ?? ''))
            found.push({ state, key, file: `${beginning}${state}`, value: parseJson(text) });
    }
    return found;
  });
}

/**
 * Counts what is unfinished, and tells whether a gateway uses this server.
 * @throws UserError when the server can't be queried
 */
export function inspectServerWork(server: ServerOf): Promise<{ messages: number; answers: number; isHere: boolean }> {
  return asked(server, async (client) => {
    const waiting = { in: 0, out: 0 };
    for (const [side, beginning] of sidesOf(server)) waiting[side] += await client.zcard(`${beginning}open`);
    const isHere = (await client.exists(stateKey('here', server.shards))) > 0;
    return { messages: waiting.in, answers: waiting.out, isHere };
  });
}

async function scanKeys(client: Redis, beginning: string, prefix: string): Promise<string[]> {
  const ids = new Set<string>();
  for (let cursor: string | undefined; cursor !== '0'; ) {
    const [next, keys] = await client.scan(cursor ?? '0', 'MATCH', `${beginning}${prefix}*`, 'COUNT', AT_ONCE);
    for (const key of keys) ids.add(key.slice(beginning.length));
    cursor = next;
  }
  return [...ids];
}

async function readRecord(
  client: Redis,
  side: Side,
  prefix: string,
  id: string,
  isOpen: boolean,
): Promise<SpoolRecord[]> {
  const file = `${prefix}item:${id}`;
  const [lane, message, at] = await client.hmget(file, 'lane', 'message', 'at');
  // It was just finished.
  if (typeof message !== 'string' || typeof lane !== 'string') return [];
  const value = parseJson(message);
  if (side === 'out') return [{ state: isOpen ? 'out' : 'done', key: id, file, value }];
  const isOwned = (await client.hget(`${prefix}lane:${lane}`, 'state')) === 'owned';
  const acceptedAt = new Date(Number(at)).toISOString();
  const state = isOwned ? 'cur' : 'new';
  return [{ state: isOpen ? state : 'done', key: id, file, value: { lane, acceptedAt, message: value } }];
}

const sidesOf = ({ shards }: ServerOf): [Side, string][] =>
  (['in', 'out'] as const).flatMap((side) =>
    allShards(shards).map((shard): [Side, string] => [side, prefixOf(shard, side)]),
  );

/** Tries once: a person waits at a terminal. */
async function asked<T>({ url }: ServerOf, work: (client: Redis) => Promise<T>): Promise<T> {
  const options = { connectTimeout: 5_000, maxRetriesPerRequest: 0, retryStrategy: () => null, lazyConnect: true };
  const client = new Redis({ ...parseServerUrl(url), ...options });
  // The command reports it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw new UserError(`the server at ${hostAndPort(url)} cannot be asked: ${errorMessage(error)}`);
  } finally {
    client.disconnect();
  }
}
