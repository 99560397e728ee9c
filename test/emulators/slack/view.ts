/** A channel and its messages as a person sees them. */

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
  /** `ts` of the first message of its thread, when it is in one. */
  threadTs?: string;
  /** `bot`, or the id of the user (or B... of another app) that sent it. */
  from: string;
  /** The `text` argument as it was sent. */
  text: string;
  blocks: Record<string, unknown>[];
  /** What a reader sees: of the blocks, else of the text. */
  shown: string;
  metadata?: { event_type: string; event_payload: Record<string, unknown> };
  files: ShownFile[];
  buttons: ShownButton[];
  edited: boolean;
  editedCount: number;
  deleted: boolean;
  /** The only person who sees it. */
  ephemeralFor?: string;
  /** A reply that is also shown in the channel. */
  broadcast: boolean;
  unfurlLinks?: boolean;
  unfurlMedia?: boolean;
  reactions: { name: string; users: string[] }[];
  /** A stream that is not stopped yet. */
  streaming: boolean;
  /** Milliseconds since the epoch when it appeared. */
  at: number;
  /** Number of its newest change, over all channels. */
  seq: number;
}

export interface ChannelView {
  id: string;
  name: string;
  kind: 'channel' | 'group' | 'im' | 'mpim';
  members: string[];
  archived: boolean;
  messages: ChatMessage[];
  /** By thread: what an assistant shows as doing, its title, its suggestions. */
  assistants: Record<string, { status: string; title: string; prompts: { title: string; message: string }[] }>;
}

/** Someone was, or would have been, notified by a message of the bot. */
export interface Ping {
  channel: string;
  ts: string;
  /** `channel`, `here`, `everyone`, a user id or a user group's id. */
  who: string;
}

/** What to wait for; every given field must fit. */
export interface Wanted {
  channel?: string;
  thread?: string;
  from?: string;
  /** Part of what is shown or of the text. */
  text?: string;
  /** Only messages with a higher `ts`. */
  after?: string;
  /** Only changes with a higher number. */
  since?: number;
  /** Name of a file in it. */
  file?: string;
  ephemeralFor?: string;
  /** How many messages must fit; the last of them is given. */
  count?: number;
  timeoutMs?: number;
}

export interface Transcript {
  /** Messages that are not deleted; `all` gives those too. */
  channel(id: string, options?: { all?: boolean }): ChannelView;
  /** What is shown in a channel as `who: text` lines. */
  lines(id: string): string[];
  waitFor(fits: (message: ChatMessage) => boolean, timeoutMs?: number): Promise<ChatMessage>;
  /** The same with a condition that is plain data. */
  wait(wanted: Wanted): Promise<ChatMessage>;
  /** Messages changed after `since`, waiting up to `timeoutMs` for the first. */
  changesSince(since: number, timeoutMs?: number): Promise<{ seq: number; messages: ChatMessage[] }>;
  onMessage(listener: (message: ChatMessage) => void): () => void;
  /** Everyone the bot's messages would have notified. */
  pings(channel?: string): Ping[];
}
