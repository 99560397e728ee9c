/** The configuration as the rest of the program sees it: complete, every default filled in, ids as strings. */
import type { BuiltInSections } from '../channels/index.ts';
import type { EngineConfig } from './types-engine.ts';
import type { TelemetryConfig } from './types-telemetry.ts';
import type { HubConfig, SearchConfig, SkillsConfig, WebConfig } from './types-web.ts';

export type { AccessConfig, ChatChannelConfig } from '../channels/kind.ts';
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

export interface TerminalConfig {
  /** `auto`: on when no chat channel is configured; `terminalEnabled` decides. */
  enabled: boolean | 'auto';
  viber?: string;
}

/** `chatSection` of the table of channels finds one by its name, those from outside among them. */
export type ChannelsConfig = BuiltInSections & { terminal: TerminalConfig };

/** One human with an account on one or more platforms. */
export interface PersonConfig {
  name: string;
  role: 'owner' | 'member';
  /** Their accounts, each with its channel before it. */
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
