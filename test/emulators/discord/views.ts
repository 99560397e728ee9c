/** The views of a test. Everything here can be sent as JSON, so that it also works from another process. */

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
  /** When it was last archived or reopened, in milliseconds since the epoch. */
  archivedAt: number;
  locked: boolean;
  /** Minutes. */
  autoArchiveDuration: number;
  ownerId: string;
  memberIds: string[];
  messageCount: number;
  /** Every name it has had, in order. */
  names: string[];
}

export interface FileView {
  id: string;
  name: string;
  size: number;
  sha256: string;
  contentType: string;
  description: string | null;
  /** A signed address on the CDN, currently valid. */
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

/** One message as people in the channel see it. */
export interface ChatMessage {
  id: string;
  channelId: string;
  /** `bot` for ours, otherwise the user's ID. */
  from: string;
  /** The author's username. */
  author: string;
  text: string;
  embeds: object[];
  files: FileView[];
  buttons: ButtonView[][];
  /** The ID of the message that it answers. */
  replyTo: string | null;
  nonce: string | null;
  /** 4 SUPPRESS_EMBEDS, 64 EPHEMERAL, 128 LOADING, 4096 SUPPRESS_NOTIFICATIONS. */
  flags: number;
  /** Exactly as in the call; undefined if there was none, so that everything is parsed. */
  allowedMentions?: object;
  /** The time of the last edit (ISO). */
  editedAt: string | null;
  /** How often the author edited it. */
  edits: number;
  /** The thread that is attached to it. */
  threadId: string | null;
  reactions: { emoji: string; users: string[] }[];
  /** For an ephemeral message: the only person who sees it. */
  seenBy: string | null;
  interactionId: string | null;
  /** discord-api-types MessageType: 0 default, 19 reply, 20 slash command, 21 thread starter, 4 thread renamed. */
  type: number;
  /** Whether it is the platform's own message about what somebody did: a new thread, a changed name. */
  isSystem: boolean;
}

export interface ChannelTranscript extends ChannelView {
  /** Oldest first, without deleted messages. */
  messages: ChatMessage[];
  /** The IDs of deleted messages, in order. */
  deleted: string[];
}

export interface InteractionView {
  id: string;
  /** discord-api-types InteractionType: 2 command, 3 component, 4 autocomplete, 5 modal. */
  kind: number;
  channelId: string;
  userId: string;
  /** The first callback; absent until one arrives, and for good if it `failed`. */
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
  /**
   * The original response; for a component with ack 6 or 7, the message that it is on. `flags & 128` while deferred.
   */
  response?: ChatMessage;
  followups: ChatMessage[];
}

/** Whom a message of the bot notified, considering its `allowed_mentions`. */
export interface Ping {
  messageId: string;
  channelId: string;
  everyone: boolean;
  users: string[];
  roles: string[];
}
