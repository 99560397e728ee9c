/**
 * Registers the slash command `/viber` with a subcommand, alone or in a group, for each thing a person can ask for. It
 * is written only when it differs from what Discord has.
 * https://discord.com/developers/docs/interactions/application-commands
 */
import type { Logger } from '../../../log.ts';
import { MENU, MENU_GROUPS, MORE } from '../../../messages/menu.ts';
import type { CommandSpec } from '../../channel.ts';
import { type Fields, fields, fieldsList, isFields, string, tidyLine } from '../../shared/read.ts';
import { sleep } from '../../shared/wait.ts';
import { GOAL } from '../../shared/written-command.ts';
import { COMMAND } from '../decode/interaction.ts';
import type { DiscordApi } from './api.ts';

const SUBCOMMAND = 1;
const GROUP = 2;
const TEXT = 3;
const MAX_SUBCOMMANDS = 25;
const MAX_ARGUMENT = 4000;
const MAX_DESCRIPTION = 100;
/**
 * Discord's names of a language, where they are others: it refuses a name that it doesn't know.
 * https://discord.com/developers/docs/reference#locales
 */
const LOCALES: Readonly<Record<string, readonly string[]>> = { es: ['es-ES', 'es-419'] };
/** Guilds, and direct messages with the bot. */
const CONTEXTS = [0, 1];
const GUILD_INSTALL = [0];

type Texts = NonNullable<CommandSpec['translations']>;

const ownTexts = (name: string): Texts =>
  Object.fromEntries(Object.entries(MENU).flatMap(([tag, texts]) => (texts[name] ? [[tag, texts[name]]] : [])));

interface Entry {
  group?: string;
  option: { name: string };
}

/**
 * Returns the command for Discord, with texts in every language: its clients show each person their own. A list has at
 * most 25 entries; the rest go into another group, so that none is left out.
 */
export function commandBody(specs: readonly CommandSpec[]): object {
  const entries = commandEntries(specs.filter(({ name }) => name !== GOAL && /^[-_a-z0-9]{1,32}$/.test(name)));
  const single = entries.filter(({ group }) => group === undefined).map(({ option }) => option);
  const groups = Object.entries(MENU_GROUPS).flatMap(([name, { description }]) =>
    groupsOf(
      name,
      description,
      entries.filter(({ group }) => group === name).map(({ option }) => option),
    ),
  );
  const room = MAX_SUBCOMMANDS - groups.length;
  const shown = single.length <= room ? single : single.slice(0, room - Math.ceil((single.length - room) / room) - 1);
  const more = groupsOf(MORE.name, MORE.description, single.slice(shown.length));
  return {
    name: COMMAND,
    type: 1,
    description: 'Tasks for the viber',
    ...localized(ownTexts(COMMAND), ({ description }) => description),
    options: [...groups.slice(0, 1), ...shown, ...groups.slice(1), ...more].slice(0, MAX_SUBCOMMANDS),
    contexts: CONTEXTS,
    integration_types: GUILD_INSTALL,
  };
}

/** Returns an entry for each command: alone, or in its group under the names it has there. */
function commandEntries(specs: readonly CommandSpec[]): Entry[] {
  const goal = { name: 'goal', description: 'What to do', required: true };
  const task = { name: GOAL, description: 'Give me a task; it gets its own thread', translations: ownTexts(GOAL) };
  const optional = ({ argument }: CommandSpec) => argument && { ...argument, required: false };
  const grouped = Object.entries(MENU_GROUPS).flatMap(([group, { entries }]) =>
    Object.entries(entries).flatMap(([name, { command, before, description }]): Entry[] => {
      if (command === GOAL) return [{ group, option: subcommand({ ...task, name }, goal) }];
      const spec = specs.find((each) => each.name === command);
      if (!spec) return [];
      const own = description === undefined ? {} : { description, translations: ownTexts(`${group} ${name}`) };
      const argument = optional(spec);
      const words = before === undefined ? argument : argument && { ...argument, description: argument.name };
      return [{ group, option: subcommand({ ...spec, ...own, name }, words) }];
    }),
  );
  const inGroups = new Set(
    Object.values(MENU_GROUPS).flatMap(({ entries }) => Object.values(entries).map((e) => e.command)),
  );
  const alone = specs.filter(({ name }) => !inGroups.has(name) && !Object.hasOwn(MENU_GROUPS, name));
  return [...grouped, ...alone.map((spec): Entry => ({ option: subcommand(spec, optional(spec)) }))];
}

/** Returns a group of these options; several groups if one can't hold them all. */
function groupsOf(name: string, description: string, options: readonly object[]): object[] {
  return Array.from({ length: Math.ceil(options.length / MAX_SUBCOMMANDS) }, (_, index) => ({
    type: GROUP,
    name: index === 0 ? name : `${name}-${index + 1}`,
    description,
    ...localized(ownTexts(`group ${name}`), (text) => text.description),
    options: options.slice(index * MAX_SUBCOMMANDS, (index + 1) * MAX_SUBCOMMANDS),
  }));
}

function localized(
  texts: Texts | undefined,
  pick: (text: Texts[string]) => string | undefined,
): { description_localizations?: Record<string, string> } {
  const said = Object.entries(texts ?? {}).flatMap(([tag, text]) => {
    const line = tidyLine(pick(text) ?? '', MAX_DESCRIPTION);
    return line === '' ? [] : (LOCALES[tag] ?? [tag]).map((locale) => [locale, line]);
  });
  return said.length > 0 ? { description_localizations: Object.fromEntries(said) } : {};
}

function subcommand(
  { name, description, translations }: CommandSpec,
  argument?: { name: string; description: string; required: boolean; suggests?: boolean } | undefined,
): { name: string; options: object[] } {
  const options = argument
    ? [
        {
          type: TEXT,
          name: argument.name
            .toLowerCase()
            .replace(/[^-_a-z0-9]+/g, '_')
            .slice(0, 32),
          description: tidyLine(argument.description, MAX_DESCRIPTION) || argument.name,
          ...localized(translations, (text) => text.argument),
          required: argument.required,
          max_length: MAX_ARGUMENT,
          ...(argument.suggests === true && { autocomplete: true }),
        },
      ]
    : [];
  const own = { type: SUBCOMMAND, name, description: tidyLine(description, MAX_DESCRIPTION) || name };
  return { ...own, ...localized(translations, (text) => text.description), options };
}

const NOT_REGISTERED = 'the slash commands could not be registered; the next connection tries again';

export function createRegistration(api: DiscordApi, specs: readonly CommandSpec[], log: Logger) {
  /** Resolves when they are registered, or won't be with this connection. */
  let registering: Promise<void> | undefined;
  return {
    begin(application: string): void {
      registering ??= registerCommands(api, application, specs, log).catch((error: unknown) => {
        registering = undefined;
        log.warn({ err: error }, NOT_REGISTERED);
      });
    },
    async ended(ms: number, signal: AbortSignal): Promise<void> {
      const waited = new AbortController();
      await Promise.race([registering, sleep(ms, AbortSignal.any([waited.signal, signal]))]);
      waited.abort();
    },
  };
}

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

/** Returns the parts of a command that we set, without what Discord adds and independent of key order. */
function canonical(command: object): string {
  const body: Fields = { ...command };
  const sorted = (value: unknown) => (Array.isArray(value) ? [...value].sort() : []);
  return JSON.stringify([
    string(body, 'description'),
    localizations(body),
    sorted(body.contexts),
    sorted(body.integration_types),
    fieldsList(body, 'options').map(option),
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
  return [...facts, body.max_length ?? 0, fieldsList(body, 'options').map(option)];
}

const localizations = (body: Fields): unknown[] =>
  Object.entries(fields(body, 'description_localizations') ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
