/** The platform as tests drive it: what starts it, what people do, what is seen, what goes wrong. All of it is plain JSON. */

export interface SlackUser {
  id: string;
  /** Handle, without @. */
  name: string;
  realName: string;
  isBot: boolean;
  /** The language they use Slack in; en-US by default. */
  locale?: string;
}

export interface SlackOptions {
  port?: number;
  botToken?: string;
  appToken?: string;
  signingSecret?: string;
  /** Scopes of the bot token; every scope the platform knows unless told. */
  scopes?: string[];
  /** Keep the bytes of uploads (hash and size are always kept); true unless told. */
  keepFiles?: boolean;
  /** Calls the log keeps; 2000 unless told. */
  keepRequests?: number;
  /** Milliseconds in which an event, command or press must be acknowledged; 3000 unless told. */
  ackTimeoutMs?: number;
  /** Pauses before an unacknowledged event is sent again; [0, 60 s, 300 s] unless told. After the last it is lost. */
  retryDelaysMs?: number[];
  /** Milliseconds until an uploaded file is visible as a message in its channel; 20 unless told. */
  shareDelayMs?: number;
  /** Milliseconds a `trigger_id` is good for; 3000 unless told. */
  triggerLifetimeMs?: number;
  /** Milliseconds a `response_url` is good for (five posts at most); 30 minutes unless told. */
  responseLifetimeMs?: number;
  /** Milliseconds without an append after which a stream is over; 5 minutes unless told. */
  streamIdleMs?: number;
  /** Bytes of one upload; 1 GB unless told. */
  uploadLimit?: number;
  /** Sockets keep their line open after the closing handshake, as the real platform does; false unless told. */
  socketsLinger?: boolean;
  /** Milliseconds between the server's pings on a socket; 5000 unless told. */
  pingMs?: number;
}

/** A file a person sends; `base64` where bytes cannot travel. */
export interface SentFile {
  name: string;
  mimeType?: string;
  bytes?: Uint8Array;
  base64?: string;
  /** Further fields of the file as the platform shows it: a clip's subtype, length and transcription. */
  extra?: Record<string, unknown>;
}

export interface SayOptions {
  /** A user id; the first user unless told. */
  from?: string;
  /** `ts` of the thread's first message. */
  thread?: string;
  files?: SentFile[];
  /** Puts `<@BOT> ` before the text. */
  mention?: boolean;
  /** Of the two events of one mention, which comes first; `message` unless told. */
  first?: 'message' | 'app_mention';
  /** False: it is said, but its event gets lost; only history knows it. */
  deliver?: boolean;
  /** A reply that is also shown in the channel. */
  broadcast?: boolean;
  /** What stands in it beside, or in the place of, the typed words: `text` is then exactly as given. */
  blocks?: Record<string, unknown>[];
  attachments?: Record<string, unknown>[];
}

export interface Said {
  channel: string;
  ts: string;
  thread?: string;
  /** `event_id`s of what was announced, in order. */
  events: string[];
}

/** How the app acknowledged a command or press. `ok` is false after `ackTimeoutMs` or for a status that is not 200. */
export interface Ack {
  ok: boolean;
  /** HTTP status; 200 over a socket; 0 when nothing came in time. */
  status: number;
  /** What came with it: an answer for the person, `undefined` for none. */
  body?: unknown;
  latencyMs: number;
}

/** A post to a `response_url`. */
export interface ResponsePost {
  body: Record<string, unknown>;
  /** `ok`, or how it was refused: `expired_url`, `used_url`, `no_text`, `invalid_blocks` ... */
  result: string;
  atMs: number;
}

/** Why a command or press was refused on the spot shows in `ack`; `failed` is what the person sees as an error. */
export interface Interaction {
  id: string;
  ack: Ack;
  failed: boolean;
  /** Posts to its `response_url` so far; later ones through `responses(id)`. */
  responses: ResponsePost[];
  responseUrl: string;
  triggerId: string;
}

export interface Slash {
  user?: string;
  channel?: string;
  /** `/viber` unless told. */
  command?: string;
  text: string;
}

export interface Press {
  user?: string;
  channel: string;
  /** `ts` of the message; the newest message with such a button unless told. */
  message?: string;
  label?: string;
  actionId?: string;
  /** Presses although an edit has taken the button away, as a slow client can. */
  stale?: boolean;
}

export interface People {
  addUser(user: Partial<SlackUser> & { id: string }): SlackUser;
  /** Adds a channel and gives its id. The bot and all users are in it unless told. */
  addChannel(channel: { id?: string; name: string; isPrivate?: boolean; members?: string[]; bot?: boolean }): string;
  /** A direct message between several people and the bot; gives its id. */
  addGroupDm(users: string[]): string;
  /** A direct message between two people, in which the bot is not; gives its id. */
  addForeignDm(users: [string, string]): string;
  /** The id (D...) of a person's direct messages with the bot, opened if need be. */
  dmChannel(user: string): string;
  say(channel: string, text: string, options?: SayOptions): Said;
  dm(user: string, text: string, options?: Omit<SayOptions, 'from'>): Said;
  /** Says `<prefix>1` to `<prefix><count>` in each channel, the channels in turn. */
  burst(channels: string[], count: number, prefix?: string, options?: SayOptions): void;
  shareFile(channel: string, files: SentFile[], options?: SayOptions & { text?: string }): Said;
  /** Another app's message; `ours` makes it the bot's own, as if another process had sent it. */
  botSays(channel: string, text: string, options?: { thread?: string; ours?: boolean; deliver?: boolean }): Said;
  edit(channel: string, ts: string, text: string, options?: Pick<SayOptions, 'blocks' | 'attachments'>): Said;
  /** Slack shows something below a link of a message, a moment after it was sent. */
  unfurl(channel: string, ts: string, attachments: Record<string, unknown>[]): Said;
  remove(channel: string, ts: string): Said;
  react(channel: string, ts: string, emoji: string, options?: { from?: string }): Said;
  join(channel: string, user: string): void;
  leave(channel: string, user: string): void;
  archive(channel: string): void;
  /** From now on only people may post there, or again everybody. */
  restrict(channel: string, isReadOnly?: boolean): void;
  /** Resolves when the app has acknowledged or its time is over. */
  slash(slash: Slash): Promise<Interaction>;
  press(press: Press): Promise<Interaction>;
  /** A shortcut, a form or a menu, its payload as given, with a `response_url`. */
  interact(payload: Record<string, unknown>, by?: { user?: string; channel?: string }): Promise<Interaction>;
  /** Posts to the `response_url` of a command or press, waiting until there are `count`. */
  responses(id: string, count?: number, timeoutMs?: number): Promise<ResponsePost[]>;
  /** Opens the assistant's pane: a thread in the person's direct messages. */
  openAssistant(user: string, context?: { channel_id?: string }): Said;
  /** Opens the app's home tab. */
  openHome(user: string): Said;
  /** Queues an event exactly as given (the inner event); a known `eventId` repeats it. Gives the `event_id`. */
  sendEvent(event: Record<string, unknown>, eventId?: string): string;
  /**
   * Delivers an event again as the platform does after a lost acknowledgement; unless told, every event of what was said
   * or done last.
   */
  redeliver(eventId?: string): void;
  /** Tells the app that its events are being held back. */
  rateLimitEvents(): void;
}

/** A request to the app's request URL, made by hand. */
export interface RawRequest {
  /** A string as it is; an object as JSON, or as a form when `form` is true. */
  body: string | Record<string, unknown>;
  form?: boolean;
  /** True unless told; false sends no signature. */
  sign?: boolean;
  /** Changes the body after it was signed. */
  tamper?: boolean;
  secret?: string;
  /** Seconds the timestamp is off. */
  timestampOffsetS?: number;
  headers?: Record<string, string>;
  url?: string;
}

export interface RawAnswer {
  status: number;
  body: string;
  headers: Record<string, string>;
}
