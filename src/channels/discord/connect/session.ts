/**
 * Holds one connection with the part of discord.js that identifies, sends heartbeats and resumes (`@discordjs/ws`).
 * Events are passed on as they arrive and none is kept: the library's own model of guilds and people isn't loaded.
 * Invariants: after `close` no event is passed on and no new socket is opened; a silent connection is given up after
 * `silentMs`, since the library would wait for two heartbeats and then for a close that never comes.
 * https://discord.com/developers/docs/events/gateway
 */

import { REST } from '@discordjs/rest';
import {
  CloseCodes,
  type SessionInfo,
  WebSocketManager,
  WebSocketShardEvents,
  WebSocketShardStatus,
} from '@discordjs/ws';
import { GatewayCloseCodes, GatewayIntentBits, GatewayOpcodes } from 'discord-api-types/v10';
import { errorMessage } from '../../../errors.ts';
import { within } from '../../../lib/within.ts';
import type { Logger } from '../../../log.ts';
import { isFields } from '../../shared/read.ts';
import { createBackoff, rest, sleep } from '../../shared/wait.ts';
import { restOptions } from './api.ts';
import type { KeptSessions } from './kept-session.ts';

export interface SessionOptions {
  token: string;
  apiRoot: string;
  cdnRoot: string;
  log: Logger;
  timing: SessionTiming;
  /** Waits until this application may identify again. */
  mayIdentify: (signal: AbortSignal) => Promise<void>;
  /** Set if another process may hold the connection next and resume the session. */
  kept: KeptSessions | undefined;
}

/** Times in milliseconds. */
export interface SessionTiming {
  /** The wait between tries of a lost connection. */
  backoffMs: { min: number; max: number };
  /** A connection without an event or a heartbeat's answer for this long is given up. */
  silentMs: number;
  /** A client without a connection for this long is replaced. */
  stuckMs: number;
}

export interface SessionEnd {
  detail: string;
  /** The code with which Discord closed the connection, if it forbids reconnecting. */
  closeCode?: number;
  error?: unknown;
}

export interface SessionEvents {
  /** Called for every dispatch, in order. */
  onPacket(type: string, data: unknown): void;
  /** Called after an identify, once every guild was listed; earlier messages may have been missed. */
  onReady(): void;
  /** Called when the session was resumed; nothing was missed. */
  onResumed(): void;
  onDown(detail: string): void;
  /** Called once, when this client can't be used any more. */
  onEnd(end: SessionEnd): void;
}

interface Shard {
  heardAt: number;
  seq: number | null;
  /** Guilds that READY named and that aren't listed yet; after `GUILDS_MS` the shard is ready without them. */
  awaited: Set<unknown>;
  waiting: NodeJS.Timeout | undefined;
  /** Undefined while connected. */
  downSince: number | undefined;
  tries: number;
  /** The wait before the next try. */
  pause: Promise<void> | undefined;
}

const INTENTS =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.DirectMessages |
  GatewayIntentBits.MessageContent;
const GUILDS_MS = 5000;
const CLOSE_MS = 1000;
/** Members beyond which Discord lists a guild without those who are offline. */
const LARGE_GUILD = 50;
/** Close codes after which reconnecting is useless. */
const FINAL: readonly number[] = [
  GatewayCloseCodes.AuthenticationFailed,
  GatewayCloseCodes.InvalidShard,
  GatewayCloseCodes.ShardingRequired,
  GatewayCloseCodes.InvalidIntents,
  GatewayCloseCodes.DisallowedIntents,
];
/** The library's own limit for opening a socket is 30 s. */
const OPENING_MS = 35_000;

export class GatewaySession {
  readonly #to: SessionOptions;
  readonly #events: SessionEvents;
  readonly #backoff;
  readonly #closing = new AbortController();
  readonly #shards = new Map<number, Shard>();
  readonly #sessions = new Map<number, SessionInfo | null>();
  #isOver = false;
  readonly #rest: REST;
  readonly #manager;
  readonly #watching;

  constructor(options: SessionOptions, events: SessionEvents) {
    this.#to = options;
    this.#events = events;
    this.#backoff = createBackoff(this.#to.timing.backoffMs.min, this.#to.timing.backoffMs.max);
    this.#rest = new REST(restOptions(options.apiRoot, options.cdnRoot)).setToken(options.token);
    this.#manager = this.#createManager();
    this.#listen();
    this.#watching = setInterval(() => this.#watch(), this.#to.timing.silentMs / 5).unref();
    this.#manager.connect().catch((error: unknown) => this.#end({ error, detail: errorMessage(error) }));
  }

  #listen(): void {
    const manager = this.#manager;
    manager.on(WebSocketShardEvents.Dispatch, ({ data, shardId }) => this.#take(data, shardId));
    manager.on(WebSocketShardEvents.Resumed, ({ shardId }) => {
      this.#up(shardId);
      if (!this.#closing.signal.aborted) this.#events.onResumed();
    });
    manager.on(WebSocketShardEvents.Closed, ({ code, shardId }) => {
      if (FINAL.includes(code))
        this.#end({ closeCode: code, detail: `Discord closed the connection with code ${code}` });
      else this.#down(shardId);
    });
    manager.on(WebSocketShardEvents.HeartbeatComplete, ({ shardId }) => {
      this.#shardOf(shardId).heardAt = Date.now();
    });
    manager.on(WebSocketShardEvents.Error, ({ error }) =>
      this.#to.log.debug({ err: error }, 'the connection to Discord failed'),
    );
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#watching);
    await within(this.#dispose(), CLOSE_MS);
  }

  #shardOf(id: number): Shard {
    const known = this.#shards.get(id);
    if (known) return known;
    const shard: Shard = {
      heardAt: Date.now(),
      seq: null,
      awaited: new Set(),
      waiting: undefined,
      downSince: Date.now(),
      tries: 0,
      pause: undefined,
    };
    this.#shards.set(id, shard);
    return shard;
  }

  #take(packet: unknown, id: unknown): void {
    if (this.#closing.signal.aborted || !isFields(packet) || typeof id !== 'number') return;
    const shard = this.#shardOf(id);
    shard.heardAt = Date.now();
    if (typeof packet.s === 'number') shard.seq = packet.s;
    if (typeof packet.t === 'string') this.#events.onPacket(packet.t, packet.d);
    const session = this.#sessions.get(id);
    if (session) this.#to.kept?.note(session);
    if (packet.t === 'READY') this.#await(id, shard, packet.d);
    else if (shard.waiting && (packet.t === 'GUILD_CREATE' || packet.t === 'GUILD_DELETE')) {
      shard.awaited.delete(isFields(packet.d) ? packet.d.id : undefined);
      if (shard.awaited.size === 0) this.#ready(id, shard);
    }
  }

  /** Waits after an identify until every guild was listed. */
  #await(id: number, shard: Shard, data: unknown): void {
    const guilds = isFields(data) && Array.isArray(data.guilds) ? data.guilds : [];
    shard.awaited = new Set(guilds.map((guild) => (isFields(guild) ? guild.id : undefined)));
    clearTimeout(shard.waiting);
    if (shard.awaited.size === 0) this.#ready(id, shard);
    else shard.waiting = setTimeout(() => this.#ready(id, shard), GUILDS_MS).unref();
  }

  #ready(id: number, shard: Shard): void {
    clearTimeout(shard.waiting);
    shard.waiting = undefined;
    this.#up(id);
    const isAll = [...this.#shards.values()].every(({ downSince }) => downSince === undefined);
    if (isAll && !this.#closing.signal.aborted) this.#events.onReady();
  }

  #up(id: number): void {
    Object.assign(this.#shardOf(id), { heardAt: Date.now(), downSince: undefined, tries: 0, pause: undefined });
  }

  #end(reason: SessionEnd): void {
    if (this.#isOver || this.#closing.signal.aborted) return;
    this.#isOver = true;
    this.#events.onEnd(reason);
  }

  /** Notes a lost connection. Without the pause, the library would retry every half second forever. */
  #down(id: number): void {
    const shard = this.#shardOf(id);
    clearTimeout(shard.waiting);
    shard.waiting = undefined;
    shard.downSince ??= Date.now();
    if (shard.tries++ > 0) shard.pause = sleep(this.#backoff.next(), this.#closing.signal);
    else this.#backoff.reset();
    if (!this.#closing.signal.aborted) this.#events.onDown('the connection to Discord broke');
  }

  #watch(): void {
    const now = Date.now();
    for (const [id, shard] of this.#shards) {
      if (shard.downSince !== undefined) {
        if (now - shard.downSince > this.#to.timing.stuckMs) this.#end({ detail: 'could not connect to Discord' });
      } else if (now - shard.heardAt > this.#to.timing.silentMs) {
        this.#end({ detail: 'Discord sends nothing on an open connection' });
      } else if (now - shard.heardAt > this.#to.timing.silentMs * 0.4) {
        void this.#probe(id, shard);
      }
    }
  }

  /** Destroys the manager. While a socket is being opened, the library can't do that without unhandled errors. */
  async #dispose(): Promise<void> {
    const until = Date.now() + OPENING_MS;
    try {
      while (Date.now() < until && (await this.#isOpening())) await rest(250);
      // After any other code Discord would keep the session.
      const code = this.#to.kept ? CloseCodes.Resuming : CloseCodes.Normal;
      await this.#manager.destroy({ code, reason: 'the gateway stops' });
    } catch (error) {
      this.#to.log.debug({ err: error }, 'the connection could not be closed properly');
    } finally {
      this.#rest.clearHashSweeper();
      this.#rest.clearHandlerSweeper();
    }
  }

  async #probe(id: number, { seq }: Shard): Promise<void> {
    try {
      await this.#manager.send(id, { op: GatewayOpcodes.Heartbeat, d: seq });
    } catch (error) {
      this.#to.log.debug({ err: error }, 'no heartbeat could be sent');
    }
  }

  /** Creates the manager. It waits for a shard's pause before each try, and does nothing more once it is closing. */
  #createManager(): WebSocketManager {
    const { kept, token, mayIdentify } = this.#to;
    const closing = this.#closing.signal;
    return new WebSocketManager({
      token,
      rest: this.#rest,
      intents: INTENTS,
      largeThreshold: LARGE_GUILD,
      buildIdentifyThrottler: () => ({
        waitForIdentify: (_shard, signal) => (closing.aborted ? never() : mayIdentify(signal)),
      }),
      // Called before each connection, so it is where to wait between tries and where a closed client stops for good.
      retrieveSessionInfo: async (shardId) => {
        await this.#shards.get(shardId)?.pause;
        if (kept && !this.#sessions.has(shardId)) this.#sessions.set(shardId, (await kept.load(shardId)) ?? null);
        return closing.aborted ? never() : (this.#sessions.get(shardId) ?? null);
      },
      updateSessionInfo: (shardId, session) => {
        this.#sessions.set(shardId, session);
        if (!session && !closing.aborted) kept?.forget(shardId);
      },
    });
  }

  async #isOpening(): Promise<boolean> {
    return [...(await this.#manager.fetchStatus()).values()].includes(WebSocketShardStatus.Connecting);
  }
}

/** A new promise each time: a shared one would retain everything that waits for it. */
const never = (): Promise<never> => new Promise(() => undefined);
