/**
 * The platform as tests drive it: how it starts, people's actions, what is visible, what fails. All of it is plain
 * JSON.
 */

export interface SlackUser {
  id: string;
  /** The handle, without @. */
  name: string;
  realName: string;
  isBot: boolean;
  /** The language in which they use Slack; en-US by default. */
  locale?: string;
}

export interface SlackOptions {
  port?: number;
  botToken?: string;
  appToken?: string;
  signingSecret?: string;
  /** Scopes of the bot token; every scope the platform knows by default. */
  scopes?: string[];
  /** Whether to keep the bytes of uploads (hash and size are always kept); true by default. */
  keepFiles?: boolean;
  /** The number of calls that the log keeps; 2000 by default. */
  keepRequests?: number;
  /** The time limit for acknowledging an event, command or press, in milliseconds; 3000 by default. */
  ackTimeoutMs?: number;
  /**
   * The pauses before an unacknowledged event is sent again; [0, 60 s, 300 s] by default. After the last one it is
   * lost.
   */
  retryDelaysMs?: number[];
  /** The time until an uploaded file appears as a message in its channel, in milliseconds; 20 by default. */
  shareDelayMs?: number;
  /** How long a `response_url` is valid (for five posts at most), in milliseconds; 30 minutes by default. */
  responseLifetimeMs?: number;
  /** The time without an append after which a stream ends, in milliseconds; 5 minutes by default. */
  streamIdleMs?: number;
  /** The largest upload, in bytes; 1 GB by default. */
  uploadLimit?: number;
  /**
   * Whether sockets keep their connection open after the closing handshake, as on the real platform; false by default.
   */
  socketsLinger?: boolean;
  /** The interval of the server's pings on a socket, in milliseconds; 5000 by default. */
  pingMs?: number;
}

/** A file that a person sends; `base64` where bytes can't be passed. */
export interface SentFile {
  name: string;
  mimeType?: string;
  bytes?: Uint8Array;
  base64?: string;
  /** Further fields of the file as the platform shows it: a clip's subtype, length and transcript. */
  extra?: Record<string, unknown>;
}

export interface SayOptions {
  /** A user's ID; the first user by default. */
  from?: string;
  /** The `ts` of the thread's first message. */
  thread?: string;
  files?: SentFile[];
  /** Begins the text with `<@BOT> `. */
  mention?: boolean;
  /** Which of a mention's two events comes first; `message` by default. */
  first?: 'message' | 'app_mention';
  /** If false, the message exists, but its event gets lost; only the history contains it. */
  deliver?: boolean;
  /** Whether the reply is also shown in the channel. */
  broadcast?: boolean;
  /** Its content besides, or instead of, the typed text: `text` is then exactly as given. */
  blocks?: Record<string, unknown>[];
  attachments?: Record<string, unknown>[];
}

export interface Said {
  channel: string;
  ts: string;
  thread?: string;
  /** The `event_id`s of what was announced, in order. */
  events: string[];
}

/** How the app acknowledged a command or press. `ok` is false after `ackTimeoutMs`, or for another status than 200. */
export interface Ack {
  ok: boolean;
  /** The HTTP status; 200 over a socket; 0 if nothing came in time. */
  status: number;
  /** The content of the acknowledgement: an answer for the person, or undefined. */
  body?: unknown;
  latencyMs: number;
}

/** A post to a `response_url`. */
export interface ResponsePost {
  body: Record<string, unknown>;
  /** `ok`, or the reason for the refusal: `expired_url`, `used_url`, `no_text`, `invalid_blocks` ... */
  result: string;
  atMs: number;
}

/** `ack` tells why a command or press was refused at once; `failed` is the error that the person sees. */
export interface Interaction {
  id: string;
  ack: Ack;
  failed: boolean;
  /** The posts to its `response_url` so far; later ones through `responses(id)`. */
  responses: ResponsePost[];
  responseUrl: string;
  triggerId: string;
}

export interface Slash {
  user?: string;
  channel?: string;
  /** `/viber` by default. */
  command?: string;
  text: string;
}

export interface Press {
  user?: string;
  channel: string;
  /** The message's `ts`; by default that of the newest message with such a button. */
  message?: string;
  label?: string;
  actionId?: string;
  /** Presses even if an edit has removed the button, as a slow client can. */
  stale?: boolean;
}

export interface People {
  addUser(user: Partial<SlackUser> & { id: string }): SlackUser;
  /** Adds a channel and returns its ID. By default, the bot and all users are in it. */
  addChannel(channel: { id?: string; name: string; isPrivate?: boolean; members?: string[]; bot?: boolean }): string;
  /** Opens a direct message between two people, without the bot; returns its ID. */
  addForeignDm(users: [string, string]): string;
  /** Returns the ID (D...) of a person's direct messages with the bot, opened if necessary. */
  dmChannel(user: string): string;
  say(channel: string, text: string, options?: SayOptions): Said;
  dm(user: string, text: string, options?: Omit<SayOptions, 'from'>): Said;
  /** Writes `<prefix>1` to `<prefix><count>` in each channel, in the channels alternately. */
  burst(channels: string[], count: number, prefix?: string, options?: SayOptions): void;
  shareFile(channel: string, files: SentFile[], options?: SayOptions & { text?: string }): Said;
  /** Adds another app's message; `ours` makes it the bot's own, as if another process had sent it. */
  botSays(channel: string, text: string, options?: { thread?: string; ours?: boolean; deliver?: boolean }): Said;
  edit(channel: string, ts: string, text: string, options?: Pick<SayOptions, 'blocks' | 'attachments'>): Said;
  /** Lets Slack add a preview below a link of a message, a moment after it was sent. */
  unfurl(channel: string, ts: string, attachments: Record<string, unknown>[]): Said;
  remove(channel: string, ts: string): Said;
  react(channel: string, ts: string, emoji: string, options?: { from?: string }): Said;
  join(channel: string, user: string): void;
  leave(channel: string, user: string): void;
  archive(channel: string): void;
  /** From now on, only people may post there, or everybody again. */
  restrict(channel: string, isReadOnly?: boolean): void;
  /** Resolves when the app has acknowledged or its time is over. */
  slash(slash: Slash): Promise<Interaction>;
  press(press: Press): Promise<Interaction>;
  /** Triggers a shortcut, a form or a menu with this payload and a `response_url`. */
  interact(payload: Record<string, unknown>, by?: { user?: string; channel?: string }): Promise<Interaction>;
  /** Returns the posts to the `response_url` of a command or press; waits until there are `count`. */
  responses(id: string, count?: number, timeoutMs?: number): Promise<ResponsePost[]>;
  /** Opens the assistant's pane: a thread in the person's direct messages. */
  openAssistant(user: string, context?: { channel_id?: string }): Said;
  /** Opens the app's home tab. */
  openHome(user: string): Said;
  /** Queues an event exactly as given (the inner event); a known `eventId` repeats it. Returns the `event_id`. */
  sendEvent(event: Record<string, unknown>, eventId?: string): string;
  /**
   * Delivers an event again as the platform does after a lost acknowledgement; by default, every event of what was said
   * or done last.
   */
  redeliver(eventId?: string): void;
  /** Tells the app that its events are being held back. */
  rateLimitEvents(): void;
}

/** A hand-made request to the app's request URL. */
export interface RawRequest {
  /** A string unchanged; an object as JSON, or as a form if `form` is true. */
  body: string | Record<string, unknown>;
  form?: boolean;
  /** True by default; false sends no signature. */
  sign?: boolean;
  /** Changes the body after it was signed. */
  tamper?: boolean;
  secret?: string;
  /** By how many seconds the timestamp is wrong. */
  timestampOffsetS?: number;
  headers?: Record<string, string>;
  url?: string;
}

export interface RawAnswer {
  status: number;
  body: string;
  headers: Record<string, string>;
}
