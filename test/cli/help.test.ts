/** The table of commands: what each takes, what is said of it, and what is said to those who mistype. */

import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { commandOptions, parseCommandLine } from '../../src/cli/arguments.ts';
import { helpOf, overview } from '../../src/cli/help.ts';
import { CLI_COMMANDS } from '../../src/cli/table.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { tempFolder } from '../helpers/temp.ts';
import { viber as ran } from '../helpers/viber.ts';

const messages = messagesIn('en');
const { said } = messages;

const commands = Object.entries(CLI_COMMANDS);
const parse = (line: string) => parseCommandLine(line === '' ? [] : line.split(' '));

/** As a shell reads it, without what stands on the other side of a pipe. */
function argvOf(example: string): string[] {
  const [own = ''] = example.split(' | ').filter((part) => part.startsWith('viber '));
  return [...own.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1);
}

describe.each(commands)('viber %s', (name, command) => {
  test('has help with every option of its own, its exit codes, and examples that are understood', () => {
    const help = helpOf(name, messages);
    for (const option of Object.keys(commandOptions(command))) expect(help).toContain(`--${option}`);
    for (const meaning of Object.values(command.exits ?? {})) expect(help).toContain(said(meaning));
    expect(command.examples.length).toBeGreaterThan(0);
    for (const example of command.examples) {
      expect(help).toContain(example);
      expect(parseCommandLine(argvOf(example))).toMatchObject({ kind: 'command', name });
    }
    for (const line of [`${name} --help`, `--help ${name}`, `help ${name}`, `${name} -h`])
      expect(parse(line)).toEqual({ kind: 'help', command: name });
  });

  test('stands in the list of all, and fits a terminal', () => {
    expect(overview(messages)).toContain(`  ${name} `);
    const notes = new Set<string>(command.notes?.map(said));
    const wide = helpOf(name, messages)
      .split('\n')
      .filter((line) => line.length > 110 && !notes.has(line));
    expect(wide).toEqual([]);
  });

  test('has options that are of one kind wherever they are', () => {
    for (const [option, { takes }] of Object.entries(commandOptions(command))) {
      const others = commands.flatMap(([, other]) => commandOptions(other)[option] ?? []);
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

test.each(
  // biome-ignore format: a row is a line
  [
    ['statsu', 'There is no command "statsu". Did you mean viber status?'],
    ['dance', 'There is no command "dance". The commands are start, chat,'],
    ['constructor', 'There is no command "constructor".'],
    ['help statsu', 'Did you mean viber status?'],
    ['statsu --help', 'Did you mean viber status?'],
    ['doctor --jsno', 'viber doctor has no option --jsno. Did you mean --json?'],
    ['start --viber x', 'viber start has no option --viber. viber start --help lists its options.'],
    ['run --fast it', 'Put words that begin with - after --.'],
    ['start -v', 'viber start has no option -v.'],
    ['start --__proto__', 'viber start has no option --__proto__.'],
    ['start --home', '--home needs a value: --home DIR.'],
    ['start --home --json', '--home needs a value: --home DIR.'],
    ['doctor --json=yes', '--json takes no value.'],
    ['jobs --at noon', 'viber jobs list has no option --at; it belongs to viber jobs add.'],
    ['jobs list --prompt x --at noon', 'viber jobs list has no option --prompt; it belongs to viber jobs add.'],
    ['jobs when --timezone UTC noon', 'viber jobs when has no option --timezone; it belongs to viber jobs add.'],
    ['skills --yes', 'viber skills list has no option --yes; it belongs to viber skills add, viber skills update, viber skills remove.'],
    ['jobs add digest --at noon', 'viber jobs add needs --prompt TEXT.\n  viber jobs add NAME... --at PHRASE --prompt TEXT'],
    ['jobs add digest', 'viber jobs add needs --at PHRASE, --prompt TEXT.'],
    ['run', 'viber run needs GOAL.\n  viber run GOAL...'],
    ['completion', 'What should viber completion do?\n  viber completion bash'],
    ['completion tcsh', 'viber completion doesn\'t know "tcsh".'],
    ['log', 'Did you mean viber logs?'],
    ['trace a b', '"b" is one word too many for viber trace.'],
    ['pair approve', 'viber pair approve needs CODE.\n  viber pair approve CODE [ROLE]'],
    ['pair aprove X', 'viber pair doesn\'t know "aprove". Did you mean approve?'],
    ['pair dance', 'viber pair doesn\'t know "dance".\n  viber pair list'],
    ['memory', 'What should viber memory do?\n  viber memory search QUERY...'],
    ['memory search', 'viber memory search needs QUERY.'],
    ['memory forget', 'viber memory doesn\'t know "forget".'],
    ['skills install', 'viber skills doesn\'t know "install".'],
    ['skills list a b', '"b" is one word too many for viber skills list.'],
    ['queue now', '"now" is one word too many for viber queue.'],
  ],
)('viber %s is refused with what to write', (line, words) => {
  expect(() => parse(line)).toThrow(words);
});

test('an empty word is no word', () => {
  expect(() => parseCommandLine(['memory', 'search', ' '])).toThrow('needs QUERY');
});

describe('speaks the language of the person at the terminal', () => {
  const home = tempFolder(afterAll);
  const viber = async (words: string[], env: Record<string, string> = {}) => {
    const { out, err } = await ran(home, words, { env: { OPENVIBER_COMMAND: 'viber', ...env } });
    return out + err;
  };
  const german = { LANG: 'de_AT.UTF-8' };
  const config = path.join(home, 'config.yaml');
  const wrong = path.join(home, 'wrong.yaml');
  fs.writeFileSync(wrong, 'http: { host: 0.0.0.0, port: many }\n');

  test.each<[string[], RegExp, RegExp]>(
    // biome-ignore format: a row is a line
    [
      [['--help'], /^Usage:[\s\S]*run the gateway/, /^Aufruf:[\s\S]*das Gateway starten/],
      [['pair', '--help'], /let people in/, /Leute hereinlassen/],
      [['strat'], /There is no command "strat"\. Did you mean viber start\?/, /Den Befehl „strat“ gibt es nicht\. Meinst du/],
      [['pair', '--ful'], /has no option --ful/, /hat keine Option --ful/],
      [['run'], /needs GOAL/, /braucht GOAL/],
      [['status'], /No gateway runs on/, /läuft kein Gateway/],
      [['tasks'], /There are no tasks yet/, /Es gibt noch keine Aufgaben/],
      [['jobs'], /There are no jobs yet/, /Es gibt noch keine Aufträge/],
      [['jobs', 'when', 'every monday at 9'], /every Monday at 09:00/, /jeden Montag um 09:00/],
      [['memory', 'tea'], /Nothing in memory matches/, /Dazu steht nichts im Gedächtnis/],
      [['pair'], /No one is asking to be let in/, /Niemand fragt/],
      [['trace', 'xyz'], /isn't a trace ID/, /Das ist keine Kennung/],
      [['restore', 'gone.tgz'], /There is no file/, /Die Datei .* gibt es nicht/],
      [['doctor'], /offline\/viber answers/, /offline\/viber antwortet/],
      [['doctor', '--config', wrong], /expected a whole number.*found "many"/, /erwartet wird eine ganze Zahl.*gefunden wurde "many"/],
      [['start', '--config', wrong], /is required because http\.host/, /ist nötig, weil http\.host/],
    ],
  )('%j', async (words, english, translated) => {
    expect(await viber(words)).toMatch(english);
    expect(await viber(words, { LANG: 'fr_FR' })).toMatch(english);
    expect(await viber(words, { LC_ALL: 'en_US.UTF-8', ...german })).toMatch(english);
    expect(await viber(words, german)).toMatch(translated);
  });

  test('which the setting `language` decides before the machine', async () => {
    fs.writeFileSync(config, 'language: de\n');
    expect(await viber(['tasks'], { LANG: 'en_US.UTF-8' })).toMatch(/Es gibt noch keine Aufgaben/);
    fs.writeFileSync(config, 'language: en\n');
    expect(await viber(['tasks'], german)).toMatch(/There are no tasks yet/);
    fs.writeFileSync(config, 'language: auto\n');
    expect(await viber(['tasks'], german)).toMatch(/Es gibt noch keine Aufgaben/);
    fs.rmSync(config);
  });

  test.each([['doctor'], ['tasks'], ['pair'], ['status'], ['jobs'], ['skills'], ['memory', 'search', 'tea']])(
    'and programs read the same with --json: %s %s',
    async (...words) => {
      const given = words.filter((word) => word !== undefined);
      const free = (text: string) => text.replace(/\d+ MB/, 'MB');
      expect(free(await viber([...given, '--json'], german))).toBe(free(await viber([...given, '--json'])));
    },
  );
});
