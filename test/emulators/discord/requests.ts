/** What a test can make people do. Everything here except `bytes` can be sent as JSON. */

/** Exactly one of `bytes` (in-process only), `base64` and `text`. */
export interface PersonFile {
  name: string;
  bytes?: Uint8Array;
  base64?: string;
  text?: string;
  contentType?: string;
  description?: string;
  /** For a voice message: its length, and its loudness as base64. */
  duration?: number;
  waveform?: string;
}

export interface SayOptions {
  /** The user's ID; by default the first person, or in a DM channel its person. An unknown ID becomes a new member. */
  from?: string;
  /** Begins the text with a mention of the bot. */
  mention?: boolean;
  /** The ID of the message that it answers. Notifies that message's author unless `pingReply` is false. */
  replyTo?: string;
  pingReply?: boolean;
  /** Leaves the answered message out of the event. */
  withoutOriginal?: boolean;
  /** Whether it is the first message of a forum post. */
  isPost?: boolean;
  attachments?: PersonFile[];
  /** The flags of the message: 8192 is a voice message. */
  flags?: number;
  /** Forwards this message; the text must then be empty. */
  forward?: { channelId: string; messageId: string };
  /** Posts as a webhook of this name instead of a person. */
  webhook?: string;
  /** discord-api-types MessageType for system messages (7 user joined, 6 pin, ...). */
  type?: number;
  embeds?: object[];
}

export interface SlashRequest {
  /** A channel, thread or DM channel. */
  channel: string;
  user?: string;
  /** `viber` by default. Must be registered; otherwise the call throws, because a client wouldn't offer it. */
  command?: string;
  subcommand?: string;
  subcommandGroup?: string;
  /** Option values by name; the registered command determines their types. */
  options?: Record<string, string | number | boolean>;
  /** Doesn't look the command up, like a client with a stale list. Options are then strings. */
  unchecked?: boolean;
}

export interface AutocompleteRequest extends SlashRequest {
  /** The option that is being typed; its value so far is in `options`. */
  focused: string;
}

export interface PressRequest {
  channel: string;
  /** The message's ID; by default the newest message with such a button. */
  message?: string;
  /** The exact label, or `customId`. By default the first button. */
  label?: string;
  customId?: string;
  user?: string;
  /** Presses even if the button is disabled or gone, as a slow client can. */
  stale?: boolean;
}

export interface ModalRequest {
  /** The interaction that was answered with the modal. */
  interaction: string;
  /** The text of each field, by its custom ID. */
  fields: Record<string, string>;
}

export interface Wanted {
  channel?: string;
  /** `bot` or a user's ID. */
  from?: string;
  /** A part of the text; `pattern` is the source of a regular expression instead. */
  text?: string;
  pattern?: string;
  /** The number of such messages; 1 by default. */
  count?: number;
  /** Only messages newer than this ID. */
  after?: string;
  /** Whether system messages (a new thread, a changed name) count; false by default. */
  system?: boolean;
  /** Whether messages still shown as "thinking" count; false by default. */
  deferred?: boolean;
  /** 5000 by default. */
  timeoutMs?: number;
}
