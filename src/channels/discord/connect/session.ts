/**
 * One client of discord.js, which identifies, beats and resumes. It is used for its connection alone: events are taken as
 * they come over the wire, and its caches are kept empty, so that memory does not grow with the people who write.
 * Invariants: after `close` no event is handed on and no new socket is opened; a connection that fell silent is given up after
 * `silentMs`, since the library would wait for two heartbeats and then for a farewell that never comes.
 * https://discord.com/developers/docs/events/gateway
 */
import {
  Client,
  GatewayIntentBits,
  GatewayOpcodes,
  Options,
  SimpleShardingStrategy,
  WebSocketShardStatus,
} from 'discord.js';
import { errorMessage } from '../../../errors.ts';
import { isFields } from '../../shared/read.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import { restOptions } from './api.ts';
import { CACHES } from './caches.ts';
import type { Session, SessionEnd, SessionEvents, SessionOptions } from './session-types.ts';

interface Shard {
  heardAt: number;
  seq: number | null;
  ping: number;
  /** Undefined while it is connected. */
  downSince: number | undefined;
  tries: number;
  /** Before the next try. */
  pause: Promise<void> | undefined;
}

const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
];
const GUILDS_MS = 5000;
const CLOSE_MS = 1000;
/** The library's limit for opening a socket is 30 s. */
const OPENING_MS = 35_000;

export function openSession(options: SessionOptions, events: SessionEvents): Session {
  const { log, timing } = options;
  const backoff = createBackoff(timing.backoffMs.min, timing.backoffMs.max);
  const closing = new AbortController();
  const shards = new Map<number, Shard>();
  let isOver = false;
  let socket: { probe(id: number, seq: number | null): Promise<void>; isOpening(): Promise<boolean> } | undefined;

  const client = new Client({
    intents: INTENTS,
    shards: 'auto',
    waitGuildTimeout: GUILDS_MS,
    rest: restOptions(options.apiRoot, options.cdnRoot),
    makeCache: Options.cacheWithLimits(CACHES),
    sweepers: { threads: { interval: 600, lifetime: 600 } },
    ws: {
      buildIdentifyThrottler: () => ({
        waitForIdentify: (_shard, signal) => (closing.signal.aborted ? never() : options.mayIdentify(signal)),
      }),
      buildStrategy(manager) {
        const retrieve = manager.options.retrieveSessionInfo;
        // Asked before each connection: the place to wait between tries, and where a closed client stops for good.
        manager.options.retrieveSessionInfo = async (shardId) => {
          await shards.get(shardId)?.pause;
          return closing.signal.aborted ? never() : retrieve(shardId);
        };
        // An event that the library cannot digest (RESUMED right after the session was taken away) would end the process.
        manager.emit = new Proxy(manager.emit, {
          apply(emit, self, details) {
            try {
              return Reflect.apply(emit, self, details);
            } catch (error) {
              log.warn({ err: error }, 'discord.js could not deal with an event');
              return true;
            }
          },
        });
        socket = {
          probe: async (id, seq) => manager.send(id, { op: GatewayOpcodes.Heartbeat, d: seq }),
          isOpening: async () => [...(await manager.fetchStatus()).values()].includes(WebSocketShardStatus.Connecting),
        };
        return new SimpleShardingStrategy(manager);
      },
    },
  });

  function shardOf(id: number): Shard {
    const known = shards.get(id);
    if (known) return known;
    const shard = { heardAt: Date.now(), seq: null, ping: -1, downSince: Date.now(), tries: 0, pause: undefined };
    shards.set(id, shard);
    return shard;
  }

  function take(packet: unknown, id: unknown): void {
    if (closing.signal.aborted || !isFields(packet) || typeof id !== 'number') return;
    const shard = shardOf(id);
    shard.heardAt = Date.now();
    if (typeof packet.s === 'number') shard.seq = packet.s;
    if (typeof packet.t === 'string') events.onPacket(packet.t, packet.d);
  }

  function up(id: number): void {
    Object.assign(shardOf(id), { heardAt: Date.now(), downSince: undefined, tries: 0, pause: undefined });
  }

  function end(reason: SessionEnd): void {
    if (isOver || closing.signal.aborted) return;
    isOver = true;
    events.onEnd(reason);
  }

  /** The library tries again half a second later, for ever and at that pace, were it not for the pause. */
  function down(id: number): void {
    const shard = shardOf(id);
    shard.downSince ??= Date.now();
    if (shard.tries++ > 0) shard.pause = sleep(backoff.next(), closing.signal);
    else backoff.reset();
    if (!closing.signal.aborted) events.onDown('the connection to Discord broke');
  }

  function watch(): void {
    const now = Date.now();
    for (const [id, shard] of shards) {
      const ping = client.ws.shards.get(id)?.ping ?? -1;
      if (ping !== shard.ping) Object.assign(shard, { ping, heardAt: now });
      if (shard.downSince !== undefined) {
        if (now - shard.downSince > timing.stuckMs) end({ detail: 'no connection to Discord came about' });
      } else if (now - shard.heardAt > timing.silentMs) {
        end({ detail: 'Discord fell silent on an open connection' });
      } else if (now - shard.heardAt > timing.silentMs * 0.4) {
        socket?.probe(id, shard.seq).catch((error: unknown) => log.debug({ err: error }, 'no heartbeat could be sent'));
      }
    }
  }

  /** The library cannot take down a socket that is still being opened without leaving its errors to nobody. */
  async function dispose(): Promise<void> {
    const until = Date.now() + OPENING_MS;
    try {
      while (Date.now() < until && (await socket?.isOpening())) await rest(250);
      await client.destroy();
    } catch (error) {
      log.debug({ err: error }, 'the connection was not taken down in order');
    }
  }

  client.on('raw', take);
  client.on('shardReady', (id) => {
    up(id);
    const all = [...client.ws.shards.keys()].every((shard) => shards.get(shard)?.downSince === undefined);
    if (all && !closing.signal.aborted) events.onReady();
  });
  client.on('shardResume', (id) => {
    up(id);
    if (!closing.signal.aborted) events.onResumed();
  });
  client.on('shardReconnecting', down);
  client.on('shardDisconnect', ({ code }) =>
    end({ closeCode: code, detail: `Discord closed the connection with code ${code}` }),
  );
  client.on('shardError', (error) => log.debug({ err: error }, 'the connection to Discord failed'));
  client.on('error', (error) => log.warn({ err: error }, 'discord.js reports an error'));
  const watching = setInterval(watch, timing.silentMs / 5).unref();
  client.login(options.token).catch((error: unknown) => end({ error, detail: errorMessage(error) }));

  return {
    async close() {
      closing.abort();
      clearInterval(watching);
      await Promise.race([dispose(), rest(CLOSE_MS)]);
    },
  };
}

/** A new one each time: one that is shared would keep everybody who waits for it. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
