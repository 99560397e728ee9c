/** What a test sees. Everything here survives JSON, so that it works from another process as well. */

export interface PersonView {
  id: string;
  username: string;
  globalName: string | null;
  nick: string | null;
  isBot: boolean;
  roles: string[];
}

export interface ChannelView {
  id: string;
  name: string;
  /** discord-api-types ChannelType: 0 text, 1 direct, 5 announcement, 11 public thread, 12 private thread, 15 forum. */
  type: number;
  guildId: string | null;
  parentId: string | null;
}

export interface ThreadView extends ChannelView {
  archived: boolean;
  /** When it was archived or opened last, in milliseconds since the epoch. */
  archivedAt: number;
  locked: boolean;
  /** Minutes. */
  autoArchiveDuration: number;
  ownerId: string;
  memberIds: string[];
  messageCount: number;
  /** Every name it has had, the first first. */
  names: string[];
}

export interface FileView {
  id: string;
  name: string;
  size: number;
  sha256: string;
  contentType: string;
  description: string | null;
  /** A signed address on the CDN, valid now. */
  url: string;
}

export interface ButtonView {
  label: string;
  /** Null for a link button. */
  customId: string | null;
  url: string | null;
  /** 1 primary, 2 secondary, 3 success, 4 danger, 5 link. */
  style: number;
  disabled: boolean;
}

/** One message as the people in the channel see it. */
export interface ChatMessage {
  id: string;
  channelId: string;
  /** `bot` for ours, else the user's id. */
  from: string;
  /** Username of the author. */
  author: string;
  text: string;
  embeds: object[];
  files: FileView[];
  buttons: ButtonView[][];
  /** Id of the message it answers. */
  replyTo: string | null;
  nonce: string | null;
  /** 4 SUPPRESS_EMBEDS, 64 EPHEMERAL, 128 LOADING, 4096 SUPPRESS_NOTIFICATIONS. */
  flags: number;
  /** Exactly as the call had it; undefined when it had none, and then everything is parsed. */
  allowedMentions?: object;
  /** ISO time of the last edit. */
  editedAt: string | null;
  /** How often the author changed it. */
  edits: number;
  /** The thread that hangs on it. */
  threadId: string | null;
  reactions: { emoji: string; users: string[] }[];
  /** Set on an ephemeral message: the only person who sees it. */
  seenBy: string | null;
  interactionId: string | null;
  /** discord-api-types MessageType: 0 default, 19 reply, 20 slash command, 21 thread starter, 4 thread renamed. */
  type: number;
  /** The platform's own words on what somebody did: a thread begun, a name changed. */
  isSystem: boolean;
}

export interface ChannelTranscript extends ChannelView {
  /** Oldest first, without what was deleted. */
  messages: ChatMessage[];
  /** Ids of deleted messages, in order. */
  deleted: string[];
}

export interface InteractionView {
  id: string;
  /** discord-api-types InteractionType: 2 command, 3 component, 4 autocomplete, 5 modal. */
  kind: number;
  channelId: string;
  userId: string;
  /** The first callback; absent while none has come, and for good when `failed`. */
  ack?: {
    /** 4 message, 5 deferred message, 6 deferred update, 7 update, 8 choices, 9 modal. */
    type: number;
    flags: number;
    latencyMs: number;
  };
  /** The person was shown "The application did not respond". */
  failed: boolean;
  choices?: { name: string; value: string | number }[];
  modal?: object;
  /** The original response: for a component with ack 6 or 7 the message it is on. `flags & 128` while deferred. */
  response?: ChatMessage;
  followups: ChatMessage[];
}

/** Whom a message of the bot notified, its `allowed_mentions` taken into account. */
export interface Ping {
  messageId: string;
  channelId: string;
  everyone: boolean;
  users: string[];
  roles: string[];
}
