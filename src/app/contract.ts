/** The types of the assembled gateway: its parts and its options. */
import type { Exchange } from '../board/protocol/exchange.ts';
import type { ProtocolParts } from '../board/protocol/parts.ts';
import type { createSockets } from '../board/protocol/socket.ts';
import type { HttpHandler } from '../board/server.ts';
import type { Channel } from '../channels/channel.ts';
import type { Lead } from '../channels/lead.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import type { Clock } from '../lib/clock.ts';
import type { SyncSoon } from '../lib/files.ts';
import type { createHandles, handleLimit, limitProblem } from '../lib/handles.ts';
import type { Logger } from '../log.ts';
import type { Agent } from '../runtime/contract/agent.ts';
import type { Entry } from '../runtime/contract/entry.ts';
import type { Feature, Gateway } from '../runtime/run/gateway.ts';
import type { Worker } from '../runtime/worker.ts';
import type { Uploads } from '../workspace/uploads.ts';
import type { CrashReports } from './crashed.ts';
import type { reportDamage } from './damage.ts';
import type { Elsewhere } from './processes/elsewhere.ts';
import type { Roles } from './processes/roles.ts';

export interface GatewayOptions {
  config: Config;
  homeRoot: string;
  log: Logger;
  env?: NodeJS.ProcessEnv;
  /** Whether to open only the machine's own socket, for one-shot commands. */
  localOnly?: boolean;
  /** Defaults to the system's clock. */
  clock?: Clock | undefined;
  /** The enabled features; defaults to all of `src/features.ts`. */
  features?: readonly Feature[];
  /** Replaces the models of the configuration. */
  model?: Agent;
  /** Existing channels, in addition to those of the configuration. */
  channels?: readonly Channel[];
  /** A factor for waits between retries, for tests. */
  timeScale?: number;
  /** The time in ms after which a message that was involved in a crash is retried alone, for tests. */
  suspectDelayMs?: number;
}

export type AppGateway = Gateway<Config>;

export interface OpenGateway {
  gw: AppGateway;
  host: Host;
  worker: Worker;
  /** The protocol for programs. Opened on first use, for both the Board and a hub. */
  protocol(): Promise<Protocol>;
  /** The port in use, once the server listens. */
  port: number | undefined;
  uploads: Uploads;
  /** Loads the model's libraries before the first message. Never rejects. */
  preload(): Promise<void>;
  /** Starts handling pending messages, if this process runs work. */
  start(): Promise<void>;
  sweep(now: Date): void;
  /**
   * Ends running work within `graceMs`, or saves it for later, and sends outgoing messages. The intake must be closed
   * before.
   */
  stop(graceMs?: number): Promise<void>;
  /** Releases the home; must be called after `stop`. */
  close(): Promise<void>;
}

export interface Host {
  readonly roles: Roles;
  /** The engine, if other processes may work on the same home. */
  readonly shared: Engine<Entry> | undefined;
  /** Runs work that only one process at a time may do. */
  readonly lead: Lead;
  /** The enabled channels; empty until they are built. */
  readonly built: BuiltChannels;
  readonly handles: ReturnType<typeof createHandles>;
  readonly limit: ReturnType<typeof handleLimit> | undefined;
  readonly shortage: ReturnType<typeof limitProblem>;
  readonly syncSoon: SyncSoon;
  /** Messages given up after crashes, whose senders are told when the gateway starts. */
  readonly crashed: CrashReports;
  damage?: ReturnType<typeof reportDamage>;
  /** Exchanges events with other processes. */
  elsewhere?: Elsewhere | undefined;
  /** Makes the home's locks local to this process again. */
  unshareLocks(): void;
  /** Releases the home; the engine must be closed before. */
  release(): void;
}

export interface BuiltChannels {
  /** Keyed by ID. */
  readonly channels: Map<string, Channel>;
  /** HTTP handlers by path, for platforms that call us. */
  readonly mounts: Map<string, HttpHandler>;
  readonly closing: (() => Promise<void>)[];
}

export interface Protocol {
  parts: ProtocolParts;
  exchange: Exchange;
  sockets: ReturnType<typeof createSockets>;
  close(): void;
}
