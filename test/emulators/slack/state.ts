/** The platform's records: messages, files, channels. */

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
  /** Whether the bytes are announced, received, or shared or kept private by completeUploadExternal. */
  state: 'announced' | 'uploaded' | 'complete';
  /** The channels in which it is shown. */
  channels: Map<string, ChannelState['kind']>;
}

export interface Stored {
  ts: string;
  channel: string;
  user: string;
  /** For an app's message. */
  botId: string | undefined;
  appId: string | undefined;
  /** Whether the bot under test wrote it. */
  byBot: boolean;
  subtype: string | undefined;
  text: string;
  blocks: Json[];
  /** Tables, cards of apps, and previews that Slack shows below links. */
  attachments: Json[];
  /** The blocks before each edit, which a slow client may still show. */
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
  /** The time of the newest append to a stream that isn't stopped, in milliseconds. */
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
  /** Whether only some people may post there, and no app. */
  readOnly?: boolean;
  created: number;
  /** Ordered by ts, including thread replies. */
  messages: Map<string, Stored>;
  /** Replies by the ts of their thread's first message. */
  threads: Map<string, Stored[]>;
  assistants: Map<string, AssistantThread>;
}
