/** The platform's records: messages, topics, button presses, chats. */
import type { Chat, Message } from '@grammyjs/types';
import type { StoredFile } from './files.ts';

export type MemberStatus = 'creator' | 'administrator' | 'member' | 'left' | 'kicked';

/** A message, with what only the platform knows about it. */
export interface Stored {
  wire: Message;
  /** Its state before each edit, oldest first, which a slow client may still show. */
  before?: Message[];
  byBot: boolean;
  files: StoredFile[];
  /** Entities that the bot sent and the platform silently left out. */
  droppedEntities: number;
  edits: number;
  deleted: boolean;
  reactions: string[];
  /** Milliseconds since the epoch. */
  at: number;
  /** The number of the newest change; grows across the whole platform. */
  seq: number;
  /** The Markdown or HTML source of a rich message. */
  richSource: string | undefined;
}

export interface Topic {
  name: string;
  closed: boolean;
  /** The service message that created it. */
  root: Message;
}

export interface Query {
  id: string;
  from: number;
  data: string;
  at: number;
  answer?: { text: string; alert: boolean };
}

export interface ChatState {
  info: Chat;
  messages: Map<number, Stored>;
  topics: Map<number, Topic>;
  members: Map<number, MemberStatus>;
  /** For private chats: whether the person ever wrote to the bot, and whether they blocked it. */
  started: boolean;
  blocked: boolean;
  bot: MemberStatus;
  /** Kinds of files (`photo`, `document`) that members may not send. */
  withheld: ReadonlySet<string>;
  /** Whether an admin has taken the bot's right to write. */
  muted?: boolean;
  movedTo: number | undefined;
  lastId: number;
  /** The bot's "typing" indicator. */
  action: { action: string; thread?: number; at: number } | undefined;
  draft: { id: number; text: string; canStop: boolean; thread?: number; at: number } | undefined;
  /** Presses of buttons in this chat. */
  queries: Query[];
}
