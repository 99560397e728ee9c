/** What all parts of the engine share. */
import type { Connections } from './connection.ts';
import type { News } from './news.ts';
import type { Scripts } from './scripts.ts';
import type { CodeOf } from './seal.ts';

export interface World {
  connections: Connections;
  scripts: Scripts;
  news: News;
  /** Where whoever reaches the server must not be able to say something in our name. */
  codeOf: CodeOf | undefined;
  /** `host:port`. */
  address: string;
  /** Of this process, among all. */
  name: string;
  shards: number;
  leaseMs: number;
  /** Milliseconds for which an event is known. */
  seenMs: number;
  /** Milliseconds before a message is tried that was part of two crashes. */
  suspectMs: number;
  /** Names of processes that are gone for certain. */
  gone: Set<string>;
  /** Nobody else hears of it. */
  onError: (error: unknown) => void;
  /** What passes by itself, as a connection that is opened again. */
  onQuiet: (error: unknown) => void;
}
