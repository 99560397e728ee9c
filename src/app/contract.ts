/** The gateway as it is put together: what it is made of, and what it is given. Types only. */
import type { Principal } from '../access/principal.ts';
import type { SessionInfo } from '../access/sessions.ts';
import type { Board } from '../board/contract.ts';
import type { Places } from '../board/guard.ts';
import type { BoardLink } from '../board/links.ts';
import type { Exchange } from '../board/protocol/exchange.ts';
import type { ProtocolParts } from '../board/protocol/parts.ts';
import type { createSockets } from '../board/protocol/socket.ts';
import type { HttpHandler } from '../board/server.ts';
import type { Address, Channel } from '../channels/channel.ts';
import type { Lead } from '../channels/lead.ts';
import type { BoardAsk } from '../channels/local/requests.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import type { Clock } from '../lib/clock.ts';
import type { SyncSoon } from '../lib/files/sync-soon.ts';
import type { createHandles, handleLimit, limitProblem } from '../lib/handles.ts';
import type { Logger } from '../log.ts';
import type { Agent } from '../runtime/agent/agent.ts';
import type { Entry } from '../runtime/contract/entry.ts';
import type { Readiness } from '../runtime/readiness.ts';
import type { Feature, Gateway } from '../runtime/run/gateway.ts';
import type { Worker } from '../runtime/worker.ts';
import type { Uploads } from '../workspace/uploads.ts';
import type { Crashed } from './crashed.ts';
import type { hearDamage } from './damage.ts';
import type { Elsewhere } from './processes/elsewhere.ts';
import type { Roles } from './processes/roles.ts';

export interface GatewayOptions {
  config: Config;
  homeRoot: string;
  log: Logger;
  env?: NodeJS.ProcessEnv;
  /** Only the machine's own socket: for one-shot commands. */
  localOnly?: boolean;
  /** The system's where there is none. */
  clock?: Clock | undefined;
  /** Those that are on; all of `src/features.ts` where nothing is said. */
  features?: readonly Feature[];
  /** Answers in the place of the models of the configuration. */
  model?: Agent;
  /** Channels that are there already, beside those of the configuration. */
  channels?: readonly Channel[];
  /** What waits between two tries are multiplied by; for tests. */
  timeScale?: number;
  /** Milliseconds after which a message that was part of a crash is tried alone; for tests. */
  suspectDelayMs?: number;
}

/** The gateway with all of its configuration. */
export type AppGateway = Gateway<Config>;

export interface OpenGateway {
  gw: AppGateway;
  host: Host;
  worker: Worker;
  board: BoardDoor;
  uploads: Uploads;
  /** Loads the model's libraries ahead of the first message. Never rejects. */
  preload(): Promise<void>;
  /** Takes up what waits, where this process works. */
  start(): Promise<void>;
  /** The channels are connected: what needs them begins. */
  connected(): Promise<void>;
  /** Once a day. */
  sweep(now: Date): void;
  /** What is at work ends within `graceMs` or is kept, and what is on its way out is sent. Nothing may be taken in any more. */
  stop(graceMs?: number): Promise<void>;
  /** After `stop`: the home is given back. */
  close(): Promise<void>;
}

export interface Host {
  readonly roles: Roles;
  /** The engine, where other processes may work on the same home. */
  readonly shared: Engine<Entry> | undefined;
  /** What only one process at a time may do. */
  readonly lead: Lead;
  /** The channels that are on; empty until they are built. */
  readonly built: BuiltChannels;
  readonly handles: ReturnType<typeof createHandles>;
  readonly limit: ReturnType<typeof handleLimit> | undefined;
  readonly shortage: ReturnType<typeof limitProblem>;
  readonly syncSoon: SyncSoon;
  /** Their people are told when the gateway starts. */
  readonly crashed: Crashed;
  damage?: ReturnType<typeof hearDamage>;
  /** What other processes are told, and tell. */
  elsewhere?: Elsewhere | undefined;
  /** The locks of the home are this process's own again. */
  unshareLocks(): void;
  /** The home is given back; the engine is closed by then. */
  release(): void;
}

export interface BuiltChannels {
  /** By id. */
  readonly channels: Map<string, Channel>;
  /** HTTP handlers by path, for platforms that call us. */
  readonly mounts: Map<string, HttpHandler>;
  readonly closing: (() => Promise<void>)[];
}

export interface BoardDoor {
  /** Opened at the first use, for the Board and for a hub alike. */
  protocol(open: OpenGateway): Promise<Protocol>;
  load(places: Places, port: number, open: OpenGateway, readiness: () => Promise<Readiness>): Promise<Board>;
  /** For an owner who asks in a direct message; undefined where the Board cannot be reached. */
  linkFor(principal: Principal, address: Address): Promise<BoardLink | undefined>;
  answer(asked: BoardAsk): Promise<{ url?: string; sessions?: SessionInfo[] }>;
  close(): Promise<void>;
  /** The port in use, once the server listens. */
  port: number | undefined;
}

export interface Protocol {
  parts: ProtocolParts;
  exchange: Exchange;
  sockets: ReturnType<typeof createSockets>;
  close(): void;
}
