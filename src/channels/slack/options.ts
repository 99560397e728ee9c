/** What a Slack channel is made from, and what holds unless told otherwise. */
import type { Logger } from '../../log.ts';
import type { ChannelLimits, CommandSpec, LiveMode, NameOf, ReadCursors } from '../channel.ts';
import { DOWNLOAD_BYTES } from './connect/download.ts';
import type { Cache } from './connect/people.ts';
import { LIVE_TIMING, type LiveTiming } from './live/live.ts';

/** https://docs.slack.dev/reference/block-kit/blocks/markdown-block/ (12,000 characters), files of up to 1 GB. */
export const LIMITS: ChannelLimits = { text: 12_000, uploadBytes: 1024 * 1024 * 1024, downloadBytes: DOWNLOAD_BYTES };

/** Waits; the defaults are right outside of tests. */
export interface Timing {
  backoffMs: { min: number; max: number };
  /** Milliseconds without a sign of life after which a connection counts as lost. */
  pingMs: number;
  /** Milliseconds for an attempt to open a connection, Slack's greeting included. */
  greetingMs: number;
  /** Milliseconds from Slack's word that it holds events back until they are looked for. */
  limitedMs: number;
  /** Milliseconds from a new name until it is written to the cache. */
  saveMs: number;
  /** Milliseconds for which a command waits to learn whose chat it came from. */
  ownChatMs: number;
  /** Milliseconds between two changes of how a thread shows its task, unless the task has ended. */
  taskMs: number;
  /** Milliseconds for which a message with a link to another waits for what that says. */
  previewMs: number;
  live: LiveTiming;
}

export interface SlackOptions {
  botToken: string;
  /** For mode `socket`. */
  appToken?: string;
  /** For mode `http`. */
  signingSecret?: string;
  mode: 'socket' | 'http';
  /** `https://slack.com/api/` */
  apiRoot: string;
  /** The slash command's name, for example `/viber`. */
  command: string;
  live: LiveMode;
  /** In which everybody is spoken to; absent: each person's own. */
  language?: string;
  commands: readonly CommandSpec[];
  cursors: ReadCursors;
  cache?: Cache;
  /** Names of people whom the configuration names. */
  nameOf?: NameOf;
  log: Logger;
  timing?: Partial<Timing>;
}

export const TIMING: Timing = {
  backoffMs: { min: 500, max: 30_000 },
  pingMs: 5000,
  greetingMs: 20_000,
  limitedMs: 65_000,
  saveMs: 2000,
  ownChatMs: 1500,
  taskMs: 2000,
  previewMs: 1500,
  live: LIVE_TIMING,
};
