/** What a server holds, as another program reads it while gateways work: nothing here writes. Of what changes meanwhile a part may be missing. */
import { Redis } from 'ioredis';
import { errorMessage, UserError } from '../../errors.ts';
import { parseJson } from '../../lib/read-json.ts';
import type { Found } from '../local/inspect.ts';
import { addressOf, partsOf } from './connection.ts';
import { allShards, prefixOf, type Side, stateKey } from './keys.ts';

export interface ServerOf {
  url: string;
  shards: number;
}

const AT_ONCE = 500;

/** What is unfinished, was given up or is unsure; with `prefix` all whose key begins so, finished or not. Messages before answers. Throws UserError when the server cannot be asked. */
export function inspectServer(server: ServerOf, prefix?: string): Promise<Found[]> {
  return asked(server, async (client) => {
    const found: Found[] = [];
    for (const [side, beginning] of sidesOf(server)) {
      const open = await client.zrange(`${beginning}open`, '0', '-1');
      const isOpen = new Set(open);
      const ids = prefix === undefined ? open : await keysOf(client, `${beginning}item:`, prefix);
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        const items = ids.slice(at, at + AT_ONCE).map((id) => itemOf(client, side, beginning, id, isOpen.has(id)));
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

/** How much is unfinished, and whether a gateway works with this server. Throws UserError when the server cannot be asked. */
export function inspectServerWork(server: ServerOf): Promise<{ messages: number; answers: number; isHere: boolean }> {
  return asked(server, async (client) => {
    const waiting = { in: 0, out: 0 };
    for (const [side, beginning] of sidesOf(server)) waiting[side] += await client.zcard(`${beginning}open`);
    const isHere = (await client.exists(stateKey('here', server.shards))) > 0;
    return { messages: waiting.in, answers: waiting.out, isHere };
  });
}

async function keysOf(client: Redis, beginning: string, prefix: string): Promise<string[]> {
  const ids = new Set<string>();
  for (let cursor: string | undefined; cursor !== '0'; ) {
    const [next, keys] = await client.scan(cursor ?? '0', 'MATCH', `${beginning}${prefix}*`, 'COUNT', AT_ONCE);
    for (const key of keys) ids.add(key.slice(beginning.length));
    cursor = next;
  }
  return [...ids];
}

async function itemOf(client: Redis, side: Side, prefix: string, id: string, isOpen: boolean): Promise<Found[]> {
  const file = `${prefix}item:${id}`;
  const [lane, message, at] = await client.hmget(file, 'lane', 'message', 'at');
  // It was finished a moment ago.
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

/** Tried once: whoever waits for it sits at a terminal. */
async function asked<T>({ url }: ServerOf, work: (client: Redis) => Promise<T>): Promise<T> {
  const options = { connectTimeout: 5_000, maxRetriesPerRequest: 0, retryStrategy: () => null, lazyConnect: true };
  const client = new Redis({ ...partsOf(url), ...options });
  // It is told by what is asked.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw new UserError(`the server at ${addressOf(url)} cannot be asked: ${errorMessage(error)}`);
  } finally {
    client.disconnect();
  }
}
