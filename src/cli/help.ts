/** Builds `--help` and docs/commands.md from the table of commands. */
import { channelKinds } from '../channels/index.ts';
import { programOf } from '../lib/invocation.ts';
import { type CliCommand, type CliOption, EXIT_MEANINGS } from '../runtime/contract/cli.ts';
import { CLI_COMMANDS, COMMON_OPTIONS, JSON_OPTION } from './table.ts';

interface Form {
  form: string;
  about: string;
}

/** The name of the program in docs/commands.md, and in the table's examples. */
const NAME = 'viber';

/** Returns one usage line for each verb, such as `viber pair approve CODE`. */
export function formsOf(name: string, command: CliCommand, program = programOf()): Form[] {
  const { takes, verbs, about, usual, otherwise } = command;
  if (!verbs) return [{ form: `${program} ${name}${takes === undefined ? '' : ` ${takes}`}`, about }];
  return Object.entries(verbs).map(([verb, own]) => ({
    form: [program, name, verb, ...(own.takes === undefined ? [] : [own.takes])].join(' '),
    about: verb === usual || verb === otherwise ? `${own.about} (also without "${verb}")` : own.about,
  }));
}

const VERSION: [string, CliOption] = ['version', { about: 'the version of this program and of Node' }];

const ownOptions = ({ options = {}, json }: CliCommand): [string, CliOption][] =>
  Object.entries({ ...options, ...(json ? { json: JSON_OPTION } : {}) });

const flag = ([name, { takes }]: [string, CliOption]) => `--${name}${takes === undefined ? '' : ` ${takes}`}`;

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

/** Returns the whole text of docs/commands.md. */
export function commandsPage(): string {
  const sections = Object.entries(CLI_COMMANDS).map(([name, command]) => {
    const options = ownOptions(command).map((option) => `| \`${flag(option)}\` | ${option[1].about} |`);
    const exits = Object.entries(command.exits ?? {}).map(([code, meaning]) => `Exit code ${code}: ${meaning}.`);
    return [
      command.verbs ? `## ${NAME} ${name}` : `## ${formsOf(name, command, NAME)[0]?.form}`,
      `${sentence(command.about)}${(command.notes ?? []).map((note) => ` ${note}`).join('')}`,
      '',
      ...table(
        'command',
        (command.verbs ? formsOf(name, command, NAME) : []).map(({ form, about }) => `| \`${form}\` | ${about} |`),
      ),
      ...table('option', options),
      ...(exits.length === 0 ? [] : [exits.join(' '), '']),
      '```',
      ...command.examples,
      '```',
    ].join('\n');
  });
  return [
    '# Commands\n\nThis page is made of the table of commands by `npm run commands`; `viber COMMAND --help` says the same.\n',
    table(
      'option of every command',
      [...Object.entries(COMMON_OPTIONS), VERSION].map((option) => `| \`${flag(option)}\` | ${option[1].about} |`),
    ).join('\n'),
    table(
      'exit code',
      exitRows({}).map(([code, meaning]) => `| ${code} | ${meaning} |`),
    ).join('\n'),
    ...sections.map((section) => `${section}\n`),
  ].join('\n');
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
const table = (head: string, rows: string[]) =>
  rows.length === 0 ? [] : [`| ${head} | meaning |`, '|---|---|', ...rows, ''];
