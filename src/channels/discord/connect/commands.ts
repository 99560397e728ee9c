/**
 * The slash command `/viber` with a subcommand for each thing a person can ask for. It is written only when it differs from
 * what Discord has. https://discord.com/developers/docs/interactions/application-commands
 */
import type { Logger } from '../../../log.ts';
import type { CommandSpec } from '../../channel.ts';
import { type Fields, isFields, list, oneLine, string } from '../../shared/read.ts';
import { COMMAND, GOAL } from '../decode/interaction.ts';
import type { DiscordApi } from './api.ts';

const SUBCOMMAND = 1;
const TEXT = 3;
const MAX_SUBCOMMANDS = 25;
const MAX_ARGUMENT = 4000;
/** In guilds and in direct messages with the bot. */
const CONTEXTS = [0, 1];
const GUILD_INSTALL = [0];

/** The command as Discord is told of it. */
export function commandBody(specs: readonly CommandSpec[]): object {
  const goal = { name: 'goal', description: 'What is to be done', required: true };
  const subcommands = [
    subcommand(GOAL, 'Give me a task; it gets a thread of its own', goal),
    ...specs
      .filter(({ name }) => name !== GOAL && /^[-_a-z0-9]{1,32}$/.test(name))
      .map(({ name, description, argument }) =>
        subcommand(name, description, argument && { ...argument, required: false }),
      ),
  ];
  return {
    name: COMMAND,
    type: 1,
    description: 'Tasks for the viber',
    options: subcommands.slice(0, MAX_SUBCOMMANDS),
    contexts: CONTEXTS,
    integration_types: GUILD_INSTALL,
  };
}

function subcommand(
  name: string,
  description: string,
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
          description: oneLine(argument.description, 100) || argument.name,
          required: argument.required,
          max_length: MAX_ARGUMENT,
          ...(argument.suggests === true && { autocomplete: true }),
        },
      ]
    : [];
  return { type: SUBCOMMAND, name, description: oneLine(description, 100) || name, options };
}

/** Throws DiscordError. */
export async function registerCommands(
  api: DiscordApi,
  application: string,
  specs: readonly CommandSpec[],
  log: Logger,
): Promise<void> {
  const wanted = commandBody(specs);
  const found = await api.call('GET', `/applications/${application}/commands`);
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
    sorted(body.contexts),
    sorted(body.integration_types),
    list(body, 'options').map(option),
  ]);
}

function option(body: Fields): unknown[] {
  const facts = [body.type, body.name, body.description, body.required ?? false, body.autocomplete ?? false];
  return [...facts, body.max_length ?? 0, list(body, 'options').map(option)];
}
