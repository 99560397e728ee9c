/** What is typed: the text and its cursor, what was typed before, what Tab offers, and which button a number is. */
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Buttons } from '../../../src/channels/terminal/buttons.ts';
import { commonStart, complete } from '../../../src/channels/terminal/complete.ts';
import { cursorPlace, type Edit, Editor, wrapRows } from '../../../src/channels/terminal/editor.ts';
import { History, seemsSecret } from '../../../src/channels/terminal/history.ts';
import { graphemes } from '../../../src/channels/terminal/width.ts';
import { tempFolder } from '../../helpers/temp.ts';

const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? 150) };
const EDITS: Edit[] = [
  ...(['left', 'right', 'wordLeft', 'wordRight', 'home', 'end', 'backspace', 'delete'] as const),
  ...(['killWord', 'killToStart', 'killToEnd', 'yank'] as const),
];

function edited(text: string, ...edits: (Edit | { insert: string })[]): string {
  const editor = new Editor();
  editor.set(text);
  for (const edit of edits) typeof edit === 'string' ? editor.apply(edit) : editor.insert(edit.insert);
  return `${editor.text.slice(0, editor.cursor)}|${editor.text.slice(editor.cursor)}`;
}

describe('the text', () => {
  test('is edited by whole characters, words and lines', () => {
    expect(edited('a👩‍👩‍👧b', 'left', 'backspace')).toBe('a|b');
    expect(edited('日本', 'left', 'delete')).toBe('日|');
    expect(edited('one two  ', 'killWord')).toBe('one |');
    expect(edited('one two', 'wordLeft', 'wordLeft', 'wordRight', { insert: '!' })).toBe('one!| two');
    expect(edited('a\nbcd', 'left', 'home')).toBe('a\n|bcd');
    expect(edited('a\nbcd', 'killToStart', 'left', 'yank')).toBe('abcd|\n');
    expect(edited('', 'backspace', 'delete', 'left', 'right', 'killWord')).toBe('|');
  });

  test('has its cursor at the edge of a character, and within its lines, whatever is done', () => {
    const step = fc.oneof(
      fc.constantFrom(...EDITS),
      fc.constantFrom<-1 | 1>(-1, 1),
      fc
        .oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', '日本語', '👍🏽', ' '))
        .map((insert) => ({ insert })),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 4, max: 12 }), (steps, width) => {
        const editor = new Editor();
        for (const one of steps) {
          if (typeof one === 'number') editor.moveLine(one, width);
          else if (typeof one === 'string') editor.apply(one);
          else editor.insert(one.insert);
          const { text, cursor } = editor;
          const edges = new Set([0, ...graphemes(text).map(({ end }) => end)]);
          expect(edges.has(cursor) || cursor === text.length).toBe(true);
          const lines = wrapRows(text, width);
          const place = cursorPlace(editor, lines);
          expect(place.row).toBeLessThan(lines.length);
        }
      }),
      runs,
    );
  });

  test('moves between the rows of the screen', () => {
    const editor = new Editor();
    editor.set('abcdef\nxy');
    expect(editor.moveLine(-1, 4)).toBe(true);
    expect(editor.cursor).toBe(6);
    expect(editor.moveLine(-1, 4)).toBe(true);
    expect(editor.cursor).toBe(2);
    expect(editor.moveLine(-1, 4)).toBe(false);
  });
});

describe('what was typed before', () => {
  const file = () => path.join(tempFolder(), 'history.jsonl');

  test('comes back in its order, and what was being typed too', () => {
    const one = file();
    const first = new History(one);
    for (const text of ['a', 'b\nc', 'b\nc', ' hidden', '']) first.add(text);
    const history = new History(one);
    expect([history.move(-1, 'now'), history.move(-1, ''), history.move(-1, '')]).toEqual(['b\nc', 'a', undefined]);
    expect([history.move(1, ''), history.move(1, ''), history.move(1, '')]).toEqual(['b\nc', 'now', undefined]);
  });

  test('is bounded, readable by its owner alone, and survives what others put there', () => {
    const one = file();
    fs.writeFileSync(one, 'no json\n{"a":1}\n"fine"\n"\\u001b[2Jclean"\n', { mode: 0o644 });
    const history = new History(one);
    for (let n = 0; n < 1_600; n++) history.add(`line ${n}`);
    expect(fs.readFileSync(one, 'utf8').trim().split('\n').length).toBeLessThanOrEqual(1_001);
    expect(fs.statSync(one).mode & 0o777).toBe(0o600);
    expect(new History(one).move(-1, '')).toBe('line 1599');
    expect(fs.readFileSync(one, 'utf8')).not.toContain('\u001b');
  });

  test('a file that cannot be used keeps nobody from typing; a link is not followed', () => {
    const folder = tempFolder();
    fs.writeFileSync(path.join(folder, 'other'), 'theirs');
    fs.symlinkSync(path.join(folder, 'other'), path.join(folder, 'link'));
    for (const name of ['link', 'missing/history', '.']) {
      const history = new History(path.join(folder, name));
      history.add('words');
      expect(history.move(-1, '')).toBe('words');
    }
    expect(fs.readFileSync(path.join(folder, 'other'), 'utf8')).toBe('theirs');
  });

  test.each([
    ['my password is hunter22', true],
    ['the password for the wifi: hunter22', true],
    ['OPENAI_API_KEY=sk-abcdefghijklmnop', true],
    ['ghp_abcdefghijklmnopqrstuvwx', true],
    ['111111111:AAabcdefghijklmnopqrstuvwxyz012345', true],
    ['curl -H "Authorization: Bearer abcdefghijk"', true],
    ['clone https://me:secret@example.com/x', true],
    ['the key a8Fk29dLq0ZmX7pQ4rTy1uVw', true],
    ['what is due today?', false],
    ['open 20260112-4kx2p and write docs/some-long-file-name.md', false],
    ['explain how tokens are counted', false],
  ])('%s: a secret? %s', (line, expected) => {
    expect(seemsSecret(line)).toBe(expected);
  });
});

describe('Tab', () => {
  // biome-ignore format: a row is a line
  const commands = [
    { name: 'help', description: '' },
    { name: 'queue', description: '', argument: { name: 'mode', description: '', pattern: '^(steer|collect|followup)$' } },
    { name: 'open', description: '', argument: { name: 'task', description: '', suggests: true } },
  ];
  const offered = async (before: string, folder = tempFolder()) => {
    const suggest = async (_command: string, text: string) => [{ value: `found-${text}`, label: 'Found' }];
    const { start, choices } = await complete(before, { commands, folders: [folder], suggest });
    return choices.map(({ value }) => before.slice(0, start) + value);
  };

  test('completes commands, their words and what the gateway suggests', async () => {
    expect(await offered('/he')).toEqual(['/help ']);
    expect(await offered('/qu')).toEqual(['/queue ', '/quit ']);
    expect(await offered('/queue co')).toEqual(['/queue collect']);
    expect(await offered('/open tea')).toEqual(['/open found-tea']);
    expect(await offered('/nothing')).toEqual([]);
    expect(await offered('words ')).toEqual([]);
  });

  test('completes files below the folder, never above it, and none that would command the terminal', async () => {
    const folder = tempFolder();
    fs.mkdirSync(path.join(folder, 'notes'));
    for (const name of ['notes/a b.md', 'notes/.hidden', 'notes/\u001b[2Jx', 'todo.md'])
      fs.writeFileSync(path.join(folder, name), '');
    fs.symlinkSync('/etc', path.join(folder, 'notes/etc'));
    expect(await offered('see t', folder)).toEqual(['see todo.md ']);
    expect(await offered('see n', folder)).toEqual(['see notes/']);
    expect(await offered('see notes/', folder)).toEqual(['see notes/a b.md ', 'see notes/etc ']);
    expect(await offered('see notes/.', folder)).toEqual(['see notes/.hidden ']);
    for (const above of ['../', '/etc/', 'notes/../../', 'notes/etc/'])
      expect(await offered(above, folder)).toEqual([]);
  });

  test('goes as far as all choices agree', () => {
    expect(
      commonStart([
        { value: 'note-a', label: '' },
        { value: 'note-b', label: '' },
      ]),
    ).toBe('note-');
    expect(commonStart([])).toBe('');
  });
});

test('a number is one button for ever', () => {
  const buttons = new Buttons();
  const row = (...labels: string[]) => [labels.map((label) => ({ id: `id-${label}`, label }))];
  expect(buttons.number(row('Yes', 'No')).map(({ n }) => n)).toEqual([1, 2]);
  expect(buttons.find('2')).toMatchObject({ kind: 'press', button: { id: 'id-No' } });
  buttons.number([]);
  expect(buttons.find('2')).toMatchObject({ kind: 'unsure' });
  expect(buttons.find('!2')).toMatchObject({ kind: 'press', button: { id: 'id-No' } });
  expect(buttons.number(row('Tea')).map(({ n }) => n)).toEqual([3]);
  expect([buttons.find('7'), buttons.find('!7'), buttons.find('2 cups')]).toEqual([
    undefined,
    { kind: 'none', n: 7 },
    undefined,
  ]);
  for (let n = 0; n < 2_000; n++) buttons.number(row('x'));
  expect(buttons.find('!2')).toEqual({ kind: 'none', n: 2 });
});
