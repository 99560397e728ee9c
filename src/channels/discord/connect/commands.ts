/**
 * The slash command `/viber` with a subcommand for each thing a person can ask for. It is written only when it differs from
 * what Discord has. https://discord.com/developers/docs/interactions/application-commands
 */
import type { Logger } from '../../../log.ts';
import { MENU } from '../../../messages/menu.ts';
import type { CommandSpec } from '../../channel.ts';
import { type Fields, fields, isFields, list, oneLine, string } from '../../shared/read.ts';
import { sleep } from '../../shared/wait.ts';
import { GOAL } from '../../shared/written-command.ts';
import { COMMAND } from '../decode/interaction.ts';
import type { DiscordApi } from './api.ts';

const SUBCOMMAND = 1;
const TEXT = 3;
const MAX_SUBCOMMANDS = 25;
const MAX_ARGUMENT = 4000;
const MAX_DESCRIPTION = 100;
/** In guilds and in direct messages with the bot. */
const CONTEXTS = [0, 1];
const GUILD_INSTALL = [0];

type Texts = NonNullable<CommandSpec['translations']>;

const ownTexts = (name: string): Texts =>
  Object.fromEntries(Object.entries(MENU).flatMap(([tag, texts]) => (texts[name] ? [[tag, texts[name]]] : [])));

/** The command as Discord is told of it: its clients show each person their own language. */
export function commandBody(specs: readonly CommandSpec[]): object {
  const goal = { name: 'goal', description: 'What is to be done', required: true };
  const task = { name: GOAL, description: 'Give me a task; it gets a thread of its own', translations: ownTexts(GOAL) };
  const subcommands = [
    subcommand(task, goal),
    ...specs
      .filter(({ name }) => name !== GOAL && /^[-_a-z0-9]{1,32}$/.test(name))
      .map((spec) => subcommand(spec, spec.argument && { ...spec.argument, required: false })),
  ];
  return {
    name: COMMAND,
    type: 1,
    description: 'Tasks for the viber',
    ...localized(ownTexts(COMMAND), ({ description }) => description),
    options: subcommands.slice(0, MAX_SUBCOMMANDS),
    contexts: CONTEXTS,
    integration_types: GUILD_INSTALL,
  };
}

function localized(
  texts: Texts | undefined,
  pick: (text: Texts[string]) => string | undefined,
): { description_localizations?: Record<string, string> } {
  const given = Object.entries(texts ?? {}).map(([tag, text]) => [tag, oneLine(pick(text) ?? '', MAX_DESCRIPTION)]);
  const said = given.filter(([, text]) => text !== '');
  return said.length > 0 ? { description_localizations: Object.fromEntries(said) } : {};
}

function subcommand(
  { name, description, translations }: Pick<CommandSpec, 'name' | 'description' | 'translations'>,
  argument?: { name: string; description: string; required: boolean; suggests?: boolean } | undefined,
): object {
  const options = argument
    ? [
        {
          type: TEXT,
          name: argument.name
            .toLowerCase()
            .replace(/[^-_a-z0-9]+/g, '_')
            .slice(0, 32),
          description: oneLine(argument.description, MAX_DESCRIPTION) || argument.name,
          ...localized(translations, (text) => text.argument),
          required: argument.required,
          max_length: MAX_ARGUMENT,
          ...(argument.suggests === true && { autocomplete: true }),
        },
      ]
    : [];
  const own = { type: SUBCOMMAND, name, description: oneLine(description, MAX_DESCRIPTION) || name };
  return { ...own, ...localized(translations, (text) => text.description), options };
}

const NOT_REGISTERED = 'the slash commands could not be registered; it is tried again with the next connection';

/** The commands of one bot are registered once, with the first connection that can. */
export function createRegistration(api: DiscordApi, specs: readonly CommandSpec[], log: Logger) {
  /** Resolves when they are registered, or will not be with this connection. */
  let registering: Promise<void> | undefined;
  return {
    begin(application: string): void {
      registering ??= registerCommands(api, application, specs, log).catch((error: unknown) => {
        registering = undefined;
        log.warn({ err: error }, NOT_REGISTERED);
      });
    },
    /** Resolves when that has ended, after `ms` at the latest. */
    async ended(ms: number, signal: AbortSignal): Promise<void> {
      const waited = new AbortController();
      await Promise.race([registering, sleep(ms, AbortSignal.any([waited.signal, signal]))]);
      waited.abort();
    },
  };
}

/** Throws DiscordError. */
async function registerCommands(
  api: DiscordApi,
  application: string,
  specs: readonly CommandSpec[],
  log: Logger,
): Promise<void> {
  const wanted = commandBody(specs);
  const found = await api.call('GET', `/applications/${application}/commands`, {
    query: { with_localizations: 'true' },
  });
  const known = Array.isArray(found)
    ? found.filter(isFields).find((one) => string(one, 'name') === COMMAND)
    : undefined;
  if (known && canonical(known) === canonical(wanted)) return;
  await api.call('POST', `/applications/${application}/commands`, { body: wanted });
  log.info({ channel: 'discord' }, 'the slash commands were registered');
}

/** What we set, without what Discord adds and without the order of keys. */
function canonical(command: object): string {
  const body: Fields = { ...command };
  const sorted = (value: unknown) => (Array.isArray(value) ? [...value].sort() : []);
  return JSON.stringify([
    string(body, 'description'),
    localizations(body),
    sorted(body.contexts),
    sorted(body.integration_types),
    list(body, 'options').map(option),
  ]);
}

function option(body: Fields): unknown[] {
  const facts = [
    body.type,
    body.name,
    body.description,
    localizations(body),
    body.required ?? false,
    body.autocomplete ?? false,
  ];
  return [...facts, body.max_length ?? 0, list(body, 'options').map(option)];
}

const localizations = (body: Fields): unknown[] =>
  Object.entries(fields(body, 'description_localizations') ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
