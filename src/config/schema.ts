/**
 * All settings: each is defined once, with its values, its default and its meaning. The types and docs/configuration.md
 * are derived from here (`npm run settings`). Every leaf's error text says what was expected; validate.ts adds what was
 * found. Objects are strict: validate.ts turns unknown keys into warnings.
 */

import { z } from 'zod';
import { exampleOf, isAccount } from '../channels/index.ts';
import { expects } from '../messages/expects.ts';
import type { Wording } from '../messages/messages.ts';
import { type ChannelsConfig, channelsSchema } from './schema-channels.ts';
import {
  address,
  amount,
  appliesLive,
  headers,
  language,
  listOf,
  model,
  oneOf,
  onOff,
  origin,
  secret,
  section,
  steps,
  text,
  viber,
  whole,
} from './schema-parts.ts';
import { engine } from './sections/engine.ts';
import { jobs, mesh } from './sections/jobs.ts';
import { limits, timeouts } from './sections/limits.ts';
import { mcp } from './sections/mcp.ts';
import { history, memory } from './sections/memory.ts';
import { hub, push, telemetry } from './sections/outside.ts';
import { pictures } from './sections/pictures.ts';
import { projects } from './sections/projects.ts';
import { receipt } from './sections/receipt.ts';
import { search, skills, web } from './sections/skills.ts';
import { voice } from './sections/voice.ts';

const PERSON = expects('expected.person', { example: exampleOf('account') });
/** An account of a channel, or of this machine's terminal. */
const account = z.string(PERSON).refine((value) => /^terminal:[\w.-]+$/.test(value) || isAccount(value), PERSON);

const person = section({
  name: text(
    expects('expected.personName'),
    /^(?=.{1,64}$)[\p{L}\p{N}][\p{L}\p{M}\p{N}._'’-]*(?: [\p{L}\p{M}\p{N}._'’-]+)*$/u,
  ).describe('letters, digits, spaces and `. _ -`, at most 64'),
  role: oneOf('owner', 'member').default('member').describe('`owner` or `member`; owners let others in'),
  ids: listOf(account).describe(`${exampleOf('account')}; an id belongs to one person only`),
  viber: viber.exactOptional().describe('who answers their direct messages'),
});

const place = text(
  expects('expected.conversation', { example: exampleOf('conversation') }),
  /^[a-z][a-z0-9-]{0,31}:[^\s:]{1,64}(:[^\s:]{1,64})?$/,
);

const provider = section({
  baseURL: address().exactOptional().describe('an OpenAI-compatible endpoint, such as `http://127.0.0.1:11434/v1`'),
  apiKey: secret.describe('its key'),
  headers: headers.exactOptional().describe('additional HTTP headers'),
  maxOutputTokens: whole(1).exactOptional().describe('most tokens of one answer, thoughts and calls included'),
});

const price = section(
  {
    input: amount.describe('price per million input tokens; `MODEL` is `provider/model`'),
    output: amount.describe('price per million output tokens'),
    cachedInput: amount.exactOptional().describe('price per million cached input tokens; otherwise `input`'),
  },
  expects('expected.price'),
);

const client = section({
  token: text(expects('expected.text')).describe(
    'what a program sends as `Authorization: Bearer ...`; the name `owner` is reserved',
  ),
  role: oneOf('owner', 'member', 'guest')
    .exactOptional()
    .describe('`owner`, `member` (default) or `guest`; at most what its person may do'),
  person: text(expects('expected.nameOfPeople'))
    .exactOptional()
    .describe('a name of `people` it acts as; otherwise it is `api:NAME`'),
});

const http = section({
  host: text(expects('expected.host'), /^[\w.:-]+$/)
    .default('127.0.0.1')
    .describe('address to listen on; anything but loopback needs `http.token`'),
  port: whole(0, 65_535)
    .default(6009)
    .describe('0 lets the system choose; unset, a free port is used if 6009 is taken'),
  token: secret.describe('secret of all callers; only `/healthz` and the bare state of `/readyz` need none'),
  clients: z
    .record(
      text(expects('expected.clientName'), /^[a-z0-9][a-z0-9-]{0,31}$/).refine(
        (name) => name !== 'owner',
        expects('expected.reserved'),
      ),
      client,
      expects('expected.clients'),
    )
    .default({}),
  origins: listOf(origin)
    .default([])
    .describe(
      'other origins (`https://viber.example.org`) under which the gateway answers; webhooks and `/healthz` accept any',
    ),
});

const base = {
  model: appliesLive(
    model
      .exactOptional()
      .describe(
        '`provider/model`; otherwise the first provider key in the environment decides, or the built-in model answers',
      ),
  ),
  fallback: appliesLive(
    listOf(model).default([]).describe('models tried in order if the first fails before doing anything'),
  ),
  models: appliesLive(
    listOf(model)
      .default([])
      .describe('models that everybody may choose with `/model`, beside `model` and `fallback`; owners may choose any'),
  ),
  smallModel: model
    .exactOptional()
    .describe('`provider/model` that titles a task after its first answer; otherwise the goal is the title'),
  maxSteps: appliesLive(
    steps.default('auto').describe('model calls per run; `auto` is 30, and 60 in a [project](projects.md)'),
  ),
  plugins: listOf(text(expects('expected.plugin')))
    .default([])
    .describe('features from outside: packages or paths. A plugin is code with all rights of the gateway'),
  planApproval: appliesLive(onOff.default('off').describe('`on`: nothing happens before a person approves the plan')),
  language: language
    .default('auto')
    .describe("language of the gateway in chats: `auto` is each person's own; `en`, `de` or `es` is for everybody"),
  viber: appliesLive(
    viber.exactOptional().describe('who answers by default; otherwise `default` ([several vibers](#several-vibers))'),
  ),
  vibers: appliesLive(
    listOf(viber).default([]).describe('vibers that members may choose with `/use`; owners may choose any'),
  ),
  providers: z.record(z.string(), provider, expects('expected.providers')).default({}),
  prices: z.record(z.string(), price, expects('expected.prices')).default({}).meta({ each: 'MODEL' }),
  currency: text(expects('expected.currency'), /^[A-Z]{3}$/)
    .default('USD')
    .describe('currency of all prices and caps, three capital letters'),
  /** Replaced by `channelsSchema`: the channels are known only when a file is read. */
  channels: z.custom<ChannelsConfig>(),
  people: listOf(person).default([]),
  conversations: appliesLive(
    z
      .record(
        place,
        section({
          viber: viber
            .exactOptional()
            .describe(
              `who answers in that conversation; \`PLACE\` is ${exampleOf('conversation')}, or with \`:THREAD\` for a thread or topic of it`,
            ),
        }),
        expects('expected.conversations'),
      )
      .default({})
      .meta({ each: 'PLACE' }),
  ),
  http: http.prefault({}),
};

const log = section({
  level: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
    .default('info')
    .describe('`trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`'),
});

/** A section of the configuration that belongs to one feature. If it is absent, it counts as `{}`. */
export interface Section<Name extends string = string, Settings extends z.ZodType = z.ZodType> {
  name: Name;
  settings: Settings;
}

type Shape<Sections extends readonly Section[]> = {
  [Each in Sections[number] as Each['name']]: z.ZodPrefault<Each['settings']>;
};

const shapeOf = <const Sections extends readonly Section[]>(sections: Sections) =>
  Object.fromEntries(sections.map(({ name, settings }) => [name, settings.prefault({})])) as Shape<Sections>;

const SECTIONS = [
  { name: 'memory', settings: memory },
  { name: 'history', settings: history },
  { name: 'voice', settings: voice },
  { name: 'pictures', settings: pictures },
  { name: 'projects', settings: projects },
  { name: 'skills', settings: skills },
  { name: 'search', settings: search },
  { name: 'web', settings: web },
  { name: 'mcp', settings: mcp },
  { name: 'jobs', settings: jobs },
  { name: 'receipt', settings: receipt },
  { name: 'mesh', settings: mesh },
  { name: 'limits', settings: limits },
  { name: 'timeouts', settings: timeouts },
  { name: 'engine', settings: engine },
  { name: 'hub', settings: hub },
  { name: 'telemetry', settings: telemetry },
  { name: 'push', settings: push },
  { name: 'log', settings: log },
] as const satisfies readonly Section[];

export const configSchema = section({ ...base, ...shapeOf(SECTIONS) });

/** The complete configuration: all defaults are filled in, and IDs are strings. */
export type Config = z.output<typeof configSchema>;

/**
 * Returns the whole schema, with sections of features that are known only at startup; their values are beside those of
 * `Config`.
 */
export const configSchemaWith = async (more: readonly Section[] = []): Promise<z.ZodType<Config>> =>
  section({ ...base, channels: (await channelsSchema()).prefault({}), ...shapeOf(SECTIONS), ...shapeOf(more) });

const agent = section({
  description: text(expects('expected.sentence')).exactOptional().describe('one sentence for agents that may ask it'),
  folder: text(expects('expected.folder'), /^(~?\/)/)
    .exactOptional()
    .describe('project folder for its scripts, such as `~/code/site`'),
  model: model.exactOptional().describe('`provider/model`; otherwise that of the configuration'),
  fallback: listOf(model)
    .exactOptional()
    .describe('models tried in order if the first fails before doing anything; otherwise those of the configuration'),
  maxSteps: whole(1, 1000).exactOptional().describe('model calls per run; otherwise those of the configuration'),
  prompt: z.string(expects('expected.text')).exactOptional().describe('its part of the system prompt'),
  systemPrompt: z.string(expects('expected.text')).exactOptional().describe('another name of `prompt`'),
  tools: listOf(text(expects('expected.text')))
    .exactOptional()
    .describe('names of its tools; absent: all'),
  skills: listOf(text(expects('expected.text')))
    .exactOptional()
    .describe('names of its skills; absent: all, `[]`: none'),
  mode: oneOf('ask', 'decide', 'execute')
    .exactOptional()
    .describe(
      '`ask`: every effect waits for consent; `decide` (default): effects outside the task do, and what [leaves](web.md#what-leaves); `execute`: nothing',
    ),
  planApproval: onOff.exactOptional().describe('`on`: nothing happens before a person approves the plan'),
});

/** `agents/{viber}.yaml`: one viber's own settings. Missing ones come from the configuration. */
export const agentSchema = agent.transform(({ systemPrompt, ...rest }): Omit<typeof rest, 'systemPrompt'> => {
  const prompt = rest.prompt ?? systemPrompt;
  return prompt === undefined ? rest : { ...rest, prompt };
});

export type AgentConfig = z.output<typeof agentSchema> & {
  /** One sentence for each problem of the file; [] if there is none. */
  warnings: Wording[];
  /** The file exists but can't be used, so its restrictions are unknown. */
  isBroken?: true;
};
