/** State that all parts of the engine share. */
import type { Connections } from './connection.ts';
import type { News } from './news.ts';
import type { Scripts } from './scripts.ts';
import type { CodeOf } from './seal.ts';

export interface World {
  connections: Connections;
  scripts: Scripts;
  news: News;
  /** Makes seals; set if others can reach the server, so that they can't write in our name. */
  codeOf: CodeOf | undefined;
  /** `host:port`. */
  address: string;
  /** The unique name of this process. */
  name: string;
  shards: number;
  leaseMs: number;
  /** How long an event is remembered, in ms. */
  seenMs: number;
  /** The delay before a message that was part of two crashes is tried, in ms. */
  suspectMs: number;
  /** Names of processes that are certainly gone. */
  gone: Set<string>;
  /** Receives failures that have no caller. */
  onError: (error: unknown) => void;
  /** Receives failures that may pass by themselves, such as a reconnect. */
  onQuiet: (error: unknown) => void;
}
