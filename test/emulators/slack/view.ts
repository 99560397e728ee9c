/** A channel and its messages as a person sees them. */
import type { Watching } from '../base/transcript.ts';

export interface ShownFile {
  id: string;
  name: string;
  mimeType: string;
  size: number;
  sha256: string;
}

export interface ShownButton {
  label: string;
  actionId: string;
  value?: string;
  url?: string;
}

export interface ChatMessage {
  ts: string;
  channel: string;
  /** The `ts` of the first message of its thread, if it is in one. */
  threadTs?: string;
  /** `bot`, or the ID of the user (or B... of another app) that sent it. */
  from: string;
  /** The `text` argument as sent. */
  text: string;
  blocks: Record<string, unknown>[];
  /** What a reader sees: the blocks, otherwise the text. */
  shown: string;
  metadata?: { event_type: string; event_payload: Record<string, unknown> };
  files: ShownFile[];
  buttons: ShownButton[];
  edited: boolean;
  editedCount: number;
  deleted: boolean;
  /** The only person who sees it. */
  ephemeralFor?: string;
  /** Whether it is a reply that is also shown in the channel. */
  broadcast: boolean;
  unfurlLinks?: boolean;
  unfurlMedia?: boolean;
  reactions: { name: string; users: string[] }[];
  /** Whether it is a stream that isn't stopped yet. */
  streaming: boolean;
  /** When it appeared, in milliseconds since the epoch. */
  at: number;
  /** The number of its newest change, across all channels. */
  seq: number;
}

export interface ChannelView {
  id: string;
  name: string;
  kind: 'channel' | 'group' | 'im' | 'mpim';
  members: string[];
  archived: boolean;
  messages: ChatMessage[];
  /** By thread: the assistant's status, title and suggestions. */
  assistants: Record<string, { status: string; title: string; prompts: { title: string; message: string }[] }>;
}

/** A message of the bot notified somebody, or would have. */
export interface Ping {
  channel: string;
  ts: string;
  /** `channel`, `here`, `everyone`, or the ID of a user or user group. */
  who: string;
}

/** What to wait for; every given field must match. */
export interface Wanted {
  channel?: string;
  thread?: string;
  from?: string;
  /** A part of what is shown or of the text. */
  text?: string;
  /** Only messages with a higher `ts`. */
  after?: string;
  /** Only changes with a higher number. */
  since?: number;
  /** The name of a file in it. */
  file?: string;
  ephemeralFor?: string;
  /** How many messages must match; the last of them is returned. */
  count?: number;
  timeoutMs?: number;
}

export interface Transcript extends Omit<Watching<ChatMessage>, 'waitForAll'> {
  /** Returns messages that aren't deleted; `all` includes deleted ones. */
  channel(id: string, options?: { all?: boolean }): ChannelView;
  /** Returns a channel's content as `who: text` lines. */
  lines(id: string): string[];
  /** Waits for a message by a condition that is plain data. */
  wait(wanted: Wanted): Promise<ChatMessage>;
  /** Returns everybody whom the bot's messages would have notified. */
  pings(channel?: string): Ping[];
}
