/** Lines that fit a terminal, and colours where they belong. */
import { afterAll, describe, expect, test } from 'vitest';
import { helpOf, overview } from '../../src/cli/help.ts';
import { CLI_COMMANDS } from '../../src/cli/table.ts';
import { columns, terminalWidth, wrapWords } from '../../src/cli/wrap.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { PROGRAM } from '../helpers/program.ts';
import { openTerminal } from '../helpers/pty.ts';
import { tempFolder } from '../helpers/temp.ts';
import { viber } from '../helpers/viber.ts';

const flat = (text: string) => text.replace(/\s+/g, ' ').trim();

test('wraps between words and loses none', () => {
  expect(wrapWords('one two three', 8)).toEqual(['one two', 'three']);
  expect(wrapWords('one two three', 8, '  ')).toEqual(['one two', '  three']);
  expect(wrapWords('    indented words here', 14, '      ')).toEqual(['    indented', '      words', '      here']);
  expect(wrapWords('anunbreakablewordthatislong short', 10)).toEqual(['anunbreakablewordthatislong', 'short']);
  expect(wrapWords('', 10)).toEqual(['']);
  expect(wrapWords('as it is', Number.POSITIVE_INFINITY)).toEqual(['as it is']);
});

test('keeps two columns, and puts one below the other where there is no room', () => {
  const rows = [['--a', 'first second third fourth fifth sixth seventh'] as const, ['--long-one', 'more'] as const];
  expect(columns(rows, 40)).toEqual([
    '  --a         first second third fourth',
    '              fifth sixth seventh',
    '  --long-one  more',
  ]);
  expect(columns(rows, 24)[1]).toMatch(/^ {6}first/);
});

test.each([
  [{ isTTY: true, columns: 72 }, {}, 72],
  [{ isTTY: true, columns: 300 }, {}, 120],
  [{ isTTY: false, columns: 72 }, {}, Number.POSITIVE_INFINITY],
  [{ isTTY: false }, { COLUMNS: '60' }, 60],
  [{ isTTY: true, columns: 0 }, { COLUMNS: 'wide' }, Number.POSITIVE_INFINITY],
])('%j with %j is %s wide', (output, env, width) => {
  expect(terminalWidth(output, env)).toBe(width);
});

describe.each(['en', 'de'])('help in %s', (language) => {
  const messages = messagesIn(language);
  test.each([50, 80, 120])('fits %i columns, with every word in its order', (width) => {
    const texts = [undefined, ...Object.keys(CLI_COMMANDS)].map((name) => [
      name === undefined ? overview(messages, width) : helpOf(name, messages, width),
      name === undefined ? overview(messages) : helpOf(name, messages),
    ]);
    for (const [wrapped = '', whole = ''] of texts) {
      expect(flat(wrapped)).toBe(flat(whole));
      // Commands to copy stay on one line, and a word that is too long as well.
      const long = wrapped.split('\n').filter((line) => line.length > width && !/^ {2}(\S*viber|echo) /.test(line));
      expect(long.filter((line) => /\S {1}\S/.test(line.trim()))).toEqual([]);
    }
  });
});

describe('what commands print', () => {
  const home = tempFolder(afterAll);
  const base = { PATH: process.env.PATH ?? '', HOME: home, OPENVIBER_COMMAND: 'viber' };
  const ESCAPE = '\u001b';

  test.each([
    ['--help'],
    ['doctor'],
    ['status'],
    ['tasks'],
    ['skills'],
    ['version'],
    ['usage'],
    ['uninstall'],
    ['nonsense'],
  ])('has no escape sequence in a pipe: %s', async (...words) => {
    const { out, err } = await viber(home, words, { env: { TERM: 'xterm-256color', COLORTERM: 'truecolor' } });
    expect(out + err).not.toContain(ESCAPE);
    expect(out + err).not.toBe('');
  });

  test.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('has none in a terminal with %j, and fits it', async (env) => {
    const terminal = openTerminal([process.execPath, PROGRAM, 'doctor', '--help', '--home', home], {
      columns: 60,
      env: { ...base, ...env },
    });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.raw()).not.toContain(ESCAPE);
    const lines = terminal
      .shown()
      .split('\n')
      .map((line) => line.trimEnd());
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
    expect(lines.length).toBeGreaterThan(10);
  });
});
