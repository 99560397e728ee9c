/**
 * Defines a kind of channel: everything the gateway asks about a platform, as one object that its folder's `index.ts`
 * exports. It is imported at every start, so it loads its schema and its client only when they are needed.
 */
import type { z } from 'zod';
import type { ConfigProblem } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Wording } from '../messages/messages.ts';
import type { Channel, CommandSpec, LiveMode, NameOf, ReadCursors } from './channel.ts';
import type { Lead } from './lead.ts';
import type { WebhookHandler } from './shared/webhook.ts';

/** The rules about who may write to the viber. IDs are the platform's own, kept as strings. */
export interface AccessConfig {
  /**
   * Direct messages: from people with an approved pairing code, from those in the lists below, from everybody, from
   * nobody.
   */
  dm: 'pairing' | 'allowlist' | 'open' | 'off';
  /** Groups: answer when mentioned, answer every message, never answer. */
  groups: 'mention' | 'all' | 'off';
  /** People. An empty list means nobody. */
  allow: string[];
  /** Groups and channels; `*` means all that the bot was added to. An empty list means none. */
  chats: string[];
  /**
   * The prompts that contain MEMORY.md, USER.md and daily logs: those of direct messages only, or those of groups too.
   */
  memory: 'direct' | 'group';
}

/** The settings that every chat channel has. */
export interface ChatChannelConfig {
  access: AccessConfig;
  /** `auto`: `text` where one person reads, `status` where several do. */
  live: 'auto' | 'off' | 'status' | 'text';
  injection: 'steer' | 'collect' | 'followup';
  attach: 'auto' | 'ask' | 'never';
  /** The viber that answers there. Here and at every other level, the next wider level decides if it is absent. */
  viber?: string;
}

/** A server of the platform in which every channel that the bot can see may be used. */
export interface ServerConfig {
  id: string;
  /** Overrides the channel's `access.groups`. */
  groups?: AccessConfig['groups'];
  viber?: string;
}

/** A section as written in the file, before it is checked. */
export type Section = Readonly<Record<string, unknown>>;

/**
 * Small texts that survive a restart, such as a position in the events of the whole account. Shared by all channels, so
 * a key begins with the channel's name. `set` resolves once the text is stored, and rejects if it can't be.
 */
export interface ChannelCache {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
}

/** The gateway as a channel sees it when it is opened. */
export interface ChannelHost {
  log: Logger;
  /** How progress is shown where a conversation has chosen nothing. */
  live: LiveMode;
  /** The commands for the platform's menu. */
  commands: CommandSpec[];
  /** Returns the names of people in the configuration. */
  nameOf: NameOf;
  cache: ChannelCache;
  /**
   * Returns how far each chat was read, for platforms that don't keep it for us. A position in the events of all chats
   * together belongs in `cache`.
   */
  cursors(): ReadCursors;
  /**
   * Elects the process that receives the events when several run this bot; every channel that polls or holds a
   * connection asks it, under `NAME:ACCOUNT`. `run` ends once `over` is aborted, and moves no position unless `isOurs`.
   */
  lead: Lead;
  isShared: boolean;
  /** The language of every answer; absent: each person's own. */
  language?: string;
}

/** A channel, with a request handler if the platform sends its events to our HTTP server. */
export type OpenChannel = Channel & { webhook?: WebhookHandler };

/** How people find the bot. */
export interface Card {
  name: string;
  link: string;
  /** A link that adds the bot to a server. */
  invite?: string;
  /** Returns a link that opens the chat and sends the code of `/link`. */
  withCode?(code: string): string;
}

export interface SetupToken {
  /** The token's key in the channel's section. */
  key: string;
  /** The option of `viber init` that names the token's environment variable, and its help text. */
  option: string;
  about: Wording | string;
  question: Wording | string;
  /** Instructions for getting the token. */
  before?: Wording | string;
}

/** The steps to create a bot, in the order in which the platform's own pages ask for them. */
export interface ChannelSetup {
  steps: Wording | string;
  /** Returns a page that creates the bot as it has to be; it stands after the steps. */
  link?(): Promise<string>;
  /** Returns a text to paste into one of those pages, if the link can't be opened. */
  paste?(): Promise<string>;
  tokens: readonly SetupToken[];
  /** The page on which a wrong token can be fixed. */
  page: string;
  /** Its lines below `channels:` in a new configuration file. */
  starter: string;
}

export interface UsualForm {
  pattern: RegExp;
  /** A clause that says how it looks. */
  looks: Wording | string;
  /** What a text of this form is, if no other setting's has it. */
  what?: Wording | string;
}

export interface ChannelKind<S extends ChatChannelConfig = ChatChannelConfig> {
  readonly name: string;
  /** The platform's name, as people know it. */
  readonly label: string;
  /** The source of a regular expression that matches an account in `people:`, without the channel's name. */
  readonly accountPattern: string;
  /** An example account and conversation, as people write them. */
  readonly examples: { account: string; conversation: string };
  /** Whether account IDs belong to a workspace, which is written before them. */
  readonly hasWorkspaces?: boolean;
  /**
   * Environment variables by the key of the section that they set. The values of keys that end in `token` or `secret` are
   * kept out of logs.
   */
  readonly variables?: Readonly<Record<string, string>>;
  /** The channel is on when the variables of all keys in one of these groups are set. */
  readonly switches?: readonly (readonly string[])[];
  /** The key that lists servers, and the servers it lists. */
  readonly servers?: { key: string; of(settings: S): readonly ServerConfig[] };
  /**
   * The setting for the path of our HTTP server that receives the platform's requests, and its value when it is in use.
   */
  readonly webhook?: { key: string; path(section: Section): unknown };
  /** The words for a group and for a conversation within one on this platform. */
  readonly words?: { group?: 'tasks.group' | 'tasks.namedGroup'; thread?: 'tasks.thread' | 'tasks.topic' };
  /** Returns the prefix that people are told to type before a command; the channel may recognise others as well. */
  commandPrefix(settings: S): string;
  /**
   * Returns whether only one person reads there, by the ID alone; where IDs don't say, false, which shows less. Messages
   * and `findPlace` say it for themselves. Default: an address without a workspace.
   */
  isDirect?(address: { chat: string; workspace?: string }): boolean;
  settings(): z.ZodType<S> | Promise<z.ZodType<S>>;
  /** Returns the problems of keys that are each valid by themselves; `path` begins below the section. */
  rules?(section: Section): readonly ConfigProblem[] | Promise<readonly ConfigProblem[]>;
  /** The usual form of settings, by key: a value of another form may be right but mostly isn't. */
  readonly usual?: Readonly<Record<string, UsualForm>>;
  /** Other secrets of the platform that are pasted by mistake. */
  readonly lookalikes?: readonly { pattern: RegExp; what: Wording | string }[];
  open(settings: S, gateway: ChannelHost): OpenChannel | Promise<OpenChannel>;
  /**
   * Checks the channel for `viber doctor`; returns one sentence for each thing that works.
   * @throws ConfigError with everything that is wrong.
   */
  check?(settings: S, log: Logger): Promise<readonly (Wording | string)[]>;
  /** @throws when the platform can't be asked. */
  card?(settings: S, log: Logger): Promise<Card>;
  readonly setup?: ChannelSetup;
}

/**
 * Returns the kind itself; its settings get their type from its schema. The module that `channels.NAME.module` names
 * exports it as its default.
 * @example
 * const kind = defineChannel({
 *   name: 'pigeon',
 *   label: 'Pigeon Post',
 *   accountPattern: String.raw`\d+`,
 *   examples: { account: 'pigeon:7', conversation: 'pigeon:loft' },
 *   commandPrefix: () => '/',
 *   settings: () => z.custom<ChatChannelConfig>(),
 *   open: () => channel,
 * });
 */
export const defineChannel = <S extends ChatChannelConfig>(kind: ChannelKind<S>): ChannelKind<S> => kind;
