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
import type { Logger } from '../../../log.ts';
import { isFields } from '../../shared/read.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import { restOptions } from './api.ts';
import { CACHES } from './caches.ts';
import type { Session, SessionEnd, SessionEvents, SessionOptions } from './session-types.ts';

/** Of the library's sockets: what it does not offer by itself. */
interface Socket {
  probe(id: number, seq: number | null): Promise<void>;
  isOpening(): Promise<boolean>;
}

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
  return new ClientSession(options, events);
}

class ClientSession implements Session {
  readonly #to: SessionOptions;
  readonly #events: SessionEvents;
  readonly #backoff;
  readonly #closing = new AbortController();
  readonly #shards = new Map<number, Shard>();
  #isOver = false;
  #socket: Socket | undefined;
  readonly #client;
  readonly #watching;

  constructor(options: SessionOptions, events: SessionEvents) {
    this.#to = options;
    this.#events = events;
    this.#backoff = createBackoff(this.#to.timing.backoffMs.min, this.#to.timing.backoffMs.max);
    this.#client = createClient(this.#to, this.#closing.signal, {
      pauseOf: (shardId) => this.#shards.get(shardId)?.pause,
      onSocket: (opened) => {
        this.#socket = opened;
      },
    });
    this.#client.on('raw', (packet: unknown, id: unknown) => this.#take(packet, id));
    this.#client.on('shardReady', (id) => {
      this.#up(id);
      const all = [...this.#client.ws.shards.keys()].every((shard) => this.#shards.get(shard)?.downSince === undefined);
      if (all && !this.#closing.signal.aborted) this.#events.onReady();
    });
    this.#client.on('shardResume', (id) => {
      this.#up(id);
      if (!this.#closing.signal.aborted) this.#events.onResumed();
    });
    this.#client.on('shardReconnecting', (id) => this.#down(id));
    this.#client.on('shardDisconnect', ({ code }) =>
      this.#end({ closeCode: code, detail: `Discord closed the connection with code ${code}` }),
    );
    this.#client.on('shardError', (error) => this.#to.log.debug({ err: error }, 'the connection to Discord failed'));
    this.#client.on('error', (error) => this.#to.log.warn({ err: error }, 'discord.js reports an error'));
    this.#watching = setInterval(() => this.#watch(), this.#to.timing.silentMs / 5).unref();
    this.#client.login(this.#to.token).catch((error: unknown) => this.#end({ error, detail: errorMessage(error) }));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#watching);
    await Promise.race([this.#dispose(), rest(CLOSE_MS)]);
  }

  #shardOf(id: number): Shard {
    const known = this.#shards.get(id);
    if (known) return known;
    const shard = { heardAt: Date.now(), seq: null, ping: -1, downSince: Date.now(), tries: 0, pause: undefined };
    this.#shards.set(id, shard);
    return shard;
  }

  #take(packet: unknown, id: unknown): void {
    if (this.#closing.signal.aborted || !isFields(packet) || typeof id !== 'number') return;
    const shard = this.#shardOf(id);
    shard.heardAt = Date.now();
    if (typeof packet.s === 'number') shard.seq = packet.s;
    if (typeof packet.t === 'string') this.#events.onPacket(packet.t, packet.d);
  }

  #up(id: number): void {
    Object.assign(this.#shardOf(id), { heardAt: Date.now(), downSince: undefined, tries: 0, pause: undefined });
  }

  #end(reason: SessionEnd): void {
    if (this.#isOver || this.#closing.signal.aborted) return;
    this.#isOver = true;
    this.#events.onEnd(reason);
  }

  /** The library tries again half a second later, for ever and at that pace, were it not for the pause. */
  #down(id: number): void {
    const shard = this.#shardOf(id);
    shard.downSince ??= Date.now();
    if (shard.tries++ > 0) shard.pause = sleep(this.#backoff.next(), this.#closing.signal);
    else this.#backoff.reset();
    if (!this.#closing.signal.aborted) this.#events.onDown('the connection to Discord broke');
  }

  #watch(): void {
    const now = Date.now();
    for (const [id, shard] of this.#shards) {
      const ping = this.#client.ws.shards.get(id)?.ping ?? -1;
      if (ping !== shard.ping) Object.assign(shard, { ping, heardAt: now });
      if (shard.downSince !== undefined) {
        if (now - shard.downSince > this.#to.timing.stuckMs)
          this.#end({ detail: 'no connection to Discord came about' });
      } else if (now - shard.heardAt > this.#to.timing.silentMs) {
        this.#end({ detail: 'Discord fell silent on an open connection' });
      } else if (now - shard.heardAt > this.#to.timing.silentMs * 0.4) {
        this.#socket
          ?.probe(id, shard.seq)
          .catch((error: unknown) => this.#to.log.debug({ err: error }, 'no heartbeat could be sent'));
      }
    }
  }

  /** The library cannot take down a socket that is still being opened without leaving its errors to nobody. */
  async #dispose(): Promise<void> {
    const until = Date.now() + OPENING_MS;
    try {
      while (Date.now() < until && (await this.#socket?.isOpening())) await rest(250);
      await this.#client.destroy();
    } catch (error) {
      this.#to.log.debug({ err: error }, 'the connection was not taken down in order');
    }
  }
}

/** A client that waits where `hooks` say, and does nothing more once it is closing. */
function createClient(
  options: SessionOptions,
  closing: AbortSignal,
  hooks: { pauseOf: (shardId: number) => Promise<void> | undefined; onSocket: (socket: Socket) => void },
): Client {
  return new Client({
    intents: INTENTS,
    shards: 'auto',
    waitGuildTimeout: GUILDS_MS,
    rest: restOptions(options.apiRoot, options.cdnRoot),
    makeCache: Options.cacheWithLimits(CACHES),
    sweepers: { threads: { interval: 600, lifetime: 600 } },
    ws: {
      buildIdentifyThrottler: () => ({
        waitForIdentify: (_shard, signal) => (closing.aborted ? never() : options.mayIdentify(signal)),
      }),
      buildStrategy(manager) {
        const retrieve = manager.options.retrieveSessionInfo;
        // Asked before each connection: the place to wait between tries, and where a closed client stops for good.
        manager.options.retrieveSessionInfo = async (shardId) => {
          await hooks.pauseOf(shardId);
          return closing.aborted ? never() : retrieve(shardId);
        };
        manager.emit = tolerant(manager.emit, options.log);
        hooks.onSocket({
          probe: async (id, seq) => manager.send(id, { op: GatewayOpcodes.Heartbeat, d: seq }),
          isOpening: async () => [...(await manager.fetchStatus()).values()].includes(WebSocketShardStatus.Connecting),
        });
        return new SimpleShardingStrategy(manager);
      },
    },
  });
}

/** An event that the library cannot digest (RESUMED right after the session was taken away) would end the process. */
function tolerant<T extends (...details: never[]) => boolean>(emit: T, log: Logger): T {
  return new Proxy(emit, {
    apply(_emit, self, details) {
      try {
        return Reflect.apply(emit, self, details);
      } catch (error) {
        log.warn({ err: error }, 'discord.js could not deal with an event');
        return true;
      }
    },
  });
}

/** A new one each time: one that is shared would keep everybody who waits for it. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
