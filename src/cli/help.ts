/** Builds `--help` from the table of commands. */
import { channelKinds } from '../channels/index.ts';
import { programOf } from '../lib/invocation.ts';
import { type CliCommand, type CliOption, EXIT_MEANINGS } from '../runtime/contract/cli.ts';
import { CLI_COMMANDS, COMMON_OPTIONS, JSON_OPTION } from './table.ts';

interface Form {
  form: string;
  about: string;
}

/** Returns one usage line for each verb, such as `viber pair approve CODE`. */
export function formsOf(name: string, command: CliCommand, program = programOf()): Form[] {
  const { takes, verbs, about, usual, otherwise } = command;
  if (!verbs) return [{ form: `${program} ${name}${takes === undefined ? '' : ` ${takes}`}`, about }];
  return Object.entries(verbs).map(([verb, own]) => ({
    form: [program, name, verb, ...(own.takes === undefined ? [] : [own.takes])].join(' '),
    about: verb === usual || verb === otherwise ? `${own.about} (also without "${verb}")` : own.about,
  }));
}

export const VERSION: [string, CliOption] = ['version', { about: 'the version of this program and of Node' }];

export const ownOptions = ({ options = {}, json }: CliCommand): [string, CliOption][] =>
  Object.entries({ ...options, ...(json ? { json: JSON_OPTION } : {}) });

export const flag = ([name, { takes }]: readonly [string, CliOption]) =>
  `--${name}${takes === undefined ? '' : ` ${takes}`}`;

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

const exitRows = ({ exits }: { exits?: Readonly<Record<number, string>> }): [string, string][] =>
  Object.entries({ ...EXIT_MEANINGS, ...exits });

export function overview(): string {
  return [
    `Usage: ${programOf()} [COMMAND] [OPTIONS]`,
    '',
    `People talk to a viber on this machine over ${channelKinds()
      .map(({ label }) => label)
      .join(', ')} and the terminal.`,
    'Without a command it starts.',
    '',
    'Commands:',
    ...columns(Object.entries(CLI_COMMANDS).map(([name, { about }]) => [name, about])),
    '',
    'Options of every command:',
    ...columns([...Object.entries(COMMON_OPTIONS), VERSION].map((option) => [flag(option), option[1].about])),
    '',
    'Exit codes:',
    ...columns(exitRows({})),
    '',
    `${programOf()} COMMAND --help shows the rest, with examples.`,
  ].join('\n');
}

export function helpOf(name: string): string {
  const command = CLI_COMMANDS[name] as CliCommand;
  const forms = formsOf(name, command);
  return [
    `${programOf()} ${name}: ${command.about}`,
    '',
    'Usage:',
    ...(command.verbs ? columns(forms.map(({ form, about }) => [form, about])) : forms.map(({ form }) => `  ${form}`)),
    ...(command.notes ?? []).flatMap((note) => ['', note]),
    '',
    'Options:',
    ...columns(
      [...ownOptions(command), ...Object.entries(COMMON_OPTIONS)].map((option) => [flag(option), option[1].about]),
    ),
    '',
    command.examples.length === 1 ? 'Example:' : 'Examples:',
    ...command.examples.map((example) => `  ${asRunHere(example)}`),
    '',
    'Exit codes:',
    ...columns(exitRows(command)),
  ].join('\n');
}

/** Returns an example as it works in this place: the program is named at its beginning, or after a pipe. */
const asRunHere = (example: string): string => example.replace(/(?<=^|\| )viber\b/, programOf());
