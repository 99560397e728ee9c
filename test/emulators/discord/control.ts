/** Everything a test can make the platform, and the people on it, do. */
import type {
  AutocompleteRequest,
  ChannelTranscript,
  ChannelView,
  ChatMessage,
  Counters,
  Fault,
  GatewayView,
  InteractionView,
  LoggedRequest,
  ModalRequest,
  Outage,
  PersonView,
  Ping,
  PressRequest,
  RateLimits,
  SayOptions,
  SlashRequest,
  ThreadView,
  Wanted,
} from './types.ts';

/** What a test, in this process or another, can do. Ids are snowflakes as strings throughout. */
export interface DiscordControl {
  // ---- people -------------------------------------------------------------------------------------------------------
  /** A person says something in a channel, thread or DM channel; gives the message. Reopens an archived thread. */
  say(channelId: string, text: string, options?: SayOptions): ChatMessage;
  /** A person says something to the bot in private; the DM channel is made on first use (`channelId` of the answer). */
  dm(userId: string, text: string, options?: Omit<SayOptions, 'from'>): ChatMessage;
  /** Id of a person's DM channel with the bot, made on first use. */
  openDm(userId: string): string;
  /** The language in which somebody uses Discord; en-US by default. */
  setLocale(userId: string, locale: string): void;
  /** The author changes a message. */
  edit(channelId: string, messageId: string, text: string): ChatMessage;
  delete(channelId: string, messageId: string): void;
  /** A person reacts, or takes the reaction back. `emoji` is Unicode. */
  react(channelId: string, messageId: string, emoji: string, options?: { user?: string; remove?: boolean }): void;
  /** A person uses a slash command. Resolves at the acknowledgement, or with `failed` when none came in time. */
  slash(request: SlashRequest): Promise<InteractionView>;
  /** A person types in an option. Resolves with the choices, or `failed`. */
  autocomplete(request: AutocompleteRequest): Promise<InteractionView>;
  /** A person presses a button. Throws when there is no such button. */
  press(request: PressRequest): Promise<InteractionView>;
  /** A person sends a modal's form. */
  submitModal(request: ModalRequest): Promise<InteractionView>;
  /** An interaction of any kind with any data. */
  interact(kind: number, channel: string, data: Record<string, unknown>): Promise<InteractionView>;
  /** How an interaction stands now. */
  interaction(id: string): InteractionView;
  /** Resolves when the interaction's original response is a real message, no longer "thinking". */
  answered(interactionId: string, timeoutMs?: number): Promise<InteractionView>;
  /** The bot's typing indicators, oldest first. */
  typing(): { channelId: string; at: number }[];

  // ---- places -------------------------------------------------------------------------------------------------------
  /** Makes or changes a person. A random id unless given. */
  person(facts: {
    id?: string;
    username?: string;
    globalName?: string;
    nick?: string;
    isBot?: boolean;
    roles?: string[];
  }): PersonView;
  addRole(name: string, options?: { guild?: string; mentionable?: boolean }): string;
  /** Makes a guild with the bot in it and one channel, `general`. Gives the guild's id and that channel's. */
  addGuild(name: string): { guildId: string; channelId: string };
  /** The bot is put out of a guild (or the guild is away when `unavailable`). */
  removeGuild(guildId: string, options?: { unavailable?: boolean }): void;
  /** `type` 0 (text) unless told. */
  addChannel(name: string, options?: { guild?: string; type?: number }): ChannelView;
  deleteChannel(channelId: string): void;
  /** What the bot may not do there: names of discord-api-types PermissionFlagsBits. An empty list allows all again. */
  deny(channelId: string, permissions: string[]): void;
  /** A person opens a thread, on a message or free-standing. */
  createThread(
    channelId: string,
    options: { name: string; user?: string; messageId?: string; isPrivate?: boolean; withoutOriginal?: boolean },
  ): ThreadView;
  threads(channelId: string): ThreadView[];
  thread(threadId: string): ThreadView;
  /** A person (or Discord, for idleness) archives a thread; `locked` too if asked. */
  archive(threadId: string, options?: { locked?: boolean; archived?: boolean }): ThreadView;
  /** A person gives a thread another name. */
  renameThread(threadId: string, name: string): ThreadView;
  /** A person with rights is no longer reachable, or is again: DMs to them are refused with 50007. */
  closeDm(userId: string, isClosed?: boolean): void;

  // ---- what is to be seen -------------------------------------------------------------------------------------------
  channel(channelId: string): ChannelTranscript;
  /** Every channel, thread and DM there is. */
  channels(): ChannelView[];
  message(channelId: string, messageId: string): ChatMessage;
  /** Resolves with the first `count` messages that fit, there already or to come; rejects at the time limit. */
  wait(wanted: Wanted): Promise<ChatMessage[]>;
  /** Messages created or edited after this sequence number, waiting up to `timeoutMs` for the first. */
  changesSince(seq: number, timeoutMs?: number): Promise<{ seq: number; messages: ChatMessage[] }>;
  /** The bot's messages that notified somebody. */
  pings(): Ping[];
  /** Bytes of an attachment, as base64. */
  file(attachmentId: string): string;
  /** The registered commands, of the application or of one guild, as the API lists them. */
  commands(guildId?: string): object[];
  /** The bot's presence as last told, null without one. */
  presence(): object | null;

  // ---- gateway ------------------------------------------------------------------------------------------------------
  gateway(): GatewayView;
  /** Resolves when a session is identified (or resumed) and its guilds have been sent. */
  connected(timeoutMs?: number): Promise<GatewayView>;
  /**
   * Breaks the socket. `resumable` (true unless told) keeps the session; `code` closes with it (else the line is reset);
   * 4004, 4010 to 4014 are the codes that forbid to come back.
   */
  dropGateway(options?: { resumable?: boolean; code?: number }): void;
  /** The next `n` socket connections are refused. */
  refuseReconnects(n: number): void;
  /** Sends RECONNECT (op 7). */
  askReconnect(): void;
  /** Sends INVALID_SESSION (op 9). */
  invalidateSession(resumable?: boolean): void;
  /** The next `n` RESUMEs are answered with INVALID_SESSION. */
  refuseResumes(n: number): void;
  /** Heartbeats are no longer acknowledged and nothing is dispatched, on a socket that stays open; until `false`. */
  stopAcks(isStopped?: boolean): void;
  /** Asks the client for a heartbeat now (op 1). */
  askHeartbeat(): void;
  /** Dispatches the creation of this message, or this interaction, once more, with a new sequence number. */
  redeliver(id: string): void;
  /** Keeps events back; `release` sends them, the newest first if `reversed`, or in the order of these indexes. */
  hold(): void;
  release(order?: 'reversed' | number[]): void;
  /** Dispatches any event as it stands to the connected sessions, whatever their intents. */
  dispatch(event: string, data: object): void;
  /** Switches the privileged MESSAGE_CONTENT intent of the application on or off (for the next identify). */
  messageContent(isEnabled: boolean): void;

  // ---- faults -------------------------------------------------------------------------------------------------------
  fault(fault: Fault): void;
  clearFaults(): void;
  /** The whole platform is away until this is called without an argument. */
  outage(kind?: Outage): Promise<void>;
  /** Switches rate limits on, with these changes to the real ones, or off (as at start). Headers are always there. */
  rate(limits?: Partial<RateLimits> | false): void;

  /** Where it listens and the token it takes. */
  facts(): { url: string; cdn: string; token: string };

  // ---- counts -------------------------------------------------------------------------------------------------------
  counters(): Counters;
  /** Logged calls of a route such as `POST /channels/:id/messages`; all without one. */
  requests(route?: string): LoggedRequest[];
  /** The newest call of a route, waiting for the first. */
  called(route: string, timeoutMs?: number): Promise<LoggedRequest>;
  /** How often commands were written (PUT and POST). */
  commandsRegistered(): number;
  /** Forgets counts, log, faults, limits and held events; chats, commands and sessions stay. */
  reset(): void;
}
