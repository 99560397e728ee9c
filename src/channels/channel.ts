/**
 * The interface between platforms and the gateway. No SDK object crosses it: every field is our own plain JSON. A
 * channel receives events (`connect`), sends messages durably (`send`) and may show progress (`stream`).
 */
import type { DigestMark, PartLedger } from './kept.ts';
import type { Button, Suggestion } from './offers.ts';
import type { EndedRun, SuppliedContext } from './programs.ts';
import type { AgentStreamEvent, LiveView } from './progress.ts';

export type { DigestMark, PartAttempt, PartLedger, ReadCursors } from './kept.ts';
export type { Button, CommandSpec, Suggestion } from './offers.ts';
export type { EndedRun, GivenArtifact, SuppliedContext } from './programs.ts';
export type { AgentState, AgentStreamEvent, LiveMode, LiveView } from './progress.ts';

/** The kind of platform event that a message came from. Every kind goes through the same authorisation. */
export type EntryKind = 'message' | 'edit' | 'channel-post' | 'command' | 'button' | 'membership' | 'migration';

/** Text the sender replies to, quotes or forwards. It is data, never an instruction. */
export interface QuotedText {
  /** `thread`: written in the thread before the bot was called into it. */
  kind: 'reply' | 'quote' | 'forward' | 'thread';
  from: string;
  text: string;
  /** Files attached to the quoted text; fetched along with the sender's own files, within the same limits. */
  files?: RemoteFile[];
  /** True when the quoted text is this bot's own. */
  fromSelf: boolean;
}

export interface InboundMessage {
  /** Idempotency key within (channel, account, chat): the platform's ID of the event. */
  id: string;
  kind: EntryKind;
  address: Address;
  sender: Sender;
  /** Plain text or Markdown as the person wrote it; '' when there are only files. */
  text: string;
  files: RemoteFile[];
  /** Extra facts as one line of text each: a location, a contact, a poll, a sticker's emoji. */
  facts: string[];
  quotes: QuotedText[];
  command?: { name: string; args: string };
  button?: { id: string };
  /** Messages with the same group (an album) are parts of one message. */
  group?: string;
  /** The platform's ID of the message itself, for replies and edits. */
  messageId: string;
  /** The message's number in its chat, for a `message` on platforms that count them. */
  sequence?: number;
  /** The original message's `id`, for an `edit`. */
  editOf?: string;
  /**
   * The platform's ID of our message that this one replies to; on Slack always the first message of its thread. Somebody
   * else's is of no effect.
   */
  repliesTo?: string;
  /**
   * The thread under the pressed message, for a button in a channel. `opens`: the thread may have to be opened first.
   */
  below?: { address: Address; opens: boolean };
  /** The message this one replies to, when the event holds no more than its ID; `lookUp` fetches it. */
  original?: { chat: string; message: string };
  /** The channel it was written on when that isn't the address's: the Board, in a conversation that lives elsewhere. */
  via?: string;
  /** The page a command was typed on, if it must be answered there instead of in its conversation. */
  answerAt?: Address;
  isDirect: boolean;
  /** Whether it is addressed to this bot: it mentions the bot, replies to it or names it in a command. */
  isMention: boolean;
  /** The conversation's new address, for a `migration`. */
  movedTo?: Address;
  /**
   * True in a thread that is one conversation (a Discord or Slack thread, but not a forum topic): once a task lives
   * there, nobody needs to mention the bot.
   */
  isThread?: boolean;
  /** The name that people gave its thread or topic, as far as the event or earlier ones say it. */
  threadName?: string;
  /** The viber that the sender chooses from now on; set by the local socket and by programs only. */
  viber?: string;
  /** The context that a program sent along with its text. */
  given?: SuppliedContext;
  /**
   * Starts a conversation in a thread of its own: `openThread` is called before anything is answered. For a command, this
   * happens only if it begins a task. A thread whose ID is known from the message stands in its address instead.
   */
  opensThread?: boolean;
  /**
   * Opaque: lets the channel answer the event itself for fifteen minutes (Discord's interaction token, Slack's
   * response_url), so that only the person who asked sees the answer. Returned in the answer.
   */
  interaction?: string;
  /** The language of the answers and the prefix of commands there; set when the message is admitted. */
  language?: string;
  prefix?: string;
  /** Milliseconds since the epoch, by the platform's clock where it gives a time. */
  sentAt: number;
}

export interface OutboundMessage {
  /** Idempotency key. */
  id: string;
  address: Address;
  /** Markdown (CommonMark with GFM). */
  text: string;
  files: Attachment[];
  buttons?: Button[][];
  /** The platform's ID of the message this answers. */
  replyTo?: string;
  /** The platform's ID of our message that the first part replaces by an edit. */
  placeholder?: string;
  /** Edits our message whose last part has the ID `messageId`; if that isn't possible any more, nothing is sent. */
  edits?: { messageId: string; was: string };
  /**
   * The `interaction` of the event this answers. Only its person may see the answer: sent directly once the interaction
   * has expired, or not at all.
   */
  interaction?: string;
  /** Shows a task's plan, and is edited with it while the conversation is about the task. Channels only pass it on. */
  plan?: { task: string; binding: string };
  /** The language of the texts that the adapter adds; set when the message enters the outbox. */
  language?: string;
  /** The task that a reply to a job's message, or a post in its thread, continues. Channels only pass it on. */
  digest?: DigestMark;
  /**
   * When the message this answers was accepted, in ms since the epoch; used only to measure how long the answer took.
   */
  askedAt?: number;
  /** How the work ended; absent when it was done, or when there was none. */
  ended?: 'error' | 'waiting';
  /** The command that this answers doesn't exist. */
  isUnknown?: true;
  /** The run that this answers, if the channel `takesResults`. */
  result?: EndedRun;
}

export interface InterruptSignal {
  type: 'interrupt';
  /** `*` or an agent id. */
  targetAgentId: string;
  reason: string;
}

/**
 * The result of an event's admission. `begun`: accepted as text for a task, so the answer is a separate message and
 * doesn't answer the interaction. Two are rejections: `answered` tells the sender why, `refused` is silent.
 */
export type InboundOutcome = 'accepted' | 'begun' | 'duplicate' | 'answered' | 'refused';

/** A task as shown in a thread's name or first message. `open`: answered, but steps of its plan remain. */
export interface TaskView {
  id: string;
  title: string;
  /** The title its threads were opened with. */
  firstTitle?: string;
  state: 'pending' | 'running' | 'open' | 'completed' | 'error' | 'stopped';
  progress?: { done: number; total: number };
}

export interface ChannelCallbacks {
  /**
   * Resolves once the message is durable (or refused, or a duplicate), so the event may be acknowledged. Rejects if the
   * message could not be stored; the event must not be acknowledged then, and is handed in again later, whatever came
   * behind it. A message that fails three times for its own sake is set aside, and resolves. Calls made in one tick keep
   * their order and share one commit. `raw`, the event as it came, is stored with the message.
   */
  onMessage(message: InboundMessage, raw: unknown): Promise<InboundOutcome>;
  /**
   * Interrupts without naming a sender: only for places where everybody who can write may stop the conversation's runs.
   */
  onInterrupt(signal: InterruptSignal, address: Address): Promise<void>;
  /** Returns at most 25 suggestions; none for people who may not ask. Never rejects. */
  onSuggest(query: SuggestQuery): Promise<Suggestion[]>;
  /**
   * Reports a message that holds files of ours, whose ID the platform sends only later. Resolves to true if people may
   * reply below it. Rejects if that could not be stored.
   */
  onShared?(address: Address, files: readonly string[], messageId: string): Promise<boolean>;
  /** Reports an event of a kind that the channel doesn't handle; it is counted, not stored. */
  onDropped(kind: string): void;
  /** Called whenever `status()` has changed. */
  onStatus(): void;
}

export interface ChannelStatus {
  state: 'off' | 'connecting' | 'connected' | 'reconnecting' | 'failed';
  /** One sentence for the operator: what is wrong, and which setting or action fixes it. */
  detail?: string;
}

export interface ChannelLimits {
  /** The longest text message, in the platform's own unit of characters. */
  text: number;
  /** The largest file we may send, in bytes. */
  uploadBytes: number;
  /** The largest file we may fetch, in bytes. */
  downloadBytes: number;
}

/** A message completed with what its event left out. */
export interface LookedUp {
  /** The message with names instead of IDs, and the message it replies to among its quotes. */
  message: InboundMessage;
  /**
   * The requested text of its thread. `ours`: the thread is below a message of this bot, so there is nothing to fetch.
   */
  thread?: 'ours' | ThreadWords;
  /** One sentence for the model about each thing that could not be fetched. */
  problems: string[];
}

export interface ThreadWords {
  /** The message that the thread is below; absent if `since` was given or the message is gone. */
  root?: QuotedText;
  /** The newest replies between `since` and the message, oldest first; this bot's own only if there was no `since`. */
  replies: readonly { id: string; quote: QuotedText }[];
}

/** A place that can receive messages even if nobody has written there yet. */
export interface Place {
  address: Address;
  isDirect: boolean;
  /** The other person, in a direct conversation. */
  user?: string;
}

/** Why the bot can't write in a place; `rights`: its role there lacks them. */
export type WriteBarrier = 'archived' | 'readOnly' | 'locked' | 'muted' | 'out' | 'rights';

/**
 * A platform's adapter. A missing optional method means that the platform can't do it.
 * @example
 * await channel.connect(callbacks, { sendOnly: true });
 * if (channel.status().state === 'connected') await channel.send(answer, ledger);
 * await channel.disconnect();
 */
export interface Channel {
  readonly id: string;
  /** The bot's own ID; '' until it is known. */
  readonly account: string;
  /** May change with what the platform says. */
  readonly limits: ChannelLimits;
  /** Whether a part that is sent again can't appear twice: the platform takes a key or can be asked. */
  readonly isExact?: boolean;
  /** Whether only the person who pressed a button sees its answer. */
  readonly whispers?: boolean;
  /** Whether programs read there, so that an answer says which run it ends, and how. */
  readonly takesResults?: boolean;
  /** Returns the state of the connection; never throws. */
  status(): ChannelStatus;
  /**
   * Resolves once events arrive or, with `sendOnly`, once it can send; another process then receives the events. While
   * the platform is away it keeps trying, with the status `reconnecting`, until `disconnect`.
   * @throws ConfigError when a setting is wrong (a token, a missing permission). One that goes wrong later is the status
   * `failed`; what is sent then fails with a long `retryAfterMs`, so that answers wait.
   */
  connect(callbacks: ChannelCallbacks, how?: { sendOnly?: boolean }): Promise<void>;
  /** Stops receiving events and waits for those being handled. Sending works until the process ends. */
  disconnect(): Promise<void>;
  /** Sends every part of a message through the ledger, without retrying. @throws DeliveryError */
  send(message: OutboundMessage, ledger: PartLedger): Promise<void>;
  /**
   * Streams a file of an accepted message to `path`, which must not exist yet; at most `maxBytes`.
   * @throws UserError when the file is too large.
   */
  download?(file: RemoteFile, path: string, maxBytes: number, signal: AbortSignal): Promise<DownloadedFile>;
  /**
   * Fetches what the event of an accepted message left out: names, the message it replies to and, with `thread`, the
   * text of its thread. Best effort: failures are listed in the result; only an abort rejects.
   */
  lookUp?(message: InboundMessage, wanted: { thread?: { since?: string } }, signal: AbortSignal): Promise<LookedUp>;
  /** Shows live progress. Best effort, must not throw. Text is fit for people: no blocks, no secrets, no half words. */
  stream?(event: AgentStreamEvent, address: Address, view: LiveView): Promise<void>;
  /** Returns the pace of live progress: places with the same key share one call per `gapMs`. Default: per chat, 3 s. */
  livePace?(address: Address): { key: string; gapMs: number };
  /**
   * Ends a run's progress here. If the run is answered, it may return the ID of the status message to replace;
   * otherwise that message is deleted.
   */
  endStream?(runId: string, address: Address, isAnswered: boolean): Promise<string | undefined>;
  /**
   * Makes sure that the thread of a message with `opensThread` exists and returns its address: always the same thread
   * for the same `key`. `title` is plain text.
   * @throws DeliveryError; after a permanent one (no permission) the conversation stays where it began.
   * @throws UserError when the bot can't write there at all: its message is for the person who asked, and no work
   * begins.
   */
  openThread?(message: InboundMessage, thread: { key: string; title: string }): Promise<Address>;
  /** Links a command's author to the thread where it is answered; `openThread` does so itself. Must not throw. */
  pointTo?(message: InboundMessage, thread: string): Promise<void>;
  /**
   * Returns why a message to this address would not arrive, as far as the platform says; undefined if nothing is known
   * to prevent it. Best effort: an error counts as unknown.
   */
  barred?(address: Address): Promise<WriteBarrier | undefined>;
  /** Returns the direct conversation with a person of a place. @throws DeliveryError */
  directTo?(user: string, from: Address): Promise<Address | undefined>;
  /**
   * Finds the place of an address that a person wrote, as the platform knows it; undefined if it doesn't exist or this
   * bot can't see it. A thread may be given by its own ID alone.
   * @throws DeliveryError while the platform can't be asked.
   */
  findPlace?(written: { chat: string; thread?: string }): Promise<Place | undefined>;
  /** Deletes a message of a person. Returns false if it stays. Must not throw. */
  deleteMessage?(address: Address, messageId: string): Promise<boolean>;
  /** Shows the state of a thread's task in its name or first message. Best effort, must not throw. */
  showTask?(address: Address, task: TaskView): Promise<void>;
}

/**
 * Returns the fields of a message without content, for a decoder to spread and fill.
 * @example
 * const fields = { ...emptyMessage(), text: 'hello', isMention: true };
 */
export const emptyMessage = () => ({
  text: '',
  files: [] as RemoteFile[],
  facts: [] as string[],
  quotes: [] as QuotedText[],
  isMention: false,
});

/** A file that the platform still holds. Nothing is downloaded before the sender is authorised. */
export interface RemoteFile {
  /** Opaque to everything but the channel that created it. */
  id: string;
  /** The platform's key of the contents, the same in every message that holds them; absent if they may change. */
  key?: string;
  /** A name from outside: metadata only, never a path. */
  name: string;
  mimeType: string;
  /** The size in bytes that the platform declares; the download counts for itself. */
  size?: number;
  kind: 'photo' | 'document' | 'audio' | 'voice' | 'video' | 'animation' | 'sticker';
  /** The length of a recording that the platform declares, in seconds. */
  seconds?: number;
  /** The platform's own transcript of a recording, if it is complete. */
  transcript?: string;
}

/**
 * Returns the sender's own files, then those of the quoted messages.
 * @example
 * const bytes = filesAround(message).reduce((sum, { size = 0 }) => sum + size, 0);
 */
export const filesAround = (message: {
  files: readonly RemoteFile[];
  quotes: readonly { files?: readonly RemoteFile[] }[];
}): RemoteFile[] => [...message.files, ...message.quotes.flatMap(({ files = [] }) => files)];

/** A fetched file. `remote`: what the platform said about the file only when it was fetched. */
export type DownloadedFile = Attachment & { remote?: RemoteFile };

/** A file on our disk. */
export interface Attachment {
  path: string;
  name: string;
  mimeType: string;
  size: number;
  sha256: string;
  /** True for a spoken answer, shown as a voice message where the platform has those. */
  isVoice?: true;
}

/**
 * The place of a conversation. `account` is the bot's own ID on the platform, so that two bots never mix. IDs are the
 * platform's own; they may contain colons, as in `!room:example.org`.
 */
export interface Address {
  channel: string;
  account: string;
  /** The team or server, on platforms that have them. */
  workspace?: string;
  chat: string;
  /** A thread, or a topic of a forum. */
  thread?: string;
}

/** Returns the configured name of a person by their ID on a platform. */
export type NameOf = (user: string, workspace?: string) => string | undefined;

/** The person who wrote, as the platform names them. Only `user` identifies; the names are for display. */
export interface Sender {
  user: string;
  name: string;
  username?: string;
  isBot: boolean;
  /** The language of the person's client, as the platform names it: `de`, `en-US`, `C` for a session without one. */
  language?: string;
  /** The person's time zone, as the platform names it: `Europe/Berlin`. */
  timezone?: string;
}

/**
 * Returns the conversation's key. Injective: two addresses have the same key only if all five fields are equal.
 * @example
 * conversationKey({ channel: 'telegram', account: '7', chat: '42' }); // '["telegram","7",null,"42",null]'
 */
export function conversationKey(address: Address): string {
  const { channel, account, workspace, chat, thread } = address;
  return JSON.stringify([channel, account, workspace ?? null, chat, thread ?? null]);
}

/** The channel of programs. Each program has a conversation; each task it submits is another one, a thread of it. */
export const API = 'api';
/** The channel of programs that submit tasks through a hub that this gateway has dialled. */
export const HUB = 'hub';

/**
 * Returns whether everything said at the address is about one task, no matter who says it.
 * @example
 * isProgramTask({ channel: API, account: 'api', chat: 'ci', thread: 'run-1' }); // true
 */
export const isProgramTask = ({ channel, thread }: Address): boolean =>
  (channel === API || channel === HUB) && thread !== undefined;

/**
 * Writes an address as `<channel>[@account]:<chat>[:<thread>]`, the form used in job files and configuration. Colons,
 * blanks and percent signs of an ID are percent-encoded.
 * @example
 * formatAddress({ channel: 'telegram', account: '7', chat: '-100', thread: '5' }); // 'telegram:-100:5'
 * formatAddress({ channel: 'matrix', account: '', chat: '!room:example.org' }); // 'matrix:!room%3Aexample.org'
 */
export function formatAddress(address: Address, options: { account?: boolean } = {}): string {
  const account = options.account ? `@${encodeId(address.account)}` : '';
  const thread = address.thread === undefined ? '' : `:${encodeId(address.thread)}`;
  return `${address.channel}${account}:${encodeId(address.chat)}${thread}`;
}

const encodeId = (id: string): string => id.replace(/[: %]/g, (char) => encodeURIComponent(char));
const decodeId = (text: string): string => text.replace(/%(?:3A|20|25)/g, (code) => decodeURIComponent(code));

/** An address as people write it. Without the account it means the channel's only bot. */
export type WrittenAddress = Omit<Address, 'account'> & { account?: string };

const WRITTEN = /^([a-z][a-z0-9-]{0,31})(?:@([^\s:]{1,512}))?:([^\s:]{1,512})(?::([^\s:]{1,512}))?$/;

/**
 * Parses the output of `formatAddress`; returns undefined for anything else. The workspace isn't part of the text.
 * @example
 * parseAddress('telegram:-100:5')?.thread; // '5'
 */
export function parseAddress(text: string): WrittenAddress | undefined {
  const [, channel, account, chat, thread] = WRITTEN.exec(text.trim()) ?? [];
  if (channel === undefined || chat === undefined) return undefined;
  return {
    channel,
    chat: decodeId(chat),
    ...(account === undefined ? {} : { account: decodeId(account) }),
    ...(thread === undefined ? {} : { thread: decodeId(thread) }),
  };
}

/** A question of ours that nobody in its conversation has answered. */
export interface PendingQuestion {
  text: string;
  buttons: Button[][];
  /** Absent if it has no buttons. */
  messageId?: string;
}

/** A request for suggestions while a person types a command's argument. */
export interface SuggestQuery {
  address: Address;
  sender: Sender;
  isDirect: boolean;
  /** A command whose argument has `suggests`. */
  command: string;
  /** The text typed so far. */
  text: string;
}
