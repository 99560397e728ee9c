/** Writes docs/commands.md from the tables of the commands of `viber` and of the chats: npm run commands. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flag, formsOf, ownOptions, VERSION } from '../src/cli/help.ts';
import { CLI_COMMANDS, COMMON_OPTIONS, JSON_OPTION } from '../src/cli/table.ts';
import { MENU_GROUPS } from '../src/messages/menu.ts';
import { messagesIn } from '../src/messages/messages.ts';
import { type CliCommand, EXIT_MEANINGS } from '../src/runtime/contract/cli.ts';
import { LISTED } from './helpers/commands.ts';

const PAGE = join(import.meta.dirname, '..', 'docs/commands.md');

const FENCE = '```';
const { said } = messagesIn('en');
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}

/** Without the command's name, which is the heading's; a verb that needn't be written stands in brackets. */
function verbForm({ usual, otherwise }: CliCommand, verb: string, form: string): string {
  const own = form.slice(form.indexOf(verb, 'viber '.length));
  return verb === usual || verb === otherwise ? own.replace(verb, `[${verb}]`) : own;
}

function sectionOf([name, command]: [string, CliCommand]): string {
  const { about, verbs, notes = [], exits = {}, examples } = command;
  const forms = formsOf(name, command, 'viber');
  const options = ownOptions(command).filter(([, option]) => option !== JSON_OPTION);
  const rows = [
    // The heading names the command.
    ...(verbs
      ? forms.map(({ verb = '', form }) => [verbForm(command, verb, form), said(verbs[verb]?.about ?? '')] as const)
      : []),
    ...options.map((option) => [`  ${flag(option)}`, said(option[1].about)] as const),
  ];
  // What the rows and the heading show is no example; --help has them all.
  const shown = examples.filter((example) => / [|<] /.test(example)).slice(-1);
  const ends = Object.entries(exits).map(([code, meaning]) => `Exit ${code}: ${said(meaning)}.`);
  const block = [...columns(rows), ...(rows.length > 0 && shown.length > 0 ? [''] : []), ...shown];
  return [
    `## ${verbs ? name : forms[0]?.form.replace('viber ', '')}`,
    [sentence(said(about)), ...notes.slice(0, 1).map(said), ...ends].join(' '),
    ...(block.length === 0 ? [] : [FENCE, ...block, FENCE]),
    '',
  ].join('\n');
}

/** A description that shows how it is called, as (/open ID), says enough. */
function chatCommand({ name, description, argument }: (typeof LISTED)[number]): [string, string] {
  const isEnough = !argument || description.includes(`/${name} `) || description.includes(argument.description);
  return [`/${name}`, isEnough ? description : `${description}. ${argument.description}`];
}

const withoutJson = Object.entries(CLI_COMMANDS).flatMap(([name, { json }]) => (json ? [] : [name]));

const groups = Object.entries(MENU_GROUPS).map(
  ([group, { entries }]) => `\`${group}\` (${Object.keys(entries).join(', ')})`,
);

export const page = (): string =>
  [
    '# Commands',
    'Of `viber`, written by `npm run commands`; `viber COMMAND --help` says more.',
    '',
    '## Every command',
    `\`--json\` works with all but ${withoutJson.map((name) => `\`${name}\``).join(', ')}.`,
    FENCE,
    ...columns(
      [...Object.entries(COMMON_OPTIONS), VERSION, ['json', JSON_OPTION] as const].map((option) => [
        flag(option),
        said(option[1].about),
      ]),
    ),
    FENCE,
    `Exit codes: ${Object.entries(EXIT_MEANINGS)
      .map(([code, meaning]) => `**${code}** ${said(meaning)}`)
      .join('; ')}.`,
    '',
    ...Object.entries(CLI_COMMANDS).map(sectionOf),
    '## In every chat',
    'On Slack and Discord these are subcommands of `/viber`, as in `/viber plan`; typed as a message, each works everywhere.',
    `Discord keeps some in groups: ${groups.join(', ')}.`,
    FENCE,
    ...columns(LISTED.map(chatCommand)),
    FENCE,
    '',
  ].join('\n');

if (import.meta.main) writeFileSync(PAGE, page());
