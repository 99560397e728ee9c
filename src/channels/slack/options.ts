/** Defines the options of a Slack channel, their defaults, and the context that its parts share. */
import type { Logger } from '../../log.ts';
import type { ChannelCallbacks, ChannelLimits, CommandSpec, LiveMode, NameOf, ReadCursors } from '../channel.ts';
import type { ChannelCache } from '../kind.ts';
import type { StatusTiming } from '../shared/status.ts';
import type { SlackApi } from './connect/api.ts';
import type { Hosts } from './connect/hosts.ts';
import type { Transport } from './connect/transport.ts';
import type { Self } from './decode/base.ts';

/**
 * https://docs.slack.dev/reference/block-kit/blocks/markdown-block/ (12,000 characters). Slack stores files of up to
 * 1 GB; the caller sets the limit for downloads.
 */
export const LIMITS: ChannelLimits = { text: 12_000, uploadBytes: 1024 ** 3, downloadBytes: 1024 ** 3 };

/** Milliseconds. */
export interface LiveTiming extends StatusTiming {
  /** The gap between calls in one channel. Slack accepts one message per second there, answers included. */
  gap: number;
}

export const LIVE_TIMING: LiveTiming = {
  typingAfter: 300,
  typingEvery: 60_000,
  statusAfter: 3000,
  statusEvery: 3000,
  textEvery: 1500,
  gap: 2000,
  longRun: 30_000,
  late: 1500,
};

/** Milliseconds. Only tests change the defaults. */
export interface Timing {
  backoffMs: { min: number; max: number };
  /** Without a sign of life after which a connection counts as lost. */
  pingMs: number;
  /** For an attempt to open a connection, including Slack's greeting. */
  greetingMs: number;
  /** From Slack's notice that it withholds events until they are fetched. */
  limitedMs: number;
  /** For which live events wait for what was posted before them, and for Slack's answers. Slack repeats them until then. */
  holdMs: number;
  /** From a new name until all are written to the cache. */
  saveMs: number;
  /** For which a command waits to learn whose chat it came from: Slack expects an acknowledgement within three seconds. */
  ownChatMs: number;
  /** Between two changes of a thread's task, unless the task has ended. */
  taskMs: number;
  /**
   * For which a message with a link to another waits for the linked text; Slack repeats what isn't acknowledged within
   * three seconds.
   */
  previewMs: number;
  live: LiveTiming;
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

export interface SlackSettings {
  botToken: string;
  /** Required for mode `socket`. */
  appToken?: string;
  /** Required for mode `http`. */
  signingSecret?: string;
  mode: 'socket' | 'http';
  /** `https://slack.com/api/`, or another root. */
  apiRoot: string;
}

export interface SlackOptions extends SlackSettings {
  /** The slash command's name, such as `/viber`. */
  command: string;
  live: LiveMode;
  /** The language of every answer; absent: each person's own. */
  language?: string;
  commands: readonly CommandSpec[];
  cursors: ReadCursors;
  cache?: ChannelCache;
  /** Returns the names of people in the configuration. */
  nameOf?: NameOf;
  log: Logger;
  timing?: Partial<Timing>;
}

export interface Identity {
  userId: string;
  /** '' if the token isn't a bot's. */
  botId: string;
  teamId: string;
  teamName: string;
  name: string;
  /** Example: `https://team.slack.com/`. */
  url: string;
  scopes: string[] | undefined;
}

/** A Slack channel as all its parts see it. */
export interface SlackContext {
  readonly options: SlackOptions;
  readonly timing: Timing;
  readonly log: Logger;
  readonly api: SlackApi;
  readonly transport: Transport;
  readonly hosts: Hosts;
  /** Aborts when the channel is disconnected. */
  readonly signal: AbortSignal;
  /** Set while connecting. */
  callbacks?: ChannelCallbacks;
  /** Set once Slack has reported who the bot is. */
  identity?: Identity | undefined;
  self?: Self;
}
