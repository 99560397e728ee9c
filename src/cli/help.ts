/** Builds `--help` from the table of commands. */
import { channelKinds } from '../channels/index.ts';
import { programOf } from '../lib/invocation.ts';
import { type Messages, say, type Wording } from '../messages/messages.ts';
import { type CliCommand, type CliOption, EXIT_MEANINGS } from '../runtime/contract/cli.ts';
import { CLI_COMMANDS, COMMON_OPTIONS, JSON_OPTION } from './table.ts';
import { columns, wrapWords } from './wrap.ts';

const UNWRAPPED = Number.POSITIVE_INFINITY;

interface Form {
  /** Undefined for a command without verbs. */
  verb?: string;
  form: string;
  about: Wording | string;
}

/** Returns one usage line for each verb, such as `viber pair approve CODE`. */
export function formsOf(name: string, command: CliCommand, program = programOf()): Form[] {
  const { takes, verbs, about, usual, otherwise, options = {} } = command;
  if (!verbs) return [{ form: `${program} ${name}${takes === undefined ? '' : ` ${takes}`}`, about }];
  return Object.entries(verbs).map(([verb, own]) => ({
    verb,
    form: [
      ...[program, name, verb, ...(own.takes === undefined ? [] : [own.takes])],
      ...(own.required ?? []).flatMap((option) => (options[option] ? [flag([option, options[option]])] : [])),
    ].join(' '),
    about: verb === usual || verb === otherwise ? say('commandLine.also', { about: own.about, verb }) : own.about,
  }));
}

export const VERSION: [string, CliOption] = ['version', { about: say('commandLine.version') }];

export const ownOptions = ({ options = {}, json }: CliCommand): [string, CliOption][] =>
  Object.entries({ ...options, ...(json ? { json: JSON_OPTION } : {}) });

export const flag = ([name, { takes }]: readonly [string, CliOption]) =>
  `--${name}${takes === undefined ? '' : ` ${takes}`}`;

const optionRows = (options: readonly (readonly [string, CliOption])[], messages: Messages): [string, string][] =>
  options.map((option) => [flag(option), messages.said(option[1].about)]);

const exitRows = (messages: Messages, exits: CliCommand['exits'] = {}): [string, string][] =>
  Object.entries({ ...EXIT_MEANINGS, ...exits }).map(([code, meaning]) => [code, messages.said(meaning)]);

export function overview(messages: Messages, width = UNWRAPPED): string {
  const { text, said } = messages;
  const platforms = channelKinds().map(({ label }) => label);
  return [
    text('commandLine.usage', { program: programOf() }),
    '',
    ...wrapWords(text('commandLine.intro', { platforms: platforms.join(', ') }), width),
    '',
    text('commandLine.commands'),
    ...columns(
      Object.entries(CLI_COMMANDS).map(([name, { about }]) => [name, said(about)]),
      width,
    ),
    '',
    text('commandLine.everyOption'),
    ...columns(optionRows([...Object.entries(COMMON_OPTIONS), VERSION], messages), width),
    '',
    text('commandLine.exits'),
    ...columns(exitRows(messages), width),
    '',
    ...wrapWords(text('commandLine.more', { program: programOf() }), width),
  ].join('\n');
}

export function helpOf(name: string, messages: Messages, width = UNWRAPPED): string {
  const { text, said } = messages;
  const command = CLI_COMMANDS[name] as CliCommand;
  const forms = formsOf(name, command);
  return [
    ...wrapWords(`${programOf()} ${name}: ${said(command.about)}`, width),
    '',
    text('commandLine.usageOf'),
    ...(command.verbs
      ? columns(
          forms.map(({ form, about }) => [form, said(about)]),
          width,
        )
      : forms.map(({ form }) => `  ${form}`)),
    ...(command.notes ?? []).flatMap((note) => ['', ...wrapWords(said(note), width)]),
    '',
    text('commandLine.options'),
    ...columns(optionRows([...ownOptions(command), ...Object.entries(COMMON_OPTIONS)], messages), width),
    '',
    text('commandLine.examples', { n: command.examples.length }),
    ...command.examples.map((example) => `  ${asRunHere(example)}`),
    '',
    text('commandLine.exits'),
    ...columns(exitRows(messages, command.exits), width),
  ].join('\n');
}

/** Returns an example as it works in this place: the program is named at its beginning, or after a pipe. */
const asRunHere = (example: string): string => example.replace(/(?<=^|\| )viber\b/, programOf());
