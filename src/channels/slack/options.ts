/** Defines the options of a Slack channel, and their defaults. */
import type { Logger } from '../../log.ts';
import type { ChannelLimits, CommandSpec, LiveMode, NameOf, ReadCursors } from '../channel.ts';
import { DOWNLOAD_BYTES } from './connect/download.ts';
import type { Cache } from './connect/people.ts';
import { LIVE_TIMING, type LiveTiming } from './live/live.ts';

/** https://docs.slack.dev/reference/block-kit/blocks/markdown-block/ (12,000 characters), files of up to 1 GB. */
export const LIMITS: ChannelLimits = { text: 12_000, uploadBytes: 1024 * 1024 * 1024, downloadBytes: DOWNLOAD_BYTES };

/** Waiting times. Only tests change the defaults. */
export interface Timing {
  backoffMs: { min: number; max: number };
  /** Milliseconds without a sign of life after which a connection counts as lost. */
  pingMs: number;
  /** Milliseconds for an attempt to open a connection, including Slack's greeting. */
  greetingMs: number;
  /** Milliseconds from Slack's notice that it withholds events until they are fetched. */
  limitedMs: number;
  /** Milliseconds that live events wait for what was posted before them. */
  holdMs: number;
  /** Milliseconds from a new name until it is written to the cache. */
  saveMs: number;
  /** Milliseconds that a command waits to learn whose chat it came from. */
  ownChatMs: number;
  /** Milliseconds between two changes of a thread's task, unless the task has ended. */
  taskMs: number;
  /** Milliseconds that a message with a link to another waits for the linked text. */
  previewMs: number;
  live: LiveTiming;
}

export interface SlackOptions {
  botToken: string;
  /** Required for mode `socket`. */
  appToken?: string;
  /** Required for mode `http`. */
  signingSecret?: string;
  mode: 'socket' | 'http';
  /** `https://slack.com/api/`, or another root. */
  apiRoot: string;
  /** The slash command's name, such as `/viber`. */
  command: string;
  live: LiveMode;
  /** The language of every answer; absent: each person's own. */
  language?: string;
  commands: readonly CommandSpec[];
  cursors: ReadCursors;
  cache?: Cache;
  /** Returns the names of people in the configuration. */
  nameOf?: NameOf;
  log: Logger;
  timing?: Partial<Timing>;
}

export const TIMING: Timing = {
  backoffMs: { min: 500, max: 30_000 },
  pingMs: 5000,
  greetingMs: 20_000,
  limitedMs: 65_000,
  holdMs: 20_000,
  saveMs: 2000,
  ownChatMs: 1500,
  taskMs: 2000,
  previewMs: 1500,
  live: LIVE_TIMING,
};
