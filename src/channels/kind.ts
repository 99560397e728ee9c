/**
 * A kind of channel: everything that the rest of the gateway asks about a platform, as one object that `index.ts` of its folder exports.
 * It is imported at every start, so it loads its schema and its client only when they are needed.
 */
import type { z } from 'zod';
import type { ConfigProblem } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Address, Channel, CommandSpec, LiveMode, NameOf, ReadCursors } from './channel.ts';
import type { Lead } from './lead.ts';
import type { WebhookHandler } from './shared/webhook.ts';

/** Who may write to the viber. Ids are the platform's own, kept as strings. */
export interface AccessConfig {
  /** Direct messages: a code to be approved, the lists below only, everybody, nobody. */
  dm: 'pairing' | 'allowlist' | 'open' | 'off';
  /** Groups: when addressed, every message, never. */
  groups: 'mention' | 'all' | 'off';
  /** People. An empty list means nobody. */
  allow: string[];
  /** Groups and channels; `*` is each the bot was added to. An empty list means none. */
  chats: string[];
  /** Where MEMORY.md, USER.md and daily logs stand in prompts: in direct messages alone, or in groups too. */
  memory: 'direct' | 'group';
}

/** What the section of every chat channel has. */
export interface ChatChannelConfig {
  access: AccessConfig;
  /** `auto`: `text` where one person reads, `status` where several do. */
  live: 'auto' | 'off' | 'status' | 'text';
  injection: 'steer' | 'collect' | 'followup';
  attach: 'auto' | 'ask' | 'never';
  /** Who answers there; here and in every other place: absent where the next wider one decides. */
  viber?: string;
}

/** A server of the platform in which every channel the bot can see may be used. */
export interface ServerConfig {
  id: string;
  /** In place of the channel's `access.groups`. */
  groups?: AccessConfig['groups'];
  viber?: string;
}

/** A section as it stands in the file, before it is checked. */
export type Section = Readonly<Record<string, unknown>>;

/** Small texts that outlive the process. */
export interface ChannelCache {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
}

/** The gateway as a channel sees it when it is opened. */
export interface ChannelHost {
  log: Logger;
  /** How progress is shown where nothing is known of a conversation. */
  live: LiveMode;
  /** The commands for the platform's menu. */
  commands: CommandSpec[];
  /** Names of people whom the configuration names. */
  nameOf: NameOf;
  cache: ChannelCache;
  /** How far each chat has been read, for platforms that do not keep it for us. */
  cursors(): ReadCursors;
  /** Of several processes with this bot one takes the events. */
  lead: Lead;
  isShared: boolean;
  /** In which everybody is spoken to; absent: each person's own. */
  language?: string;
}

/** A channel; with a handler, when the platform's requests arrive at our HTTP server. */
export type OpenChannel = Channel & { webhook?: WebhookHandler };

/** How a person finds the bot. */
export interface Card {
  name: string;
  link: string;
  /** Where a server lets it in. */
  invite?: string;
}

export interface SetupToken {
  /** Key of the channel's section. */
  key: string;
  /** The option of `viber init` that names the variable with it, and what that option is about. */
  option: string;
  about: string;
  question: string;
  /** What a person does before they have it. */
  before?: string;
}

/** What a person does to make a bot, in the order in which the platform's own pages ask for it. */
export interface ChannelSetup {
  steps: string;
  /** A text to paste into one of those pages. */
  paste?(): Promise<string>;
  tokens: readonly SetupToken[];
  /** Where a wrong token is fixed. */
  page: string;
  /** Its lines below `channels:` in a new configuration file. */
  starter: string;
}

export interface ChannelKind<S extends ChatChannelConfig = ChatChannelConfig> {
  readonly name: string;
  /** How people call the platform. */
  readonly label: string;
  /** The source of a regular expression: an account as `people:` names it, without the channel's name. */
  readonly accountPattern: string;
  /** An account and a conversation as people write them. */
  readonly examples: { account: string; conversation: string };
  /** An account has its id within a workspace, which is written before it. */
  readonly hasWorkspaces?: boolean;
  /** Variables of the environment, by the key of the section that they fill in. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The channel is on when the variables of one of these groups of keys are all set. */
  readonly switches?: readonly (readonly string[])[];
  /** Which key lists servers, and what it lists. */
  readonly servers?: { key: string; of(settings: S): readonly ServerConfig[] };
  /** The setting that says at which path of our HTTP server the platform's requests arrive, and its value when they do. */
  readonly webhook?: { key: string; path(section: Section): unknown };
  /** What people call a group there, and a conversation within one. */
  readonly words?: { group?: 'tasks.group' | 'tasks.namedGroup'; thread?: 'tasks.thread' | 'tasks.topic' };
  /** What people type before a command. */
  commandPrefix(settings: S): string;
  /** Whether one person alone reads there; without this, it is where no workspace is named. */
  isDirect?(address: Pick<Address, 'chat' | 'workspace'>): boolean;
  /** The schema of the section. */
  settings(): z.ZodType<S> | Promise<z.ZodType<S>>;
  /** What is wrong with keys that are each right by themselves; `path` begins below the section. */
  rules?(section: Section): readonly ConfigProblem[] | Promise<readonly ConfigProblem[]>;
  /** Settings that may be right and mostly are not: by key, the form that one usually has. */
  readonly usual?: Readonly<Record<string, { pattern: RegExp; looks: string }>>;
  open(settings: S, gateway: ChannelHost): OpenChannel | Promise<OpenChannel>;
  /** For the doctor: one sentence for each thing that is well. Throws ConfigError with everything that is wrong. */
  check?(settings: S, log: Logger): Promise<readonly string[]>;
  /** Throws when the platform cannot be asked. */
  card?(settings: S, log: Logger): Promise<Card>;
  readonly setup?: ChannelSetup;
}

/** Gives the kind back: its settings are typed by its schema. */
export const defineChannel = <S extends ChatChannelConfig>(kind: ChannelKind<S>): ChannelKind<S> => kind;
