/**
 * What a configuration file may say. Loaded only when there is one (zod costs 80 ms cold). Every leaf's error text says what was
 * expected there; validate.ts adds what was found. Objects are strict: validate.ts turns unknown keys into warnings.
 */
import { z } from 'zod';
import { chatDefaults, defaults, telegramDefaults, webhookPath } from './defaults.ts';
import type { AgentConfig, ChannelsConfig, Config, TelegramConfig } from './types.ts';

/** For an unknown key the error text is the list of those that are known: validate.ts makes a suggestion of it. */
const section = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? Object.keys(shape).join(' ') : 'expected a section with keys'),
  });
const listOf = <T extends z.ZodType>(item: T) => z.array(item, 'expected a list');
const oneOf = <const T extends readonly string[]>(...values: T) =>
  z.enum(values, { error: `expected ${values.join(', ').replace(/, ([^,]*)$/, ' or $1')}` });
const text = (expected: string, pattern = /\S/) => z.string(expected).regex(pattern, expected);
/** Numbers and switches may come out of `${NAME}`, so as text. */
const numeric = (value: unknown) =>
  typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
const whole = (min: number, max = Number.MAX_SAFE_INTEGER) => {
  const error =
    max === Number.MAX_SAFE_INTEGER
      ? `expected a whole number, ${min} or more`
      : `expected a whole number from ${min} to ${max}`;
  return z.preprocess(numeric, z.int(error).min(min, error).max(max, error));
};
const seconds = z.preprocess(
  numeric,
  z.number('expected seconds').gt(0, 'expected more than 0 seconds').max(86_400, 'expected at most 86400 seconds'),
);
const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean('expected true or false'),
);
const address = (error: string) =>
  z.string(error).refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), error);
const url = address('expected an http or https address');
const secret = text('expected text').exactOptional();
const id = (expected: string, pattern: RegExp) =>
  z.preprocess((value) => (typeof value === 'number' ? String(value) : value), text(expected, pattern));
const texts = listOf(text('expected text'));
const model = text('expected provider/model, for example openai/gpt-5-mini', /^\S+\/\S+$/);

const access = (user: z.ZodType<string>, chat: z.ZodType<string>) =>
  section({
    dm: oneOf('pairing', 'allowlist', 'open', 'off').default(chatDefaults.access.dm),
    groups: oneOf('mention', 'all', 'off').default(chatDefaults.access.groups),
    allow: listOf(user).default([]),
    chats: listOf(chat).default([]),
  });

/** What every chat channel has; the two patterns are those of the platform's own ids. */
const chat = (user: z.ZodType<string>, group: z.ZodType<string>) => ({
  access: access(user, group).prefault({}),
  live: oneOf('off', 'status', 'text').default(chatDefaults.live),
  injection: oneOf('steer', 'collect', 'followup').default(chatDefaults.injection),
  attach: oneOf('auto', 'ask', 'never').default(chatDefaults.attach),
});

const webhook = section({
  url: url.exactOptional(),
  secret: text('expected 1 to 256 of the characters A-Z a-z 0-9 _ -', /^[\w-]{1,256}$/).exactOptional(),
  path: text('expected a path beginning with /', /^\/[^\s?#]*$/).default(webhookPath),
});

const telegram = section({
  token: text('expected the token BotFather gave, here or as TELEGRAM_BOT_TOKEN in the environment', /^[^\s/]+$/),
  apiRoot: address('expected an http or https address, here or as TELEGRAM_API_ROOT in the environment')
    .transform((value) => value.replace(/\/+$/, ''))
    .default(telegramDefaults.apiRoot),
  mode: oneOf('polling', 'webhook').default(telegramDefaults.mode),
  webhook: webhook.prefault({}),
  pollSeconds: whole(1, 50).default(telegramDefaults.pollSeconds),
  ...chat(
    id('expected the number of a person (not a name: names change hands)', /^-?\d{1,19}$/),
    id('expected the number of a chat (a group\'s is below zero) or "*"', /^(-?\d{1,19}|\*)$/),
  ),
}).transform(({ webhook: { url, secret, path }, ...telegram }): TelegramConfig => {
  // rules.ts has refused mode webhook without the two.
  const wanted = telegram.mode === 'webhook' && url !== undefined && secret !== undefined;
  return wanted ? { ...telegram, webhook: { url, secret, path } } : telegram;
});

const anyId = id('expected an id', /^[\w.-]+$|^\*$/);

const discord = section({
  token: secret,
  apiRoot: url.exactOptional(),
  cdnRoot: url.exactOptional(),
  threads: oneOf('per-task', 'off').exactOptional(),
  guilds: listOf(anyId).exactOptional(),
  ...chat(anyId, anyId),
});

const slack = section({
  botToken: secret,
  appToken: secret,
  signingSecret: secret,
  mode: oneOf('socket', 'http').exactOptional(),
  apiRoot: url.exactOptional(),
  command: text('expected a command beginning with /', /^\/\S+$/).exactOptional(),
  ...chat(anyId, anyId),
});

const channels = section({
  telegram: telegram.exactOptional(),
  discord: discord.exactOptional(),
  slack: slack.exactOptional(),
  terminal: section({
    enabled: z.union([z.literal('auto'), flag], 'expected true, false or auto').default('auto'),
  }).prefault({}),
}).transform(({ telegram, terminal }): ChannelsConfig => (telegram ? { telegram, terminal } : { terminal }));

const person = section({
  name: text('expected a name of letters, digits and . _ - (at most 64)', /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u),
  role: oneOf('owner', 'member').default('member'),
  ids: listOf(
    text(
      'expected a person as telegram:1001, discord:2002 or slack:T01:U03',
      /^(telegram:-?\d{1,19}|discord:\d{1,20}|slack:[A-Z0-9]+:[A-Z0-9]+|terminal:[\w.-]+)$/,
    ),
  ),
});

const provider = section({
  baseURL: url.exactOptional(),
  apiKey: secret,
  headers: z.record(z.string(), text('expected text'), 'expected headers with values').exactOptional(),
});

const { http, memory, history, limits, timeouts, log } = defaults;

export const configSchema = section({
  model: model.exactOptional(),
  fallback: listOf(model).default(defaults.fallback),
  maxSteps: whole(1, 1000).default(defaults.maxSteps),
  providers: z.record(z.string(), provider, 'expected a section with one key for each provider').default({}),
  channels: channels.prefault({}),
  people: listOf(person).default([]),
  http: section({
    host: text('expected a host name or address', /^[\w.:-]+$/).default(http.host),
    port: whole(0, 65_535).default(http.port),
    token: secret,
  }).prefault({}),
  memory: section({
    max_memory_tokens: whole(0).default(memory.max_memory_tokens),
    max_task_tokens: whole(0).default(memory.max_task_tokens),
    max_daily_logs: whole(0).default(memory.max_daily_logs),
    truncation_strategy: oneOf('head', 'tail', 'smart').default(memory.truncation_strategy),
    injection: oneOf('system', 'message').default(memory.injection),
    auto_accept: flag.default(memory.auto_accept),
    retention: section({
      daily_logs_days: whole(1).default(memory.retention.daily_logs_days),
      index_rebuild_days: whole(1).default(memory.retention.index_rebuild_days),
    }).prefault({}),
    exclude_patterns: texts.default(memory.exclude_patterns),
  }).prefault({}),
  history: section({
    max_messages: whole(1).default(history.max_messages),
    max_tokens: whole(1).default(history.max_tokens),
  }).prefault({}),
  limits: section({
    runs: whole(1, 1000).default(limits.runs),
    queue: whole(1).default(limits.queue),
    messagesPerMinute: whole(1).default(limits.messagesPerMinute),
    downloadBytes: whole(0).default(limits.downloadBytes),
    filesPerMessage: whole(0).default(limits.filesPerMessage),
    freeBytes: whole(0).default(limits.freeBytes),
  }).prefault({}),
  timeouts: section({
    connect: seconds.default(timeouts.connect),
    firstToken: seconds.default(timeouts.firstToken),
    idle: seconds.default(timeouts.idle),
    run: seconds.default(timeouts.run),
  }).prefault({}),
  log: section({
    level: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default(log.level),
  }).prefault({}),
}) satisfies z.ZodType<Config>;

export const agentSchema = section({
  model: model.exactOptional(),
  fallback: listOf(model).exactOptional(),
  maxSteps: whole(1, 1000).exactOptional(),
  prompt: z.string('expected text').exactOptional(),
  systemPrompt: z.string('expected text').exactOptional(),
  tools: texts.exactOptional(),
  skills: texts.exactOptional(),
}).transform(({ systemPrompt, ...agent }): Omit<AgentConfig, 'warnings'> => {
  const prompt = agent.prompt ?? systemPrompt;
  return prompt === undefined ? agent : { ...agent, prompt };
});
