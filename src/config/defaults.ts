/** What holds where nothing is configured. Plain data, so that a start without a file loads neither zod nor yaml. */
import type { ChatChannelConfig, Config, DiscordConfig, SlackConfig, TelegramConfig } from './types.ts';

export const chatDefaults: ChatChannelConfig = {
  access: { dm: 'pairing', groups: 'mention', allow: [], chats: [], memory: 'direct' },
  live: 'auto',
  injection: 'steer',
  attach: 'auto',
};

export const telegramDefaults: Omit<TelegramConfig, 'token'> = {
  ...chatDefaults,
  apiRoot: 'https://api.telegram.org',
  mode: 'polling',
  pollSeconds: 30,
  localFiles: [],
};

export const discordDefaults: Omit<DiscordConfig, 'token'> = {
  ...chatDefaults,
  apiRoot: 'https://discord.com/api',
  cdnRoot: 'https://cdn.discordapp.com',
  threads: 'per-task',
  guilds: [],
  archiveMinutes: 1,
};

/** The mode follows from the secrets: `socket` where there is an app token, else `http`. */
export const slackDefaults: Omit<SlackConfig, 'botToken' | 'appToken' | 'signingSecret' | 'mode'> = {
  ...chatDefaults,
  apiRoot: 'https://slack.com/api/',
  command: '/viber',
  path: '/webhooks/slack',
};

export const webhookPath = '/webhooks/telegram';

export const defaults: Config = {
  vibers: [],
  conversations: {},
  language: 'auto',
  fallback: [],
  models: [],
  maxSteps: 'auto',
  plan_approval: 'off',
  providers: {},
  prices: {},
  currency: 'USD',
  channels: { terminal: { enabled: 'auto' } },
  people: [],
  http: { host: '127.0.0.1', port: 6009, clients: {}, origins: [] },
  memory: {
    max_memory_tokens: 2000,
    max_task_tokens: 1000,
    max_daily_logs: 3,
    truncation_strategy: 'smart',
    injection: 'system',
    auto_accept: false,
    retention: { daily_logs_days: 90, index_rebuild_days: 7 },
    exclude_patterns: ['*.secret.md', 'credentials/*'],
    index: 'off',
  },
  history: { max_messages: 40, max_tokens: 8000, compaction: 'on' },
  voice: {
    command: [],
    max_seconds: 900,
    echo: 'on',
    reply: 'off',
    speech: 'openai/gpt-4o-mini-tts',
    speaker: 'alloy',
  },
  skills: {
    network: [],
    env: {},
    timeout: 60,
    max_prompt_tokens: 2000,
    webOrigins: [],
    registry: 'https://registry.npmjs.org',
    shell: 'off',
  },
  web: { hosts: [] },
  search: { by: 'auto' },
  mcp: {},
  jobs: { min_minutes: 5, max: 100, keep_days: 30 },
  mesh: { max_depth: 3, max_calls: 20 },
  limits: {
    runs: 32,
    runsPerPerson: 4,
    queue: 1000,
    messagesPerMinute: 30,
    downloadBytes: 20_971_520,
    filesPerMessage: 10,
    bytesPerGuest: 104_857_600,
    bytesPerMember: 2_147_483_648,
    freeBytes: 52_428_800,
    tokensPerDay: 0,
    costPerDay: 0,
    tokensPerPersonPerDay: 0,
    costPerPersonPerDay: 0,
  },
  timeouts: { connect: 10, firstToken: 60, idle: 60, run: 900 },
  engine: {
    kind: 'local',
    roles: ['ingress', 'work', 'deliver'],
    leaseMs: 6000,
    shards: 1,
    replicas: 0,
    dedupeDays: 30,
  },
  hub: { role: 'member' },
  telemetry: { headers: {} },
  log: { level: 'info' },
};
