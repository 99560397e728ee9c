/** Text on a terminal: nothing in it commands, no line is too wide, and what was finished stays. */
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadMarkdown } from '../../../src/channels/markdown/parse.ts';
import { Growing } from '../../../src/channels/terminal/growing.ts';
import { type Look, lookOf } from '../../../src/channels/terminal/look.ts';
import { paint } from '../../../src/channels/terminal/paint.ts';
import { safe, safeLine } from '../../../src/channels/terminal/safe.ts';
import { clip, displayWidth, wrap } from '../../../src/channels/terminal/width.ts';
import { hostile } from '../markdown/hostile.ts';

const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? 150) };
const ESC = '\u001b';
const HOSTILE = [
  // biome-ignore format: a list is filled
  ...[
    `${ESC}[2J`, `${ESC}]0;t\u0007`, `${ESC}]8;;http://e\u001b\\`, `${ESC}P1$r\u001b\\`, '\u009b31m', `${ESC}`,
    `${ESC}${ESC}[1m[2J`,
  ],
  // biome-ignore format: a list is filled
  ...[
    '\u0007', '\b', '\r', '\t', '\u202e', '\u2066', '\ufeff', '\u0085', '\u2028', '\ud800', '&#27;[2J', '&#x9b;2J',
    '<\u001b[2J>',
  ],
];
/** Control characters but the end of a line, and what turns the direction of writing. */
const COMMANDS = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...HOSTILE),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('日本', '👩‍👩‍👧', ' ', 'word', '\n'),
    ),
  )
  .map((parts) => parts.join(''));
const FULL: Look = { color: true, links: true, isRendered: true, isDrawn: true };
const BARE: Look = { color: false, links: false, isRendered: true, isDrawn: true };
/** What we write ourselves: colours, and links whose address is printable. */
const OURS = new RegExp(`${ESC}(?:\\[\\d+m|\\]8;;[!-~]*${ESC}\\\\)`, 'g');

describe('what others wrote', () => {
  test('never commands the terminal', () => {
    fc.assert(
      fc.property(text, (words) => {
        expect(safe(words)).not.toMatch(COMMANDS);
        expect(safe(words).isWellFormed()).toBe(true);
        expect(safeLine(words)).not.toMatch(/\p{Cc}/u);
      }),
      runs,
    );
  });

  test.each([FULL, BARE])('nor does it as Markdown: colours %s', async (look) => {
    const parse = await loadMarkdown();
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          hostile,
          fc.tuple(hostile, text).map((both) => both.join('')),
        ),
        (words) => {
          for (const line of paint(parse(safe(words)), look, 40, 'viber> '))
            expect(line.replace(OURS, '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        },
      ),
      runs,
    );
  });

  test('is left as it is where there is nothing to take out', () => {
    expect(safe('Grüße,\t日本 👩‍👩‍👧 — “ok”\nnext')).toBe('Grüße,\t日本 👩‍👩‍👧 — “ok”\nnext');
    expect(safe(`a${ESC}[31mred${ESC}[0m ${ESC}]8;;http://x${ESC}\\label${ESC}]8;;${ESC}\\`)).toBe('ared label');
  });
});

describe('lines', () => {
  test('are never wider than they may be, and lose nothing but blanks', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 30 }), (words, width) => {
        const line = safeLine(words);
        const rows = wrap(line, width).map(({ start, end }) => line.slice(start, end));
        for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(width);
        expect(rows.join('').replace(/\s/g, '')).toBe(line.replace(/\s/g, ''));
        expect(displayWidth(clip(line, width))).toBeLessThanOrEqual(width);
      }),
      runs,
    );
  });

  test('end between words, or between East Asian characters', () => {
    const rows = (line: string, width: number) => wrap(line, width).map(({ start, end }) => line.slice(start, end));
    expect(rows('one two three', 8)).toEqual(['one two', 'three']);
    expect(rows('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
    expect(rows('go 日本語日本', 7)).toEqual(['go 日本', '語日本']);
    expect(rows('', 7)).toEqual(['']);
  });

  test('a long text is wrapped in time that grows with it', () => {
    const began = process.cpuUsage();
    wrap('日本語 words and 👍 '.repeat(10_000), 60);
    wrap('x'.repeat(200_000), 60);
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(3_000);
  });
});

describe('an answer that grows', () => {
  const BLOCKS = fc.array(
    fc.constantFrom(
      // biome-ignore format: a list is filled
      ...[
        '# Head', 'words', '- a\n- b', '1. x', '   more', '```\ncode\n\nmore\n```', '> quote', '| a |\n|---|\n| 1 |',
        '', '~~~\nopen',
      ],
    ),
  );

  test('is finished block by block, and nothing that was shown changes', () => {
    fc.assert(
      fc.property(BLOCKS, fc.integer({ min: 1, max: 9 }), (blocks, size) => {
        const answer = blocks.join('\n\n');
        const growing = new Growing();
        let shown = '';
        for (let at = 0; at < answer.length; at += size) {
          growing.add(answer.slice(at, at + size));
          shown += growing.takeFinished();
        }
        expect(shown + growing.rest).toBe(answer);
        if (!growing.isBegun) return;
        const rest = growing.restOf(answer.trim()) ?? 'none';
        expect(`${shown}${rest}`.replace(/\s/g, '')).toBe(answer.replace(/\s/g, ''));
      }),
      runs,
    );
  });

  test('never ends a block within a fence or a list', () => {
    const finished = (words: string) => {
      const growing = new Growing();
      growing.add(words);
      return growing.takeFinished();
    };
    expect(finished('one\n\ntwo words')).toBe('');
    expect(finished('one\n\ntwo words that go on')).toBe('one\n\n');
    expect(finished('```\na\n\nb and so on and on\n')).toBe('');
    expect(finished('1. a\n\n2. b and so on and on\n')).toBe('');
    expect(finished('1. a\n\n   more of a, and more\n\nanother paragraph')).toBe('1. a\n\n   more of a, and more\n\n');
  });

  test('another answer is shown from its beginning', () => {
    const growing = new Growing();
    growing.add('one\n\ntwo words that go on');
    growing.takeFinished();
    expect(growing.restOf('It failed.')).toBeUndefined();
    expect(growing.restOf('one\n\ntwo')).toBe('two');
  });
});

describe('what a terminal can show', () => {
  const tty = { isTTY: true };
  test.each([
    [{ TERM: 'xterm-256color' }, tty, { color: true, links: false, isDrawn: true, isRendered: true }],
    [{ TERM: 'xterm-256color', NO_COLOR: '1' }, tty, { color: false, isDrawn: true, isRendered: true }],
    [{ TERM: 'dumb' }, tty, { color: false, links: false, isDrawn: false, isRendered: false }],
    [{ TERM: 'xterm' }, {}, { color: false, isDrawn: false, isRendered: false }],
    [{ FORCE_COLOR: '1' }, {}, { color: true, isDrawn: false, isRendered: true, links: false }],
    [{ FORCE_COLOR: '0', TERM: 'xterm' }, tty, { color: false, isDrawn: true }],
    [{ TERM: 'xterm', VTE_VERSION: '7200' }, tty, { links: true }],
    [{ TERM: 'screen', TERM_PROGRAM: 'tmux', TERM_PROGRAM_VERSION: '3.3a' }, tty, { links: false }],
    [{ TERM: 'xterm-kitty' }, tty, { links: true }],
  ])('%j', (env, output, expected) => {
    expect(lookOf(output, env)).toMatchObject(expected);
  });

  test('without links an address stands behind its label, and code is not cut', async () => {
    const parse = await loadMarkdown();
    const code = 'x'.repeat(100);
    const source = `[the page](https://example.com/a) and https://example.com\n\n\`\`\`\n${code}\n\`\`\``;
    expect(paint(parse(source), BARE, 80)).toEqual([
      'the page (https://example.com/a) and https://example.com',
      ...['', '```', code, '```'],
    ]);
    expect(stripVTControlCharacters(paint(parse(source), FULL, 80)[0] ?? '')).toBe('the page and https://example.com');
  });

  test('a table that does not fit is told row by row', async () => {
    const parse = await loadMarkdown();
    const table = '| name | what it is |\n|---|---|\n| tea | a hot drink made of leaves and water |';
    expect(paint(parse(table), BARE, 30).join('\n')).toMatch(/^• .*name.*tea/);
  });
});
