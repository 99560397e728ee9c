/** The records of the platform: a message, a file, a channel. */

export type Json = Record<string, unknown>;

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface StoredFile {
  id: string;
  name: string;
  title: string;
  mimeType: string;
  size: number;
  sha256: string;
  bytes: Buffer | undefined;
  user: string;
  /** Seconds since the epoch. */
  created: number;
  /** Fields that only some files have. */
  extra?: Record<string, unknown>;
  /** Bytes announced, taken, and shared or kept private by completeUploadExternal. */
  state: 'announced' | 'uploaded' | 'complete';
  /** The channels it is shown in. */
  channels: Map<string, ChannelState['kind']>;
}

export interface Stored {
  ts: string;
  channel: string;
  user: string;
  /** Of an app's message. */
  botId: string | undefined;
  appId: string | undefined;
  /** The bot under test wrote it. */
  byBot: boolean;
  subtype: string | undefined;
  text: string;
  blocks: Json[];
  /** Tables, cards of apps, and what Slack shows below links. */
  attachments: Json[];
  /** The blocks before each edit: what a slow client may still show. */
  before?: Json[];
  threadTs: string | undefined;
  metadata: { event_type: string; event_payload: Json } | undefined;
  files: StoredFile[];
  edited: { user: string; ts: string } | undefined;
  edits: number;
  deleted: boolean;
  ephemeralFor: string | undefined;
  broadcast: boolean;
  unfurlLinks: boolean | undefined;
  unfurlMedia: boolean | undefined;
  reactions: Map<string, Set<string>>;
  /** Milliseconds of the newest append to a stream that is not stopped. */
  streamedAt: number | undefined;
  at: number;
  seq: number;
}

export interface AssistantThread {
  status: string;
  title: string;
  prompts: { title: string; message: string }[];
}

export interface ChannelState {
  id: string;
  name: string;
  kind: 'channel' | 'group' | 'im' | 'mpim';
  members: Set<string>;
  archived: boolean;
  /** Only some people may post there, and no app. */
  readOnly?: boolean;
  created: number;
  /** By ts, in order, thread replies included. */
  messages: Map<string, Stored>;
  /** Replies by the ts of their thread's first message. */
  threads: Map<string, Stored[]>;
  assistants: Map<string, AssistantThread>;
}
