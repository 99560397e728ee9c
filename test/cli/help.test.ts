/** The table of commands: what each takes, what is said of it, and what is said to those who mistype. */
import { describe, expect, test } from 'vitest';
import { optionsOf, parseCommandLine } from '../../src/cli/arguments.ts';
import { helpOf, overview } from '../../src/cli/help.ts';
import { CLI_COMMANDS } from '../../src/cli/table.ts';

const commands = Object.entries(CLI_COMMANDS);
const parse = (line: string) => parseCommandLine(line === '' ? [] : line.split(' '));

/** As a shell reads it, without what stands on the other side of a pipe. */
function argvOf(example: string): string[] {
  const [own = ''] = example.split(' | ').filter((part) => part.startsWith('viber '));
  return [...own.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1);
}

describe.each(commands)('viber %s', (name, command) => {
  test('has help with every option of its own, its exit codes, and examples that are understood', () => {
    const help = helpOf(name);
    for (const option of Object.keys(optionsOf(command))) expect(help).toContain(`--${option}`);
    for (const meaning of Object.values(command.exits ?? {})) expect(help).toContain(meaning);
    expect(command.examples.length).toBeGreaterThan(0);
    for (const example of command.examples) {
      expect(help).toContain(example);
      expect(parseCommandLine(argvOf(example))).toMatchObject({ kind: 'command', name });
    }
    for (const line of [`${name} --help`, `--help ${name}`, `help ${name}`, `${name} -h`])
      expect(parse(line)).toEqual({ kind: 'help', command: name });
  });

  test('stands in the list of all, and fits a terminal', () => {
    expect(overview()).toContain(`  ${name} `);
    const notes = new Set(command.notes);
    const wide = helpOf(name)
      .split('\n')
      .filter((line) => line.length > 110 && !notes.has(line));
    expect(wide).toEqual([]);
  });

  test('has options that are of one kind wherever they are', () => {
    for (const [option, { takes }] of Object.entries(optionsOf(command))) {
      const others = commands.flatMap(([, other]) => optionsOf(other)[option] ?? []);
      expect(new Set(others.map((other) => other.takes)), option).toEqual(new Set([takes]));
    }
  });
});

test('the words and values of a command are read wherever they stand', () => {
  expect(parse('')).toMatchObject({ name: 'start', args: [] });
  expect(parse('--home x')).toMatchObject({ name: 'start', values: { home: 'x' } });
  expect(parse('--home x run --json a b')).toMatchObject({ name: 'run', args: ['a', 'b'], values: { home: 'x' } });
  expect(parse('run -- --json -x')).toMatchObject({ args: ['--json', '-x'], switches: new Set() });
  expect(parse('memory search tea --viber=r')).toMatchObject({ args: ['search', 'tea'], values: { viber: 'r' } });
  expect(parse('jobs')).toMatchObject({ args: ['list'] });
  expect(parse('--version')).toEqual({ kind: 'version' });
  expect(parse('--help')).toEqual({ kind: 'help' });
  expect(parse('help')).toEqual({ kind: 'help' });
});

test.each([
  ['statsu', 'There is no command "statsu". Did you mean viber status?'],
  ['dance', 'There is no command "dance". The commands are start, chat,'],
  ['constructor', 'There is no command "constructor".'],
  ['help statsu', 'Did you mean viber status?'],
  ['statsu --help', 'Did you mean viber status?'],
  ['doctor --jsno', 'viber doctor takes no --jsno. Did you mean --json?'],
  ['start --viber x', 'viber start takes no --viber. viber start --help lists what it takes.'],
  ['run --fast it', 'Words that begin with - go after --.'],
  ['start -v', 'viber start takes no -v.'],
  ['start --__proto__', 'viber start takes no --__proto__.'],
  ['start --home', '--home needs a value: --home DIR.'],
  ['start --home --json', '--home needs a value: --home DIR.'],
  ['doctor --json=yes', '--json takes no value.'],
  ['jobs --at noon', 'viber jobs list takes no --at; it belongs to viber jobs add.'],
  ['jobs list --prompt x --at noon', 'viber jobs list takes no --prompt; it belongs to viber jobs add.'],
  ['jobs when --timezone UTC noon', 'viber jobs when takes no --timezone; it belongs to viber jobs add.'],
  [
    'skills --yes',
    'viber skills list takes no --yes; it belongs to viber skills add, viber skills update, viber skills remove.',
  ],
  ['run', 'viber run needs GOAL.\n  viber run GOAL...'],
  ['trace', 'viber trace needs ID.'],
  ['trace a b', '"b" is one word too many for viber trace.'],
  ['pair approve', 'viber pair approve needs CODE.\n  viber pair list\n  viber pair approve CODE'],
  ['pair aprove X', 'viber pair has no "aprove". Did you mean approve?'],
  ['pair dance', 'viber pair has no "dance".\n  viber pair list'],
  ['memory', 'viber memory needs to be told what.\n  viber memory search QUERY...'],
  ['memory search', 'viber memory search needs QUERY.'],
  ['memory forget', 'viber memory has no "forget".'],
  ['skills install', 'viber skills has no "install".'],
  ['skills list a b', '"b" is one word too many for viber skills list.'],
  ['queue now', '"now" is one word too many for viber queue.'],
])('viber %s is refused with what to write', (line, words) => {
  expect(() => parse(line)).toThrow(words);
});

test('an empty word is no word', () => {
  expect(() => parseCommandLine(['memory', 'search', ' '])).toThrow('needs QUERY');
});
