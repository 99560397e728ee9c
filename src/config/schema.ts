/**
 * What a configuration file may say. Loaded only when there is one (zod costs 80 ms cold). Every leaf's error text says what was
 * expected there; validate.ts adds what was found. Objects are strict: validate.ts turns unknown keys into warnings.
 */
import { z } from 'zod';
import { exampleOf, isAccount } from '../channels/index.ts';
import { defaults } from './defaults.ts';
import { engine } from './schema-engine.ts';
import {
  address,
  amount,
  flag,
  listOf,
  oneOf,
  onOff,
  origin,
  seconds,
  secret,
  section,
  share,
  socket,
  steps,
  text,
  timezone,
  viber,
  webHost,
  whole,
} from './schema-parts.ts';
import type { AgentConfig, ChannelsConfig, Config } from './types.ts';

const texts = listOf(text('expected text'));
const model = text('expected provider/model, for example openai/gpt-5-mini', /^\S+\/\S+$/);

const PERSON = `expected a person as ${exampleOf('account')}`;
/** An account of a channel, or of this machine's terminal. */
const account = z.string(PERSON).refine((text) => /^terminal:[\w.-]+$/.test(text) || isAccount(text), PERSON);

const person = section({
  name: text(
    'expected a name of letters, digits, spaces and . _ - (at most 64)',
    /^(?=.{1,64}$)[\p{L}\p{N}][\p{L}\p{M}\p{N}._'’-]*(?: [\p{L}\p{M}\p{N}._'’-]+)*$/u,
  ),
  role: oneOf('owner', 'member').default('member'),
  ids: listOf(account),
  viber: viber.exactOptional(),
});

const place = text(
  `expected a conversation as ${exampleOf('conversation')}, with :THREAD for one in it`,
  /^[a-z][a-z0-9-]{0,31}:[^\s:]{1,64}(:[^\s:]{1,64})?$/,
);

const provider = section({
  baseURL: address().exactOptional(),
  apiKey: secret,
  headers: z.record(z.string(), text('expected text'), 'expected headers with values').exactOptional(),
  maxOutputTokens: whole(1).exactOptional(),
});

const price = section(
  { input: amount, output: amount, cachedInput: amount.exactOptional() },
  'expected a section with input and output, prices per million tokens',
);

const mcpServer = section(
  {
    command: text('expected a program').exactOptional(),
    args: texts.exactOptional(),
    env: z.record(z.string(), text('expected text', /[\s\S]*/), 'expected variables with values').exactOptional(),
    url: address().exactOptional(),
    headers: z.record(z.string(), text('expected text'), 'expected headers with values').exactOptional(),
    tools: texts.exactOptional(),
    trusted: flag.default(false),
  },
  'expected a section with command or url',
).refine(({ command, url }) => (command === undefined) !== (url === undefined), 'expected either command or url');

const shellSwitch = z.preprocess(
  (value) => (value === true || value === 'true' ? 'on' : value === false || value === 'false' ? 'off' : value),
  oneOf('off', 'on', 'network'),
);

const { http, hub, memory, history, voice, skills, web, search, jobs, mesh, limits, timeouts, telemetry, log } =
  defaults;

export const configSchema = section({
  model: model.exactOptional(),
  fallback: listOf(model).default(defaults.fallback),
  models: listOf(model).default(defaults.models),
  small_model: model.exactOptional(),
  maxSteps: steps.default(defaults.maxSteps),
  plan_approval: onOff.default(defaults.plan_approval),
  language: text('expected auto, en or de', /^(auto|[a-z]{2,3}([-_][A-Za-z0-9]{1,8}){0,4})$/i).default(
    defaults.language,
  ),
  viber: viber.exactOptional(),
  vibers: listOf(viber).default(defaults.vibers),
  providers: z.record(z.string(), provider, 'expected a section with one key for each provider').default({}),
  prices: z.record(z.string(), price, 'expected a section with one key for each model').default({}),
  currency: text('expected three capital letters, for example USD', /^[A-Z]{3}$/).default(defaults.currency),
  /** `channelsSchema` takes its place: which channels there are is known only when a file is read. */
  channels: z.custom<ChannelsConfig>(),
  people: listOf(person).default([]),
  conversations: z
    .record(place, section({ viber: viber.exactOptional() }), 'expected a section with one key for each conversation')
    .default({}),
  http: section({
    host: text('expected a host name or address', /^[\w.:-]+$/).default(http.host),
    port: whole(0, 65_535).default(http.port),
    token: secret,
    clients: z
      .record(
        text('expected a name of a-z, 0-9 and - (at most 32)', /^[a-z0-9][a-z0-9-]{0,31}$/).refine(
          (name) => name !== 'owner',
          'the name owner is reserved for the token of http.token; choose another',
        ),
        section({
          token: text('expected text'),
          role: oneOf('owner', 'member', 'guest').exactOptional(),
          person: text('expected a name of people').exactOptional(),
        }),
        'expected a section with one key for each client',
      )
      .default(http.clients),
    origins: listOf(origin).default(http.origins),
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
    index: z
      .preprocess(
        (value) => (value === true || value === 'true' ? 'on' : value === false || value === 'false' ? 'off' : value),
        oneOf('off', 'auto', 'on'),
      )
      .default(memory.index),
    embedding: model.exactOptional(),
  }).prefault({}),
  history: section({
    max_messages: whole(1).default(history.max_messages),
    max_tokens: whole(1).default(history.max_tokens),
    compaction: onOff.default(history.compaction),
  }).prefault({}),
  voice: section({
    model: model.exactOptional(),
    command: texts.default(voice.command),
    language: text('expected two letters, for example de', /^[a-z]{2}$/).exactOptional(),
    max_seconds: whole(1, 14_400).default(voice.max_seconds),
    echo: onOff.default(voice.echo),
    reply: oneOf('off', 'same').default(voice.reply),
    speech: model.default(voice.speech),
    speaker: text('expected the name of a voice, for example alloy', /^[\w-]+$/).default(voice.speaker),
  }).prefault({}),
  skills: section({
    env: z
      .record(
        z.string(),
        z.record(
          text('expected the name of a variable', /^[A-Za-z_][A-Za-z0-9_]*$/),
          text('expected text'),
          'expected variables with values',
        ),
        'expected a section with one key for each skill',
      )
      .default(skills.env),
    network: texts.default(skills.network),
    timeout: seconds.default(skills.timeout),
    webOrigins: listOf(address()).default(skills.webOrigins),
    max_prompt_tokens: whole(100).default(skills.max_prompt_tokens),
    registry: address().default(skills.registry),
    shell: shellSwitch.default(skills.shell),
  }).prefault({}),
  search: section({
    by: oneOf('auto', 'off', 'provider', 'searxng', 'brave', 'tavily').default(search.by),
    url: address().exactOptional(),
    apiKey: secret,
    model: model.exactOptional(),
  }).prefault({}),
  web: section({ hosts: listOf(webHost).default(web.hosts) }).prefault({}),
  mcp: z
    .record(
      text('expected a name of a-z, 0-9 and - (at most 24)', /^[a-z0-9][a-z0-9-]{0,23}$/),
      mcpServer,
      'expected a section with one key for each server',
    )
    .default({}),
  jobs: section({
    timezone: timezone.exactOptional(),
    min_minutes: whole(1, 1440).default(jobs.min_minutes),
    max: whole(0).default(jobs.max),
    keep_days: whole(1).default(jobs.keep_days),
  }).prefault({}),
  mesh: section({
    max_depth: whole(1, 10).default(mesh.max_depth),
    max_calls: whole(1, 1000).default(mesh.max_calls),
  }).prefault({}),
  limits: section({
    runs: whole(1, 1000).default(limits.runs),
    runsPerPerson: whole(1, 1000).default(limits.runsPerPerson),
    queue: whole(1).default(limits.queue),
    messagesPerMinute: whole(1).default(limits.messagesPerMinute),
    downloadBytes: whole(0).default(limits.downloadBytes),
    filesPerMessage: whole(0).default(limits.filesPerMessage),
    bytesPerGuest: whole(0).default(limits.bytesPerGuest),
    bytesPerMember: whole(0).default(limits.bytesPerMember),
    freeBytes: whole(0).default(limits.freeBytes),
    tokensPerDay: whole(0).default(limits.tokensPerDay),
    costPerDay: amount.default(limits.costPerDay),
    tokensPerPersonPerDay: whole(0).default(limits.tokensPerPersonPerDay),
    costPerPersonPerDay: amount.default(limits.costPerPersonPerDay),
  }).prefault({}),
  timeouts: section({
    connect: seconds.default(timeouts.connect),
    firstToken: seconds.default(timeouts.firstToken),
    idle: seconds.default(timeouts.idle),
    run: seconds.default(timeouts.run),
  }).prefault({}),
  engine,
  hub: section({
    url: socket.exactOptional(),
    token: secret,
    viberId: viber.exactOptional(),
    role: oneOf('owner', 'member', 'guest').default(hub.role),
  }).prefault({}),
  telemetry: section({
    endpoint: address().exactOptional(),
    headers: z.record(z.string(), text('expected text'), 'expected headers with values').default(telemetry.headers),
    sample: share.exactOptional(),
    service: text('expected a name').exactOptional(),
  }).prefault({}),
  log: section({
    level: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default(log.level),
  }).prefault({}),
}) satisfies z.ZodType<Config>;

export const agentSchema = section({
  description: text('expected one sentence').exactOptional(),
  folder: text('expected a folder', /^(~?\/)/).exactOptional(),
  model: model.exactOptional(),
  fallback: listOf(model).exactOptional(),
  maxSteps: whole(1, 1000).exactOptional(),
  prompt: z.string('expected text').exactOptional(),
  systemPrompt: z.string('expected text').exactOptional(),
  tools: texts.exactOptional(),
  skills: texts.exactOptional(),
  mode: oneOf('ask', 'decide', 'execute').exactOptional(),
  plan_approval: onOff.exactOptional(),
}).transform(({ systemPrompt, ...agent }): Omit<AgentConfig, 'warnings'> => {
  const prompt = agent.prompt ?? systemPrompt;
  return prompt === undefined ? agent : { ...agent, prompt };
});
