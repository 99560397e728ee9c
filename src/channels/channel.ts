/**
 * The seam between platforms and the gateway. No SDK object crosses it: every field is plain JSON of our own.
 * A channel is a command center's adapter (`id`, `connect({onMessage, onInterrupt})`, `stream`) plus durable `send`.
 */
import type { Address, Sender } from './address.ts';
import type { Attachment, Fetched, RemoteFile } from './files.ts';
import type { DigestMark, PartLedger } from './kept.ts';
import type { Suggestion, SuggestQuery } from './offers.ts';
import type { EndedRun, Given } from './programs.ts';

export {
  type Address,
  API,
  conversationKey,
  formatAddress,
  HUB,
  isProgramTask,
  type NameOf,
  parseAddress,
  type Sender,
  type WrittenAddress,
} from './address.ts';
export { type Attachment, type Fetched, filesAround, type RemoteFile } from './files.ts';
export type { DigestMark, PartAttempt, PartLedger, ReadCursors } from './kept.ts';
export type { CommandSpec, Suggestion, SuggestQuery } from './offers.ts';
export type { EndedRun, Given, GivenArtifact } from './programs.ts';

/** What kind of platform event a message came from. Every kind goes through the same authorisation. */
export type EntryKind = 'message' | 'edit' | 'channel-post' | 'command' | 'button' | 'membership' | 'migration';

/** Words that are not the sender's own instruction: what they reply to, quote or forward. Data, never instructions. */
export interface QuotedText {
  /** `thread`: said in the thread it was called into, before it was. */
  kind: 'reply' | 'quote' | 'forward' | 'thread';
  from: string;
  text: string;
  /** What came with those words; fetched beside the sender's own files, within the same limits. */
  files?: RemoteFile[];
  /** True when the quoted words are this bot's own. */
  fromSelf: boolean;
}

export interface InboundMessage {
  /** Idempotency key within (channel, account, chat): the platform's id of the event. */
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
  /** Parts with the same group (an album) are one message. */
  group?: string;
  /** The platform's id of the message itself, for replies and edits. */
  messageId: string;
  /** For `message`: its place among those of its chat as the platform counts them; absent where it does not. */
  sequence?: number;
  /** For `edit`: the `id` the original message had. */
  editOf?: string;
  /** The platform's id of the message of ours that it replies to; on Slack the first one of its thread, whoever wrote it. */
  repliesTo?: string;
  /** For a press in a channel: the thread that hangs on the pressed message, which may have to be opened first. */
  below?: { address: Address; opens: boolean };
  /** The message that it answers, where the event said no more of it than this: `lookUp` finds it. */
  original?: { chat: string; message: string };
  /** On which channel it was said, where that is not the one of its address: on the Board, in a conversation that goes on elsewhere. */
  via?: string;
  /** Where a command is answered that was given elsewhere than in its conversation: on the page it was typed on. */
  answerAt?: Address;
  isDirect: boolean;
  /** Addressed to this bot: a mention, a reply to it, or a command naming it. */
  isMention: boolean;
  /** For `migration`: where the conversation lives from now on. */
  movedTo?: Address;
  /**
   * In a thread that is one conversation (Discord's and Slack's threads; a forum topic is none): once a task lives there,
   * nobody needs to mention us.
   */
  isThread?: boolean;
  /** Whom they want to talk to from now on: only the machine's own socket says so. */
  viber?: string;
  /** What a program has sent along. */
  given?: Given;
  /** Begins a conversation in a thread of its own: `openThread` is called before anything is answered. */
  opensThread?: boolean;
  /**
   * Opaque: lets the channel answer the event itself for a quarter of an hour (Discord's interaction token, Slack's
   * response_url), so that only the person who asked sees the answer. Handed back in the answer.
   */
  interaction?: string;
  /** In which they are answered, and what is typed before a command there; set where they are let in. */
  language?: string;
  prefix?: string;
  /** Milliseconds since the epoch, the platform's time where it gives one. */
  sentAt: number;
}

export interface Button {
  /** Opaque random id, looked up in our store; at most 32 characters. */
  id: string;
  label: string;
  /** The question that a press decides: once it is decided, wherever that was, the button is taken away. */
  decides?: string;
}

export interface OutboundMessage {
  /** Idempotency key. */
  id: string;
  address: Address;
  /** Markdown (CommonMark with GFM). */
  text: string;
  files: Attachment[];
  buttons?: Button[][];
  /** The platform's id of the message this answers. */
  replyTo?: string;
  /** The platform's id of a message of ours which the first part replaces by an edit. */
  placeholder?: string;
  /** What a message of ours becomes, whose last part has this id on its platform; nothing is sent where it can be edited no more. */
  edits?: { messageId: string; was: string };
  /** The `interaction` of the event this answers: only its person may see the answer, directly once it has run out, or nowhere. */
  interaction?: string;
  /** In which the adapter says what it has to say of itself; set when it is put into the outbox. */
  language?: string;
  /** What a job has to say: whoever answers it, or writes in its thread, goes on with this task. Channels only pass it on. */
  digest?: DigestMark;
  /** When the message was accepted that this answers, in milliseconds since the epoch; only for telling how long it took. */
  askedAt?: number;
  /** How the work ended that this answers; absent when it was done, or when there was none. */
  ended?: 'error' | 'waiting';
  /** The run that it answers, where the channel `takesResults`. */
  result?: EndedRun;
}

/** The four kinds of event, with the task and run they belong to. */
export type AgentState = 'idle' | 'thinking' | 'tool' | 'waiting-approval';
export type AgentStreamEvent = {
  agentId: string;
  taskId: string;
  runId: string;
} /** `whole`: the text from its beginning, in the place of all pieces that came before. */ & (
  | { type: 'text-delta'; content: string; whole?: true }
  | { type: 'tool-call'; tool: string; args: unknown; callId?: string }
  | { type: 'tool-result'; tool: string; result: unknown; callId?: string }
  /** `progress`: how far a tool is, in words from outside. */
  | { type: 'state-change'; state: AgentState; progress?: { tool: string; note: string } }
);

/** What is seen of a run while it goes on: nothing, one message that tells what it does, or the answer as it grows. */
export type LiveMode = 'off' | 'status' | 'text';

/** A run as one conversation sees it, the same object for all its events there; it tells what holds now. Nothing in it throws. */
export interface LiveView {
  /** Chosen for the conversation; undefined: as the channel is configured. */
  readonly mode: LiveMode | undefined;
  readonly state: AgentState;
  /** What is being done, in plain words. A title in it comes from a model: it is to be escaped, here and in `line`. */
  readonly words: string;
  /** `Working (2/5): writing plan.md … 12 s` */
  line(): string;
  /** Leave for one call that counts for the platform's limits, in turn and not while answers wait; false: the run is over. */
  turn(): Promise<boolean>;
  /** The platform said "slow down". */
  limited(retryAfterMs: number): void;
  /** Made when they are first asked for. */
  buttons(): Promise<Button[][]>;
  /** What an earlier process gave to `keep` for this run: its message goes on as the status message, or is taken away. */
  readonly kept: string | undefined;
  /** The platform's id of the message that is answered here; absent where people only watch. */
  readonly answers?: string | undefined;
  /** Remembers the status message for the case that this process ends before the run does. */
  keep(message: string): void;
}

export interface InterruptSignal {
  type: 'interrupt';
  /** `*` or an agent id. */
  targetAgentId: string;
  reason: string;
}

/**
 * What became of an event at the door. `begun`: taken in as words for a task, so that its answer is a message of its own and none to the
 * interaction. Not taken in: `answered`, its sender is told why by a message, or `refused` in silence.
 */
export type InboundOutcome = 'accepted' | 'begun' | 'duplicate' | 'answered' | 'refused';

/** A task as a thread's name or first message shows it; `open`: answered, with steps of its plan still to be done. */
export interface TaskView {
  id: string;
  title: string;
  /** What its threads were called when they were opened. */
  firstTitle?: string;
  state: 'pending' | 'running' | 'open' | 'completed' | 'error' | 'stopped';
  /** Steps of the plan. */
  progress?: { done: number; total: number };
}

export interface ChannelCallbacks {
  /**
   * Resolves when the message is durable (or refused, or a duplicate): the platform may be told so.
   * Rejects when it could not be stored: the platform must not be told.
   * Calls made in one tick keep their order and share one commit.
   */
  onMessage(message: InboundMessage, raw: unknown): Promise<InboundOutcome>;
  /** Names no sender: only from where everybody who writes may stop the conversation's runs. */
  onInterrupt(signal: InterruptSignal, address: Address): Promise<void>;
  /** Never rejects; [] for people who may not ask. At most 25. */
  onSuggest(query: SuggestQuery): Promise<Suggestion[]>;
  /**
   * Files of ours stand in a message of their own, of this id, which the platform tells only afterwards. True where people may go on
   * below it. Rejects when that could not be stored.
   */
  onShared?(address: Address, files: readonly string[], messageId: string): Promise<boolean>;
  /** An event of a kind the channel does not know or care for; counted, not stored. */
  onDropped(kind: string): void;
  /** Called whenever `status()` has changed. */
  onStatus(): void;
}

export interface ChannelStatus {
  state: 'off' | 'connecting' | 'connected' | 'reconnecting' | 'failed';
  /** One sentence for the operator: what is wrong and which setting or action mends it. */
  detail?: string;
}

export interface ChannelLimits {
  /** Characters in the platform's own unit of one text message. */
  text: number;
  /** Bytes of one file we may send. */
  uploadBytes: number;
  /** Bytes of one file we may fetch. */
  downloadBytes: number;
}

/** A message with what its event left out. */
export interface LookedUp {
  /** With names in the place of ids, and with the original it answers among its quotes. */
  message: InboundMessage;
  /** What was asked for of its thread; `ours`: it hangs on a message of this bot's own, so there is nothing to tell. */
  thread?: 'ours' | ThreadWords;
  /** One sentence for the model for each thing that could not be had. */
  problems: string[];
}

export interface ThreadWords {
  /** The message that the thread hangs on; absent where `since` was given, and when it is gone. */
  root?: QuotedText;
  /** The newest ones between `since` and the message, oldest first. Those of this bot only where there was no `since`. */
  replies: readonly { id: string; quote: QuotedText }[];
}

/** Where messages may be sent without anybody having written there before. */
export interface Place {
  address: Address;
  isDirect: boolean;
  /** In a direct conversation: with whom. */
  user?: string;
}

/** Why nothing may be said in a place; `rights`: the role there lacks them. */
export type Barred = 'archived' | 'readOnly' | 'locked' | 'muted' | 'out' | 'rights';

/** A platform. A missing optional method is the answer "cannot". */
export interface Channel {
  readonly id: string;
  /** The bot's own id; known after `connect`. */
  readonly account: string;
  readonly limits: ChannelLimits;
  /** A part that is sent again cannot appear twice: the platform takes a key, or can be asked. */
  readonly isExact?: boolean;
  /** What answers a press is seen by its person alone. */
  readonly whispers?: boolean;
  /** Programs read there: an answer says which run it ends, and how. */
  readonly takesResults?: boolean;
  status(): ChannelStatus;
  /**
   * Resolves once events flow, or with `sendOnly` once it can send: another process takes the events, and this one opens nothing for
   * them. Throws ConfigError when a setting is wrong (a token, a missing permission).
   */
  connect(callbacks: ChannelCallbacks, how?: { sendOnly?: boolean }): Promise<void>;
  /** Stops taking events, waits for those in hand; sending still works until the process ends. */
  disconnect(): Promise<void>;
  /** Sends every part of a message through the ledger. Throws DeliveryError; never retries. */
  send(message: OutboundMessage, ledger: PartLedger): Promise<void>;
  /** Streams a file of an accepted message to `path` (which does not exist yet), at most `maxBytes`. Throws UserError when it is too large. */
  download?(file: RemoteFile, path: string, maxBytes: number, signal: AbortSignal): Promise<Fetched>;
  /**
   * Finds what the event of an accepted message left out: names, the original it answers and, with `thread`, what was said in its
   * thread. Best effort: what cannot be had is told, and only an abort rejects.
   */
  lookUp?(message: InboundMessage, wanted: { thread?: { since?: string } }, signal: AbortSignal): Promise<LookedUp>;
  /** Live progress; best effort, must not throw. Text is what people may see: no blocks, no secrets, no half words. */
  stream?(event: AgentStreamEvent, address: Address, view: LiveView): Promise<void>;
  /** What its limits leave for live progress: places with one key share it, one call in `gapMs`. By default a chat's, 3 s. */
  livePace?(address: Address): { key: string; gapMs: number };
  /** Ends a run's progress here. If it is answered this may give the id of the status message to replace; else that goes. */
  endStream?(runId: string, address: Address, isAnswered: boolean): Promise<string | undefined>;
  /**
   * Makes sure that the thread of a message with `opensThread` exists and gives its address; the same thread for the same
   * `key`, however often it is called. `title` is plain text. Throws DeliveryError; a permanent one (no permission) means
   * that the conversation stays where it began. Throws UserError when nothing can be said there at all: its words are for
   * whoever asked, and nothing is begun.
   */
  openThread?(message: InboundMessage, thread: { key: string; title: string }): Promise<Address>;
  /** Shows whoever gave a command the way to the thread where it is answered; `openThread` does so by itself. Best effort, must not throw. */
  pointTo?(message: InboundMessage, thread: string): Promise<void>;
  /**
   * Why nothing of ours would arrive at this address, as far as the platform tells; undefined where nothing is known to be in the way.
   * Best effort: whatever it throws counts as not known.
   */
  barred?(address: Address): Promise<Barred | undefined>;
  /** The direct conversation with a person of a place. Best effort, may throw. */
  directTo?(user: string, from: Address): Promise<Address | undefined>;
  /**
   * The place of an address that a person wrote down, as the platform knows it; undefined when it is not there or this bot may
   * not see it. A thread may be named by its own id alone. Throws DeliveryError while the platform cannot be asked.
   */
  findPlace?(written: { chat: string; thread?: string }): Promise<Place | undefined>;
  /** Shows how the task of a thread stands, in its name or first message; best effort, must not throw. */
  showTask?(address: Address, task: TaskView): Promise<void>;
}
