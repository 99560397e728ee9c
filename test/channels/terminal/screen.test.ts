/** What a terminal makes of our drawing: an emulated one, of any size, while it is written to and drawn on. */
import fs from 'node:fs';
import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import xterm from '@xterm/headless';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookOf } from '../../../src/channels/terminal/look.ts';
import { type Output, Screen } from '../../../src/channels/terminal/screen.ts';
import { ScreenFace } from '../../../src/channels/terminal/screen-face.ts';
import { messagesIn } from '../../../src/messages/messages.ts';
import { tempFolder } from '../../helpers/temp.ts';

const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? 60) };

function terminal(columns: number, rows: number) {
  const emulated = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 10_000,
    allowProposedApi: true,
    convertEol: true,
  });
  const output: Output = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        emulated.write(chunk);
        done();
      },
    }),
    { columns, rows },
  );
  const settled = () => new Promise<void>((resolve) => emulated.write('', resolve));
  return {
    output,
    screen: new Screen(output),
    async resize(to: number) {
      await settled();
      emulated.resize(to, rows);
      output.columns = to;
    },
    async lines(): Promise<string[]> {
      await settled();
      const { active } = emulated.buffer;
      const all = Array.from({ length: active.length }, (_line, n) => active.getLine(n)?.translateToString(true) ?? '');
      return all.slice(0, all.findLastIndex((line) => line !== '') + 1);
    },
    async cursor() {
      await settled();
      const { active } = emulated.buffer;
      return { row: active.baseY + active.cursorY, column: active.cursorX };
    },
  };
}

const drawing = (lines: string[]) => ({
  lines,
  cursor: { row: lines.length - 1, column: (lines.at(-1) ?? '').length },
});

test('what stays is there once and in order, and below it what was drawn last', async () => {
  const line = fc.stringMatching(/^[a-z]{1,30}$/);
  const step = fc.oneof(
    fc.record({ print: fc.array(line, { minLength: 1, maxLength: 4 }) }),
    fc.record({ draw: fc.array(line, { minLength: 1, maxLength: 14 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.integer({ min: 4, max: 12 }), async (steps, rows) => {
      const { screen, lines, cursor } = terminal(40, rows);
      const printed: string[] = [];
      let drawn: string[] = [];
      for (const one of steps) {
        if ('print' in one) {
          printed.push(...one.print);
          screen.print(one.print);
        } else {
          drawn = one.draw;
          screen.draw(drawing(drawn));
        }
      }
      // Higher than the terminal: its end is seen.
      const seen = drawn.slice(-(rows - 1));
      expect(await lines()).toEqual([...printed, ...seen]);
      if (drawn.length > 0) expect(await cursor()).toMatchObject({ column: seen.at(-1)?.length });
      screen.clear();
      expect(await lines()).toEqual(printed);
    }),
    runs,
  );
});

test('a terminal that becomes narrower or wider leaves nothing of before behind', async () => {
  const { screen, lines, resize } = terminal(60, 12);
  screen.print(['stays']);
  screen.draw(drawing(['a line that is fifty columns wide, more or less so', 'you> what is typed']));
  await resize(20);
  screen.draw(drawing(['narrow now', 'you> what is typed']));
  expect(await lines()).toEqual(['stays', 'narrow now', 'you> what is typed']);
  await resize(70);
  screen.draw(drawing(['wide again', 'you> what is typed']));
  expect(await lines()).toEqual(['stays', 'wide again', 'you> what is typed']);
});

test('a character that is wider than it seems breaks no line', async () => {
  const { screen, lines } = terminal(20, 8);
  for (const end of ['a', 'b', 'c']) screen.draw(drawing([`${'日'.repeat(30)}${end}`, `you> ${end}`]));
  expect(await lines()).toHaveLength(2);
  expect((await lines()).at(-1)).toBe('you> c');
});

test('a terminal that does not know its size has the usual one', () => {
  const output: Output = Object.assign(new Writable({ write: (_chunk, _encoding, done) => done() }), {
    columns: 0,
    rows: 0,
  });
  expect(new Screen(output)).toMatchObject({ columns: 80, rows: 24 });
});

test('what has not changed is not drawn again', () => {
  const written: string[] = [];
  const output: Output = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        written.push(String(chunk));
        done();
      },
    }),
    { columns: 40, rows: 10 },
  );
  const screen = new Screen(output);
  screen.draw(drawing(['working 1', 'a long line that stays', 'you> ']));
  screen.draw(drawing(['working 1', 'a long line that stays', 'you> ']));
  expect(written).toHaveLength(1);
  screen.draw(drawing(['working 2', 'a long line that stays', 'you> ']));
  expect(written[1]).toContain('working 2');
  expect(written[1]).not.toContain('a long line');
});

test('what stays is changed where it stands, as long as it is certain where that is', async () => {
  const { screen, lines, resize } = terminal(20, 8);
  const shown = async () => (await lines()).map((line) => line.trimEnd()).filter(Boolean);
  screen.print(['above']);
  screen.print(['a question that is longer than a row', '[1] Yes'], 'q');
  screen.print(['after it']);
  screen.draw({ lines: ['you> '], cursor: { row: 0, column: 5 } });
  expect(screen.change('q', ['a question', 'Approved.'])).toBe(true);
  expect(await shown()).toEqual(['above', 'a question', 'Approved.', 'after it', 'you>']);
  expect(screen.change('other', ['x'])).toBe(false);
  screen.print(['1. ○ 日本', '2. ✓ paint 🎨'], 'narrow');
  expect(screen.change('narrow', ['1. ✓ 日本', '2. ✓ paint 🎨'])).toBe(true);
  expect(await shown()).toEqual(['above', 'a question', 'Approved.', 'after it', '1. ✓ 日本', '2. ✓ paint 🎨', 'you>']);
  screen.print(['○'.repeat(11), 'b'], 'wide');
  expect(screen.change('wide', ['c'])).toBe(false);
  for (let n = 0; n < 8; n++) screen.print([`line ${n}`]);
  expect(screen.change('q', ['gone'])).toBe(false);
  screen.print(['last'], 'last');
  await resize(30);
  expect(screen.change('last', ['moved'])).toBe(false);
});

test('of what is changed and stands too high to be drawn again, only the news are printed', () => {
  const { screen } = terminal(20, 4);
  const question = ['viber> Save it?', '+ milk', '+ tea', '', '[1] Save', ''];
  screen.print(question, 'q');
  const decided = [...question.slice(0, 3), '', 'Approved.', ''];
  expect(screen.change('q', decided)).toBe(false);
  expect(screen.news('q', decided)).toEqual(['viber> Save it?', '…', 'Approved.', '']);
  expect(screen.news('other', decided)).toEqual(decided);
  expect(screen.news('q', question)).toEqual([]);
});

test('of each change that follows, only its own news are printed', async () => {
  const { screen, lines } = terminal(20, 8);
  const plan = (...steps: string[]) => ['viber> Plan', ...steps, ''];
  const shown = async () => (await lines()).map((line) => line.trimEnd()).filter(Boolean);
  screen.print(plan('1 a', '2 b'), 'p');
  for (let n = 0; n < 8; n++) screen.print([`line ${n}`]);
  screen.replace('p', plan('1 a', '2 b', '3 c'));
  for (let n = 0; n < 8; n++) screen.print([`line ${n}`]);
  screen.replace('p', plan('1 a', '2 b', '3 c', '4 d'));
  expect((await shown()).slice(-4)).toEqual(['line 7', 'viber> Plan', '…', '4 d']);
  for (let n = 0; n < 8; n++) screen.print([`line ${n}`]);
  screen.replace('p', plan('1 a', '2 b', '3 c', '4 d'));
  expect((await shown()).at(-1)).toBe('line 7');
});

test('a line with tabs has uncertain rows', () => {
  const { screen } = terminal(40, 8);
  screen.print(['a\tb\tc\td\te\tf\tg'], 'tabs');
  expect(screen.change('tabs', ['a'])).toBe(false);
});

test('Tab shows every choice once, page by page, whatever the height of the window and of what is typed', async () => {
  const cases = fc.record({
    count: fc.integer({ min: 2, max: 40 }),
    rows: fc.integer({ min: 4, max: 40 }),
    words: fc.integer({ min: 0, max: 60 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ count, rows, words }) => {
      const folder = tempFolder();
      const names = Array.from({ length: count }, (_, n) => `file-${String.fromCharCode(97 + (n % 26))}${n}.txt`);
      for (const name of names) fs.writeFileSync(path.join(folder, name), '');
      const { output, lines } = terminal(30, rows);
      const input = new PassThrough();
      const face = new ScreenFace({
        ...{ input, output, look: lookOf({ isTTY: true }, {}), messages: messagesIn('en') },
        history: path.join(folder, 'run', 'history.jsonl'),
        completing: { commands: [], suggest: async () => [], folders: [folder] },
      });
      const ignore = () => undefined;
      face.open({ enter: async () => ignore(), interrupt: ignore, touched: ignore, leave: ignore });
      input.write(`${'x '.repeat(words)}file-`);
      const seen: string[] = [];
      const page = async () => (await lines()).flatMap((line) => /^ {2}(file-\w+\.txt)$/.exec(line)?.[1] ?? []);
      for (let before: string[] = []; seen.length < count; ) {
        input.write('\t');
        let now = before;
        for (let n = 0; n < 200 && (now.length === 0 || now.join() === before.join()); n++) {
          await turn();
          now = await page();
        }
        expect(now.length, seen.join()).toBeGreaterThan(0);
        expect(now.filter((name) => seen.includes(name))).toEqual([]);
        const all = await lines();
        expect(all.length - all.findLastIndex((line) => /file-$|^ {5}x|^you>/.test(line))).toBeLessThanOrEqual(rows);
        seen.push(...now);
        before = now;
      }
      expect(seen.toSorted()).toEqual(names.toSorted());
      await face.close();
    }),
    runs,
  );
});
