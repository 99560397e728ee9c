/** chart: the picture says what the data says, and data from anywhere gives a picture or a sentence. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UserError } from '../../src/errors.ts';
import { readFace } from '../../src/features/charts/face.ts';
import { faceFile } from '../../src/features/charts/font.ts';
import { type ChartSpec, renderChart } from '../../src/features/charts/render.ts';
import { dateScale, numberScale } from '../../src/features/charts/scale.ts';
import { textWidth } from '../../src/features/charts/text.ts';
import { lookFor, PALETTE } from '../../src/features/charts/theme.ts';
import { chart } from '../../src/features/charts/tool.ts';
import { formatNumber, parseDate, parseNumber } from '../../src/features/charts/values.ts';
import { webFetch } from '../../src/features/web/fetch/tool.ts';
import type { ToolScope } from '../../src/runtime/contract/tool-scope.ts';
import { bind } from '../../src/runtime/tools/bind.ts';
import { toInputSchema } from '../../src/skills/parameters.ts';
import { parseSkill } from '../../src/skills/skill.ts';
import { type Home, openHome } from '../../src/workspace/home.ts';
import { openTask } from '../../src/workspace/tasks/index.ts';
import type { ArtifactRef, Json } from '../../src/workspace/types.ts';
import { partsOf } from '../helpers/gateway.ts';
import { watchLoop } from '../helpers/own-time.ts';
import { toolScope } from '../helpers/scope.ts';
import { tempFolder } from '../helpers/temp.ts';
import { decodePng, type Picture, type Rgb } from './chart-fixtures.ts';
import { collectionOf, fontWith, withoutFullMap } from './font-fixtures.ts';

const bundled = (name: string, scope: ToolScope) =>
  bind({ ...(name === 'chart' ? chart : webFetch), name, describe: '' }, { scope, gw: partsOf({}) });

const colour = (at: number): Rgb => PALETTE[at] ?? [0, 0, 0];
const draw = (spec: Partial<ChartSpec> & Pick<ChartSpec, 'type' | 'data'>) =>
  renderChart({ title: 'T', width: 600, height: 400, ...spec });
const picture = async (spec: Parameters<typeof draw>[0]): Promise<Picture> => decodePng((await draw(spec)).png);
const csv = (header: string, count: number, row: (at: number) => string) =>
  [header, ...Array.from({ length: count }, (_, at) => row(at))].join('\n');

describe('what is drawn', () => {
  it('bars are as high as their values, below zero too', async () => {
    const seen = await picture({ type: 'bar', data: 'n,v\na,100\nb,50\nc,-25\nd,75' });
    expect([seen.width, seen.height]).toEqual([600, 400]);
    expect(seen.at(0, 0)).toEqual([255, 255, 255]);
    expect(seen.at(599, 399)).toEqual([255, 255, 255]);
    const [a, b, c, d, ...more] = seen.bars(colour(0));
    expect(more).toEqual([]);
    const unit = (a?.height ?? 0) / 100;
    expect(unit).toBeGreaterThan(1);
    for (const [bar, value] of [
      [b, 50],
      [c, 25],
      [d, 75],
    ] as const)
      expect(Math.abs((bar?.height ?? 0) - value * unit)).toBeLessThanOrEqual(2);
    const columns = seen.columns(colour(0));
    const top = (bar = a) => columns[(bar?.from ?? 0) + 2]?.top ?? 0;
    expect(top(c)).toBeGreaterThan(top(b));
    // All stand on one line, and are equally wide.
    expect(top(a) + (a?.height ?? 0)).toBe(top(b) + (b?.height ?? 0));
    expect(new Set([a, b, c, d].map((bar) => (bar?.to ?? 0) - (bar?.from ?? 0))).size).toBe(1);
  });

  it('each series has its colour, in the picture and in the legend', async () => {
    const data = csv('q,a,b,c,d,e,f,g', 3, (at) => `Q${at},${[5, 6, 7, 8, 9, 10, 11].join(',')}`);
    const seen = await picture({ type: 'bar', data, width: 1200, height: 675 });
    for (let at = 0; at < 7; at++) expect(seen.bars(colour(at)).length, `series ${at}`).toBeGreaterThanOrEqual(3);
    const { notes, series } = await draw({ type: 'bar', data: csv('q,a,b,c,d,e,f,g,h', 2, () => 'Q,1,2,3,4,5,6,7,8') });
    expect(series).toHaveLength(7);
    expect(notes.join(' ')).toMatch(/Only 7 of 8 columns/);
  });

  it('a line rises where the values rise, and breaks where there is none', async () => {
    const rising = await picture({ type: 'line', data: csv('x,y', 100, (at) => `${at},${at * 2}`) });
    const tops = rising
      .columns(colour(0))
      .filter(({ count }) => count > 0)
      .map(({ top }) => top);
    expect(tops.length).toBeGreaterThan(300);
    expect(tops.every((top, at) => at === 0 || top <= (tops[at - 1] ?? 0))).toBe(true);
    expect((tops[0] ?? 0) - (tops.at(-1) ?? 0)).toBeGreaterThan(200);
    const broken = await picture({
      type: 'line',
      data: csv('x,y', 100, (at) => `${at},${at > 40 && at < 60 ? '' : 5}`),
    });
    expect(broken.bars(colour(0))).toHaveLength(2);
  });

  it('a line goes by the value of x and not by the order of the rows', async () => {
    const tidy = await draw({ type: 'line', data: 'd,v\n2025-01-01,1\n2025-01-02,5\n2025-01-09,2' });
    const mixed = await draw({ type: 'line', data: 'd,v\n2025-01-09,2\n2025-01-01,1\n2025-01-02,5' });
    expect(mixed.png.equals(tidy.png)).toBe(true);
  });

  it('a pie gives each its share, and the smallest together', async () => {
    const seen = await picture({ type: 'pie', data: 'n,v\nbig,75\nsmall,25', width: 1200, height: 675 });
    const ratio = seen.count(colour(0)) / seen.count(colour(1));
    expect(ratio).toBeGreaterThan(2.85);
    expect(ratio).toBeLessThan(3.15);
    const many = await picture({ type: 'pie', data: csv('n,v', 30, (at) => `n${at},${at + 1}`) });
    expect(many.count(colour(6))).toBeGreaterThan(many.count(colour(0)));
  });

  it('scatter has a spot for each point, an area the ground below it', async () => {
    const spots = await picture({ type: 'scatter', data: 'x,y\n1,5\n2,3\n3,9\n4,1' });
    // Seven tenths of the colour on white.
    const faint = colour(0).map((part) => Math.round(255 + (part - 255) * 0.7));
    expect(spots.bars([faint[0] ?? 0, faint[1] ?? 0, faint[2] ?? 0])).toHaveLength(4);
    const ground = colour(0).map((part) => Math.round(255 + (part - 255) * 0.3));
    const below: Rgb = [ground[0] ?? 0, ground[1] ?? 0, ground[2] ?? 0];
    const low = await picture({ type: 'area', data: 'x,y,z\n0,20,100\n1,20,100', y: 'y' });
    const high = await picture({ type: 'area', data: 'x,y,z\n0,80,100\n1,80,100', y: 'y' });
    expect(low.count(below)).toBeGreaterThan(10_000);
    expect(high.count(below)).toBeGreaterThan(10_000);
  });

  it('a title is drawn, cut when it is long, and the same data gives the same bytes', async () => {
    const data = 'n,v\na,1\nb,2';
    const [one, again] = [await draw({ type: 'bar', data }), await draw({ type: 'bar', data })];
    expect(one.png.equals(again.png)).toBe(true);
    const inked = async (title: string) => (await picture({ type: 'bar', data, title })).count([31, 41, 51]);
    expect(await inked('A title')).toBeGreaterThan(await inked(''));
    const long = await picture({ type: 'bar', data, title: 'word '.repeat(300) });
    expect(
      long
        .columns([31, 41, 51])
        .slice(585)
        .every(({ count }) => count === 0),
    ).toBe(true);
  });

  it('accents and other scripts are drawn as well as can be', async () => {
    const ink = async (title: string) => (await draw({ type: 'bar', data: 'n,v\na,1', title })).png;
    expect((await ink('É')).equals(await ink('E'))).toBe(false);
    for (const [own, latin] of [
      ['Москва', 'Moskva'],
      ['Αθήνα', 'Athina'],
      ['שלום', 'shalom'],
    ] as const) {
      expect((await ink(own)).equals(await ink(latin))).toBe(false);
      expect((await ink(own)).equals(await ink('?'.repeat(own.length)))).toBe(false);
    }
    expect((await ink('日本')).equals(await ink('??'))).toBe(true);
    expect((await ink('©™')).equals(await ink('??'))).toBe(false);
    expect((await ink('a\u0000\u202e\u0007b 🎉')).equals(await ink('ab'))).toBe(true);
  });
});

describe('letters that the charts’ own typeface lacks', () => {
  let folder: string;
  beforeAll(() => {
    folder = tempFolder(afterAll);
    mkdirSync(join(folder, 'truetype/ersatz'), { recursive: true });
    writeFileSync(join(folder, 'truetype/ersatz/Ersatz-Sans.ttf'), fontWith({ 日: 'A', 本: 'G' }));
    writeFileSync(join(folder, 'truetype/Broken-Sans.ttf'), fontWith({ 日: 'A' }).subarray(0, 3_000));
    writeFileSync(join(folder, 'notes.ttf'), 'no font');
  });

  const labels = { type: 'bar', data: '国,v\n日,1\n本 🎉,2' } as const;

  it('are drawn with a font of the machine, and their words as wide as they are', async () => {
    const shown = await draw({ ...labels, fonts: ['/nowhere', folder] });
    const same = await draw({ type: 'bar', data: '?,v\nA,1\nG,2' });
    expect(shown.png.equals(same.png)).toBe(true);
    expect(same.notes).toEqual([]);
    expect(shown.notes.join(' ')).not.toMatch(/[日本]/);
  });

  it('are named in a sentence where no font has them, and so are emoji', async () => {
    const { notes } = await draw({ ...labels, title: 'सूची' });
    expect(notes).toEqual([
      'No font on my machine has these letters, so the chart shows "?" for each: 日 本 国 स च. A font such as Noto Sans CJK (package fonts-noto-cjk) adds them.',
      'Charts leave out emoji.',
    ]);
    const hindi = await draw({ type: 'bar', data: 'n,v\na,1', title: 'सूची' });
    expect(hindi.notes[0]).toContain('Noto Sans (package fonts-noto-core)');
    const many = Array.from({ length: 40 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');
    const [note = ''] = (await draw({ type: 'bar', data: 'n,v\na,1', title: many })).notes;
    expect(note).toMatch(/: (?:\S ){12}and more\./u);
  });

  it('are looked for in fonts with either kind of map, and in collections', () => {
    const file = join(folder, 'one.ttf');
    const faceOf = (font: Buffer) => {
      writeFileSync(file, font);
      const face = readFace(file);
      rmSync(file);
      return face;
    };
    const original = readFileSync(faceFile('DejaVuSans'));
    const codes = [0x20, 0x41, 0xe9, 0x416, 0x5d0, 0x627, 0x2264, 0x4e00, 0xffff];
    const widths = codes.map((code) => faceOf(original)?.widthOf(code));
    expect(widths.slice(-2)).toEqual([undefined, undefined]);
    expect(widths.slice(0, -2).every((width) => width !== undefined && width > 0.2 && width < 1.2)).toBe(true);
    const small = withoutFullMap(original);
    expect(codes.map((code) => faceOf(small)?.widthOf(code))).toEqual(widths);
    expect(codes.map((code) => faceOf(collectionOf(original))?.widthOf(code))).toEqual(widths);
    expect(faceOf(original)?.widthOf(0x1d538)).toBeGreaterThan(0.5);
    expect(faceOf(small)?.widthOf(0x1d538)).toBeUndefined();
  });

  it('in a damaged font are missing, and nothing breaks', () => {
    const file = join(folder, 'damaged.ttf');
    const original = readFileSync(faceFile('DejaVuSans')).subarray(0, 60_000);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(4_000), fc.nat(255)), { maxLength: 40 }),
        fc.nat(60_000),
        (changes, length) => {
          const damaged = Buffer.from(original.subarray(0, length));
          for (const [at, byte] of changes) if (at < length) damaged[at] = byte;
          writeFileSync(file, damaged);
          const face = readFace(file);
          for (const code of [0x20, 0x41, 0x4e00, 0x1f600]) expect(face?.widthOf(code) ?? 0).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 100) },
    );
    rmSync(file);
  });
});

describe('words that look like markup', () => {
  const FRAME = '<rect width="600" height="400" fill="#f00"/>';
  // biome-ignore format: a list is filled
  const WORDS = [
    `</text>${FRAME}<text>`, `</text></svg>${FRAME}`, `"/>${FRAME}`, `<![CDATA[${FRAME}`, '&lol;<!--',
    '\ufffe\ud800]]>',
  ];
  it.each(WORDS)('%j is drawn as words', async (words) => {
    const data = JSON.stringify([
      { [words]: words, v: 1 },
      { [words]: 'b', v: 2 },
    ]);
    for (const type of ['bar', 'pie'] as const) {
      const seen = await picture({ type, data, title: words });
      expect(seen.count([255, 0, 0])).toBe(0);
      expect(seen.count(colour(0))).toBeGreaterThan(1_000);
    }
  });

  it('a title is as wide as it was measured', async () => {
    const title = 'Wide Жук Ω 1,234 %';
    const columns = (await picture({ type: 'bar', data: 'n,v\na,1', title, width: 1200, height: 675 })).columns([
      31, 41, 51,
    ]);
    const inked = columns.filter(({ count, top }) => count > 0 && top < 70).map(({ x }) => x);
    const look = lookFor(1200, 675);
    expect(Math.abs((inked.at(-1) ?? 0) - look.pad - textWidth(title, look.title))).toBeLessThan(8);
  });
});

describe('the data', () => {
  it.each<[string, string, Json]>([
    ['CSV', 'n,v\na,1\nb,3', { name: 'v', points: 2, min: 1, max: 3 }],
    ['semicolons and decimal commas', 'n;v\r\na;1,5\r\nb;3,25\r\n', { name: 'v', points: 2, min: 1.5, max: 3.25 }],
    ['tabs', 'n\tv\na\t1\nb\t3', { name: 'v', points: 2, min: 1, max: 3 }],
    ['quotes', '"n, x","v ""q"""\n"a,b\nc","1,234"\nb,3', { name: 'v "q"', points: 2, min: 3, max: 1234 }],
    ['a byte order mark', '\ufeffn,v\na,1', { name: 'v', points: 1, min: 1, max: 1 }],
    ['no header', '1,10\n2,30', { name: 'column 2', points: 2, min: 10, max: 30 }],
    ['one column', 'v\n4\n5', { name: 'v', points: 2, min: 4, max: 5 }],
    ['labels in the second column', 'v,n\n1,a\n3,b', { name: 'v', points: 2, min: 1, max: 3 }],
    ['gaps', 'n,v\na,\nb,3\nc,n/a\nd,4', { name: 'v', points: 2, min: 3, max: 4 }],
    ['a ragged row', 'n,v\na\nb,3,9,9', { name: 'v', points: 1, min: 3, max: 3 }],
    ['JSON objects', '[{"n":"a","v":1},{"n":"b","v":"3"},{"v":null}]', { name: 'v', points: 2, min: 1, max: 3 }],
    ['JSON lists', '[["n","v"],["a",1],["b",3]]', { name: 'v', points: 2, min: 1, max: 3 }],
    ['a JSON object', '{"a":1,"b":3}', { name: 'value', points: 2, min: 1, max: 3 }],
    ['JSON numbers', '[1,2,3]', { name: 'value', points: 3, min: 1, max: 3 }],
    [
      'names of every object',
      '[{"__proto__":5,"constructor":"c","v":2}]',
      { name: '__proto__', points: 1, min: 5, max: 5 },
    ],
    ['money and per cent', 'n,v\na,$5\nb,12%\nc,€1 200', { name: 'v', points: 3, min: 5, max: 1200 }],
  ])('%s', async (_name, data, expected) => {
    const { series, png } = await draw({ type: 'bar', data });
    expect(series[0]).toEqual(expected);
    decodePng(png);
  });

  it.each<[string, Partial<ChartSpec>, RegExp]>([
    ['nothing', { data: ' \n ' }, /no data/],
    ['a header alone', { data: 'a,b' }, /no rows/],
    ['no numbers', { data: 'a,b\nx,y' }, /no numbers to draw.*columns are a, b/],
    ['NaN', { data: 'a,b\nx,NaN\ny,Infinity' }, /no numbers/],
    ['a column that is not there', { data: 'a,b\nx,1', y: 'c' }, /no column "c".*a, b/],
    ['a column of x that is not there', { data: 'a,b\nx,1', x: '__proto__' }, /no column/],
    ['half JSON', { data: '[{"a":1' }, /looks like JSON but is not/],
    ['an empty list', { data: '[]' }, /no rows|no columns/],
    ['empty objects', { data: '[{},{}]' }, /no columns/],
    ['a negative share', { data: 'a,b\nx,1\ny,-1', type: 'pie' }, /cannot show negative/],
    ['no share', { data: 'a,b\nx,0', type: 'pie' }, /above zero/],
    ['too many rows', { data: csv('a,b', 100_001, () => '1,2') }, /at most 100,000 rows/],
    ['too many cells', { data: csv('a,'.repeat(40), 25_000, () => '1,'.repeat(40)) }, /million cells/],
    ['too much', { data: 'a,b\n'.padEnd(10_000_001, '1') }, /too large/],
  ])('%s is refused in a sentence', async (_name, spec, why) => {
    const refused = draw({ type: 'bar', data: '', ...spec });
    await expect(refused).rejects.toThrow(why);
    await expect(refused).rejects.toBeInstanceOf(UserError);
  });

  it.each<ChartSpec['type']>(['bar', 'line', 'area', 'scatter', 'pie'])('100,000 rows as %s', async (type) => {
    const data = csv('x,y', 100_000, (at) => `${at},${50 + Math.sin(at / 5_000) * 50 + ((at * 7919) % 101) / 5}`);
    const start = process.threadCpuUsage();
    const { png, rows } = await draw({ type, data, width: 1200, height: 675 });
    const { user, system } = process.threadCpuUsage(start);
    // Of this thread's own work, in microseconds: the machine may have others to serve.
    expect(user + system).toBeLessThan(2_000_000);
    expect(rows).toBe(100_000);
    decodePng(png);
  });

  it('as a line of many points shows the highest, the lowest, and a gap as wide as a column', async () => {
    const row = (at: number) =>
      `${at},${at === 25_000 ? 100 : at === 75_000 ? -100 : at > 40_000 && at < 60_000 ? '' : 0}`;
    const seen = await picture({ type: 'line', data: csv('x,y', 100_000, row), width: 1200, height: 675 });
    const columns = seen.columns(colour(0)).filter(({ x }) => x > 120);
    expect(columns.some(({ count }) => count > 150)).toBe(true);
    const at = (share: number) => columns.filter(({ x }) => Math.abs(x - (150 + share * 950)) < 40);
    expect(at(0.5).every(({ count }) => count === 0)).toBe(true);
    expect(at(0.1).every(({ count }) => count > 0)).toBe(true);
  });

  it.each<[string, string]>([
    ['one point', 'x,y\n5,7'],
    ['all the same', 'x,y\n1,5\n2,5'],
    ['all zero', 'x,y\n1,0\n2,0'],
    ['huge', 'x,y\n1,1e300\n2,-1e300\n1e300,4'],
    ['beyond huge', 'x,y\n1,1e308\n2,5\n3,-1e308'],
    ['tiny', 'x,y\n1,1e-320\n2,3e-300\n3,0'],
    ['all but the same', 'x,y\n1,1000000000000000\n2,1000000000000001'],
    ['far dates', 'x,y\n0001-01-01,1\n9999-12-31,2'],
    ['wrong dates', 'x,y\n2025-13-45,1\n2025-01-01,2'],
    ['one date twice', 'x,y\n2025-01-01,1\n2025-01-01,2'],
    ['long labels', csv('x,y', 40, (at) => `${'W'.repeat(5_000)}${at},${at}`)],
    ['long names', `${'x'.repeat(5_000)},${'y'.repeat(5_000)},${'z '.repeat(2_000)}\na,1,2\nb,2,3`],
    ['controls', 'x\u0000,y\u001b[31m\n\u202ea\u0007,1\nb\u200b,2'],
    ['empty labels', 'x,y\n,1\n,2'],
  ])('%s is drawn by every type, in two sizes', async (_name, data) => {
    for (const type of ['bar', 'line', 'area', 'scatter', 'pie'] as const) {
      for (const [width, height] of [
        [300, 200],
        [700, 400],
      ] as const) {
        const drawn = draw({ type, data, width, height }).then(
          ({ png }) => decodePng(png).width,
          (error: unknown) => (error instanceof UserError && type === 'pie' ? width : Promise.reject(error)),
        );
        expect(await drawn).toBe(width);
      }
    }
  });
});

describe('numbers, dates and ticks', () => {
  const NUMBERS = { '12': 12, '-3.5': -3.5, '1,234,567.8': 1_234_567.8, '3,5': 3.5, $1200: 1200, '-$5': -5, '−7': -7 };
  const OTHERS = { '12 %': 12, '1 000': 1000, '1e3': 1000, '.5': 0.5, '5.': 5, '+2': 2, '$1,200': 1200 };
  it.each(Object.entries({ ...NUMBERS, ...OTHERS }))('reads %s', (cell, value) =>
    expect(parseNumber(cell)).toBe(value),
  );

  it.each(['', ' ', 'abc', '1-2', '0x10', '1e999', 'Infinity', 'NaN', '12abc', '1,2,3', '1'.repeat(400)])(
    'does not read %s',
    (cell) => expect(parseNumber(cell)).toBeUndefined(),
  );

  it('reads ISO dates as UTC and nothing else', () => {
    expect(parseDate('2025-03-31')).toBe(Date.UTC(2025, 2, 31));
    expect(parseDate('2025-03')).toBe(Date.UTC(2025, 2));
    expect(parseDate('2025-03-31 14:30')).toBe(Date.UTC(2025, 2, 31, 14, 30));
    expect(parseDate('2025-03-31T14:30:00+02:00')).toBe(Date.UTC(2025, 2, 31, 12, 30));
    for (const cell of ['2025', '31.03.2025', '2025-02-31x', '2025-13-01', 'today'])
      expect(parseDate(cell)).toBeUndefined();
  });

  it('writes numbers short', () => {
    const usual = [0, 999, 1234, 12_345, 123_456, -2_000_000_000, 1e20].map((value) => formatNumber(value));
    expect(usual).toEqual(['0', '999', '1,234', '12.35k', '123k', '−2B', '1e20']);
    expect([formatNumber(1_500_000, 500_000), formatNumber(20_000, 5_000)]).toEqual(['1.5M', '20k']);
    expect([formatNumber(0.25, 0.05), formatNumber(3, 0.5), formatNumber(1e-5, 1e-5)]).toEqual(['0.25', '3.0', '1e-5']);
  });

  it('ticks are 1, 2 or 5 times a power of ten, and enclose the values', () => {
    expect(numberScale(0, 97, 5).ticks.map(({ label }) => label)).toEqual(['0', '20', '40', '60', '80', '100']);
    expect(numberScale(-3, 7, 5).ticks.map(({ value }) => value)).toEqual([-4, -2, 0, 2, 4, 6, 8]);
    expect(numberScale(0.1, 0.3, 4).ticks.map(({ label }) => label)).toEqual(['0.10', '0.15', '0.20', '0.25', '0.30']);
    const labels = (from: string, to: string, wanted: number) =>
      dateScale(Date.parse(from), Date.parse(to), wanted).ticks.map(({ label }) => label);
    expect(labels('2025-01-01', '2025-06-30', 6)).toEqual(['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun']);
    expect(labels('2020-05-01', '2024-05-01', 5)).toEqual(['2021', '2022', '2023', '2024']);
    expect(labels('2025-01-01T00:00Z', '2025-01-01T12:00Z', 4)).toEqual(['00:00', '03:00', '06:00', '09:00', '12:00']);
  });
});

describe('the tool', () => {
  let home: Home;
  let root: string;
  const attached: ArtifactRef[] = [];
  beforeAll(async () => {
    root = tempFolder(afterAll);
    home = await openHome(root);
    // What is loaded for the first of all is no fault of its data.
    await run({ title: 'T', type: 'line', data: 'x,y\n1,2' }, 'hostile');
  });
  beforeEach(() => void attached.splice(0));

  const scope = (taskId = 'task1') => toolScope(home, { taskId, onArtifact: (ref) => void attached.push(ref) });

  function run(given: object, taskId?: string): Promise<Json> {
    const tool = bundled('chart', scope(taskId));
    if (!tool) throw new Error('no chart');
    return tool.execute(tool.input.parse(given), { signal: new AbortController().signal, callId: 'c' });
  }

  /** Drawing takes more than a hundred times what it takes to hand the data over, on any machine. */
  function timesGiven(data: string): number {
    const given = watchLoop();
    Buffer.from(JSON.stringify(data));
    return 20 * given();
  }

  const noise = (at: number) => ((at * 7919 + 13) % 1_009) - 500;
  const seven = (row: (at: number, which: number) => string | number) =>
    csv('x,a,b,c,d,e,f,g', 100_000, (at) => [at, ...Array.from({ length: 7 }, (_, which) => row(at, which))].join(','));
  it.each<[string, ChartSpec['type'], string]>([
    ['seven columns of noise', 'line', seven((at, which) => noise(at * 7 + which))],
    ['every second cell missing', 'scatter', seven((at, which) => ((at + which) % 2 ? noise(at) : ''))],
    ['labels that nothing is known of', 'line', csv('x,a', 100_000, (at) => `${'é'.repeat(60)}${at},${at}`)],
    [
      'rows of JSON',
      'scatter',
      JSON.stringify(Array.from({ length: 50_000 }, (_, at) => ({ x: at, a: noise(at), b: noise(-at) }))),
    ],
  ])('leaves the main thread to others: %s, as %s', async (_name, type, data) => {
    const longest = watchLoop();
    expect(await run({ title: 'T', type, data, width: 1200, height: 675 }, 'hostile')).toHaveProperty('rows');
    expect(longest()).toBeLessThan(timesGiven(data));
  });

  it.each<[string, string]>([
    ['a million points', csv('x,y', 700_000, (at) => `${at},${noise(at)}`)],
    ['ten million cells in a row', `a,b\n${','.repeat(9_900_000)}`],
    ['a list within lists', '['.repeat(1_000_000) + ']'.repeat(1_000_000)],
    ['rows with columns of their own', JSON.stringify(Array.from({ length: 90_000 }, (_, at) => ({ [`c${at}`]: at })))],
    ['quotes that never end', `a,b\n${'"'.repeat(9_900_001)}`],
  ])('%s, which fill memory, are refused', async (_name, data) => {
    const [before, longest] = [process.memoryUsage().rss, watchLoop()];
    await expect(run({ title: 'T', type: 'bar', data }, 'hostile')).rejects.toBeInstanceOf(UserError);
    expect(longest()).toBeLessThan(timesGiven(data));
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
  });

  it('draws what twenty ask for at once, one after the other, and stops with the run that asked', async () => {
    const [data, stop] = [seven((at) => noise(at)), new AbortController()];
    const longest = watchLoop();
    const tool = bundled('chart', scope('hostile'));
    const input = tool?.input.parse({ title: 'T', type: 'scatter', data });
    const many = Array.from({ length: 20 }, (_, at) => tool?.execute(input, { signal: stop.signal, callId: `${at}` }));
    const ends = Promise.allSettled(many);
    await many[0];
    stop.abort(new Error('stopped'));
    const states = (await ends).map(({ status }) => status);
    expect(states[0]).toBe('fulfilled');
    expect(states.slice(1)).toContain('rejected');
    expect(longest()).toBeLessThan(timesGiven(data));
    expect(await run({ title: 'T', type: 'bar', data: 'n,v\na,1' }, 'hostile')).toHaveProperty('rows', 1);
  });

  it('attaches a PNG, once for the same picture', async () => {
    const given = { title: 'Sales', type: 'bar', data: 'n,v\na,1\nb,2', width: 400, height: 99_999 };
    const result = await run(given);
    expect(result).toMatchObject({ rows: 2, width: 400, height: 1600, series: [{ name: 'v', min: 1, max: 2 }] });
    const [ref] = attached;
    expect(ref).toMatchObject({ title: 'Sales', type: 'image/png' });
    if (!ref) throw new Error('nothing attached');
    expect(decodePng(readFileSync(openTask(home, 'task1').artifacts.pathOf(ref))).height).toBe(1600);
    await run(given);
    expect(attached[1]).toEqual(ref);
    expect(openTask(home, 'task1').artifacts.list()).toHaveLength(1);
  });

  it('uses the fonts of the machine, and says which letters it has none for', async () => {
    const given = { title: '日', type: 'bar', data: 'n,v\n\u{1e900},1\nb,2' };
    const before = process.env.XDG_DATA_HOME;
    mkdirSync(join(root, 'data/fonts'), { recursive: true });
    writeFileSync(join(root, 'data/fonts/Ersatz-Sans.ttf'), fontWith({ 日: 'A' }));
    process.env.XDG_DATA_HOME = join(root, 'data');
    try {
      const { notes } = z.object({ notes: z.array(z.string()).default([]) }).parse(await run(given));
      expect(notes.join(' ')).not.toContain('日');
      // A machine with the fonts of every script has nothing to say.
      for (const note of notes) expect(note).toMatch(/^No font on my machine has these letters, .*: \u{1e900}\. /u);
    } finally {
      if (before === undefined) delete process.env.XDG_DATA_HOME;
      else process.env.XDG_DATA_HOME = before;
    }
  });

  it('draws a file of the task, and no other', async () => {
    const file = {
      title: 'data.csv',
      type: 'text/csv',
      name: 'data.csv',
      content: Buffer.from('n,v\na,7'),
      origin: 'user',
    } as const;
    await openTask(home, 'task1').artifacts.create(file);
    expect(await run({ title: 'F', type: 'line', file: 'data.csv' })).toMatchObject({ series: [{ max: 7 }] });
    await openTask(home, 'task2').artifacts.create({ ...file, title: 'other.csv', name: 'other.csv' });
    for (const other of ['other.csv', 'artifacts/task2/other.csv', '../config.yaml', '/etc/passwd'])
      await expect(run({ title: 'F', type: 'line', file: other })).rejects.toBeInstanceOf(UserError);
    await openTask(home, 'task1').artifacts.create({
      ...file,
      title: 'x.png',
      name: 'x.png',
      content: Buffer.from([0, 1, 2]),
    });
    await expect(run({ title: 'F', type: 'line', file: 'x.png' })).rejects.toThrow(/isn't text/);
    await expect(run({ title: 'F', type: 'line' })).rejects.toThrow(/either data/);
    await expect(run({ title: 'F', type: 'line', data: 'a\n1', file: 'data.csv' })).rejects.toThrow(/either data/);
  });

  it.each([
    ['chart', 'chart', { title: 'T', type: 'bar', data: 'a\n1' }, { type: 'sketch' }],
    ['web', 'web-fetch', { url: 'https://example.com' }, { what: 'all' }],
  ])('the skill in %s says what the tool takes', (folder, name, right, wrong) => {
    const file = join(import.meta.dirname, `../../src/skills/${folder}/SKILL.md`);
    const skill = parseSkill(readFileSync(file, 'utf8'), { file, level: 'bundled', reserved: new Set() });
    expect(skill.name).toBe(name);
    const tool = bundled(name, scope());
    const shape = z.object({
      properties: z.record(z.string(), z.object({ type: z.string(), enum: z.array(z.string()).optional() })),
      required: z.array(z.string()),
    });
    const schemaOf = (schema: z.ZodType) => shape.parse(z.toJSONSchema(schema, { target: 'draft-7', io: 'input' }));
    const both = toInputSchema(skill)
      .transform((given): unknown => given)
      .pipe(tool.input);
    expect(schemaOf(both)).toEqual(schemaOf(tool.input));
    expect(both.parse(right)).toEqual(right);
    expect(both.safeParse({ ...right, ...wrong }).success).toBe(false);
  });
});
