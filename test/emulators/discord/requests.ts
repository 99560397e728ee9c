/** What a test asks people to do. Everything here but `bytes` survives JSON. */

/** Exactly one of `bytes` (in-process only), `base64` and `text`. */
export interface PersonFile {
  name: string;
  bytes?: Uint8Array;
  base64?: string;
  text?: string;
  contentType?: string;
  description?: string;
  /** Of a voice message: its length, and its loudness as base64. */
  duration?: number;
  waveform?: string;
}

export interface SayOptions {
  /** User id; the first default person unless told, in a DM channel its person. Ids nobody has are given a new member. */
  from?: string;
  /** Puts a mention of the bot in front of the text. */
  mention?: boolean;
  /** Id of the message it answers. Pings that message's author unless `pingReply` is false. */
  replyTo?: string;
  pingReply?: boolean;
  /** Its event leaves out what it answers. */
  withoutOriginal?: boolean;
  /** It is the first of a forum's post. */
  isPost?: boolean;
  attachments?: PersonFile[];
  /** Of the message: 8192 is a voice message. */
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
  /** Channel, thread or DM channel. */
  channel: string;
  user?: string;
  /** `viber` unless told. Must be registered, or the call throws as the client would not offer it. */
  command?: string;
  subcommand?: string;
  subcommandGroup?: string;
  /** Option values by name; their types are looked up in the registered command. */
  options?: Record<string, string | number | boolean>;
  /** Does not look the command up, as a client with a stale list does. Options are then strings. */
  unchecked?: boolean;
}

export interface AutocompleteRequest extends SlashRequest {
  /** The option being typed; its value so far is in `options`. */
  focused: string;
}

export interface PressRequest {
  channel: string;
  /** A message id; the newest message with such a button when absent. */
  message?: string;
  /** Exact label; or `customId`. The first button when neither is given. */
  label?: string;
  customId?: string;
  user?: string;
  /** Presses although the button is disabled or gone, as a slow client can. */
  stale?: boolean;
}

export interface ModalRequest {
  /** The interaction that was answered with the modal. */
  interaction: string;
  /** Text by custom id of the field. */
  fields: Record<string, string>;
}

export interface Wanted {
  channel?: string;
  /** `bot` or a user id. */
  from?: string;
  /** Contained in the text; give `pattern` for a regular expression's source. */
  text?: string;
  pattern?: string;
  /** How many such messages; 1 unless told. */
  count?: number;
  /** Only messages newer than this id. */
  after?: string;
  /** System messages (a thread begun, a name changed) do not count unless true. */
  system?: boolean;
  /** Messages still shown as "thinking" do not count unless true. */
  deferred?: boolean;
  /** 5000 unless told. */
  timeoutMs?: number;
}
