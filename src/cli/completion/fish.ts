/** The script for fish. */
import { type OfferedCommand, type OfferedOption, type Offers, optionsWithValue } from './offers.ts';

const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

export function fishScript(offers: Offers): string {
  const values = [...optionsWithValue(offers).keys()].map((name) => `--${name}`);
  return [
    '# Completes the words of viber in fish: viber completion fish > ~/.config/fish/completions/viber.fish',
    'function __viber_given',
    '  set -l words (commandline -opc)',
    '  set -l skip',
    '  for word in $words[2..-1]',
    '    if test -n "$skip"',
    '      set skip',
    `    else if contains -- $word ${values.join(' ')}`,
    '      set skip yes',
    "    else if not string match -q -- '-*' $word",
    '      echo $word',
    '    end',
    '  end',
    'end',
    'function __viber_at',
    '  set -l given (__viber_given)',
    '  test "$given" = "$argv"',
    'end',
    'function __viber_in',
    '  set -l given (__viber_given)',
    '  set -l first $given[1..(count $argv)]',
    '  test "$first" = "$argv"',
    'end',
    'complete -c viber -f',
    ...offers.options.map((option) => optionLine('__viber_at', option)),
    ...offers.commands.flatMap((command) => fishLines(command)),
  ].join('\n');
}

function fishLines(command: OfferedCommand): string[] {
  const { name, about, verbs, options, value } = command;
  const files = (words: string, kind: unknown) => {
    if (kind === 'file') return [`complete -c viber -n ${fishQuoted(words)} -F`];
    return kind === 'folder' ? [`complete -c viber -n ${fishQuoted(words)} -a '(__fish_complete_directories)'`] : [];
  };
  return [
    `complete -c viber -n __viber_at -a ${name} -d ${fishQuoted(about)}`,
    ...verbs.flatMap((verb) => [
      `complete -c viber -n ${fishQuoted(`__viber_at ${name}`)} -a ${verb.name} -d ${fishQuoted(verb.about)}`,
      ...files(`__viber_in ${name} ${verb.name}`, verb.value),
    ]),
    ...(verbs.length === 0 ? files(`__viber_in ${name}`, value) : []),
    ...options.flatMap((option) =>
      option.verbs === undefined
        ? [optionLine(`__viber_in ${name}`, option)]
        : [`__viber_at ${name}`, ...option.verbs.map((verb) => `__viber_in ${name} ${verb}`)].map((words) =>
            optionLine(words, option),
          ),
    ),
  ];
}

function optionLine(words: string, { name, about, value }: OfferedOption): string {
  const line = `complete -c viber -n ${fishQuoted(words)} -l ${name} -d ${fishQuoted(about)}`;
  if (value === undefined) return line;
  if (value === 'file') return `${line} -r -F`;
  if (value === 'folder') return `${line} -x -a '(__fish_complete_directories)'`;
  return value === 'none' ? `${line} -x` : `${line} -x -a ${fishQuoted(value.join(' '))}`;
}
