/** The configuration as the rest of the program sees it: complete, every default filled in, ids as strings. */
import type { EngineConfig } from './types-engine.ts';
import type { TelemetryConfig } from './types-telemetry.ts';
import type { HubConfig, SearchConfig, SkillsConfig, WebConfig } from './types-web.ts';

export type { AgentConfig } from './types-agent.ts';
export type { EngineConfig, EngineRole } from './types-engine.ts';
export type { HubConfig, SearchConfig, SkillsConfig, WebConfig } from './types-web.ts';

import type { VoiceConfig } from './voice.ts';

/** An OpenAI-compatible endpoint, or settings of a provider known by name. */
export interface ProviderConfig {
  baseURL?: string;
  apiKey?: string;
  headers?: Record<string, string>;
  /** Of one answer, thoughts and calls included. */
  maxOutputTokens?: number;
}

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

/** What every chat channel has. */
export interface ChatChannelConfig {
  access: AccessConfig;
  /** `auto`: `text` where one person reads, `status` where several do. */
  live: 'auto' | 'off' | 'status' | 'text';
  injection: 'steer' | 'collect' | 'followup';
  attach: 'auto' | 'ask' | 'never';
  /** Who answers there; here and in every other place: absent where the next wider one decides. */
  viber?: string;
}

export interface WebhookConfig {
  /** The public https address given to Telegram. */
  url: string;
  /** Telegram repeats it in a header of every call; 16 to 256 of A-Z a-z 0-9 _ -. */
  secret: string;
  /** Where the calls arrive on our own HTTP server. */
  path: string;
}

export interface TelegramConfig extends ChatChannelConfig {
  token: string;
  /** Without a slash at the end. */
  apiRoot: string;
  mode: 'polling' | 'webhook';
  /** There when `mode` is `webhook`, and only then. */
  webhook?: WebhookConfig;
  /** Seconds one getUpdates call stays open. */
  pollSeconds: number;
  /** Absolute folders where a Bot API server of one's own keeps files; none: it is not in local mode. */
  localFiles: string[];
}

/** A server in which every channel the bot can see may be used. */
export interface GuildConfig {
  /** A snowflake. */
  id: string;
  /** In place of the channel's `access.groups`. */
  groups?: AccessConfig['groups'];
  viber?: string;
}

export interface DiscordConfig extends ChatChannelConfig {
  token: string;
  /** Without a slash at the end, and without a version. */
  apiRoot: string;
  /** Where attachments are fetched; without a slash at the end. */
  cdnRoot: string;
  /** `per-task`: a mention or a goal in a channel opens a thread of its own. */
  threads: 'per-task' | 'off';
  guilds: GuildConfig[];
  /** Minutes of quiet after which the thread of a finished task is archived; 0 means never by us. */
  archiveMinutes: number;
}

export interface SlackConfig extends ChatChannelConfig {
  botToken: string;
  /** Always there when `mode` is `socket`. */
  appToken?: string;
  /** Always there when `mode` is `http`. */
  signingSecret?: string;
  mode: 'socket' | 'http';
  /** With one slash at the end. */
  apiRoot: string;
  /** The slash command as the app declares it, with its slash. */
  command: string;
  /** Where Slack's requests arrive on our own HTTP server (mode `http`). */
  path: string;
}

export interface TerminalConfig {
  /** `auto`: on when no chat channel is configured; `terminalEnabled` decides. */
  enabled: boolean | 'auto';
  viber?: string;
}

export interface ChannelsConfig {
  /** A chat channel is absent when it is off. */
  telegram?: TelegramConfig;
  discord?: DiscordConfig;
  slack?: SlackConfig;
  terminal: TerminalConfig;
}

/** One human with an account on one or more platforms. */
export interface PersonConfig {
  name: string;
  role: 'owner' | 'member';
  /** People as text: `telegram:1001`, `discord:2002`, `slack:T01:U03`. */
  ids: string[];
  /** Who answers their direct messages. */
  viber?: string;
}

export interface HttpClientConfig {
  token: string;
  /** Absent: `member`, or whatever its person is. */
  role?: 'owner' | 'member' | 'guest';
  /** A name of `people`: it speaks for them. */
  person?: string;
}

export interface HttpConfig {
  host: string;
  /** 0 lets the system choose. */
  port: number;
  /** Always there when `host` is not a loopback address. */
  token?: string;
  /** Programs with a token of their own, by name. */
  clients: Record<string, HttpClientConfig>;
  /** How others than this machine's programs address it, for example `https://viber.example.org`. */
  origins: string[];
}

export interface MemoryConfig {
  /** Tokens of MEMORY.md and daily logs in one request. */
  max_memory_tokens: number;
  /** Tokens of the plan in one request. */
  max_task_tokens: number;
  max_daily_logs: number;
  truncation_strategy: 'head' | 'tail' | 'smart';
  /** Where memory stands in a request: in the system prompt, or in a message before the conversation. */
  injection: 'system' | 'message';
  /** Take memory suggestions without asking. */
  auto_accept: boolean;
  retention: { daily_logs_days: number; index_rebuild_days: number };
  /** Globs relative to the viber's directory that are never indexed or injected. */
  exclude_patterns: string[];
  /** `auto`: as the number and size of the files call for it. */
  index: 'off' | 'auto' | 'on';
  /** `provider/model` that makes vectors of the indexed text; absent: words alone. */
  embedding?: string;
}

/** How much of a task's session goes into one request. */
export interface HistoryConfig {
  max_messages: number;
  max_tokens: number;
  /** What no longer fits is summarised once, after its lasting facts went to the daily log. */
  compaction: 'on' | 'off';
}

/** A server of the Model Context Protocol: a program of this machine, or an address. */
export interface McpServerConfig {
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  url?: string;
  headers?: Record<string, string>;
  /** Names of the tools that are offered; absent means all. */
  tools?: string[];
  /** What it says about its tools (that one only reads) is believed. */
  trusted: boolean;
}

export interface JobsConfig {
  /** IANA name; absent: the machine's. */
  timezone?: string;
  /** The shortest time between two runs of a job made in a chat. */
  min_minutes: number;
  /** Jobs made in chats, at most. */
  max: number;
  /** How long the tasks of past runs are kept. */
  keep_days: number;
}

export interface MeshConfig {
  /** How deep agents may ask each other. */
  max_depth: number;
  /** Questions to agents in one run of a task, all depths together. */
  max_calls: number;
}

export interface LimitsConfig {
  /** Runs at the same time in the whole gateway. */
  runs: number;
  /** Runs at the same time of one person who is no owner. */
  runsPerPerson: number;
  /** Waiting messages of one conversation. */
  queue: number;
  /** Messages of one person who is no owner in one minute. */
  messagesPerMinute: number;
  /** Bytes of one file fetched from a platform. */
  downloadBytes: number;
  filesPerMessage: number;
  /** Bytes that the files of one guest's, or one member's, tasks may take on the disk; 0 means no limit. */
  bytesPerGuest: number;
  bytesPerMember: number;
  /** Bytes that must stay free on the disk; below it nothing new is accepted. */
  freeBytes: number;
  /** Tokens of all runs in one day (UTC), input and output together; 0 means no cap, here and in the three below. */
  tokensPerDay: number;
  /** Money of all runs in one day, in `currency`; only calls whose price is known count. */
  costPerDay: number;
  tokensPerPersonPerDay: number;
  costPerPersonPerDay: number;
}

/** What a model costs, per million tokens, in `currency`. */
export interface PriceConfig {
  input: number;
  output: number;
  /** Of input the provider had cached; the same as `input` where absent. */
  cachedInput?: number;
}

/** Seconds. */
export interface TimeoutsConfig {
  /** Until the model's endpoint answers at all. */
  connect: number;
  /** Until the first piece of an answer. */
  firstToken: number;
  /** Between two pieces. */
  idle: number;
  /** A whole run. */
  run: number;
}

export interface LogConfig {
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}

export interface Config {
  /** Who answers where nothing narrower says so; absent: `default`. */
  viber?: string;
  /** Those that members may choose by /use, beside the one that is configured for where they are. */
  vibers: string[];
  /** By address as text, `<channel>:<chat>[:<thread>]`. */
  conversations: Record<string, { viber?: string }>;
  /** A language tag for everybody, or `auto`: each person's own. */
  language: string;
  /** `provider/model`; absent means that the environment's provider keys decide. */
  model?: string;
  /** Tried in order when `model` fails before it has done anything. */
  fallback: string[];
  /** Those that everybody may choose for a conversation, beside `model` and `fallback`. */
  models: string[];
  /** `provider/model` that gives tasks their titles; absent: the first words of their goals. */
  small_model?: string;
  /** Model calls of one run; `auto` is 10, and 25 for a viber with a project's `folder`. */
  maxSteps: number | 'auto';
  /** Whether a task's plan must be approved before work begins. */
  plan_approval: 'on' | 'off';
  providers: Record<string, ProviderConfig>;
  /** By `provider/model`. */
  prices: Record<string, PriceConfig>;
  /** Three letters; money of all prices and caps. */
  currency: string;
  channels: ChannelsConfig;
  people: PersonConfig[];
  http: HttpConfig;
  memory: MemoryConfig;
  history: HistoryConfig;
  voice: VoiceConfig;
  skills: SkillsConfig;
  web: WebConfig;
  search: SearchConfig;
  /** By name; its tools are offered as `name_tool`. */
  mcp: Record<string, McpServerConfig>;
  jobs: JobsConfig;
  mesh: MeshConfig;
  limits: LimitsConfig;
  timeouts: TimeoutsConfig;
  engine: EngineConfig;
  hub: HubConfig;
  telemetry: TelemetryConfig;
  log: LogConfig;
}
