/** The catalogue: every message of every language can be read, is given the same as the English one, and becomes a sentence. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { translate } from '../../src/messages/arguments.ts';
import { de } from '../../src/messages/de.ts';
import { de as deLater } from '../../src/messages/de-later.ts';
import { en } from '../../src/messages/en.ts';
import { en as enLater } from '../../src/messages/en-later.ts';
import { es } from '../../src/messages/es.ts';
import { es as esLater } from '../../src/messages/es-later.ts';
import { compile } from '../../src/messages/format.ts';
import { languages, messagesIn, say, servedBy } from '../../src/messages/messages.ts';
import { examplesFor } from './examples.ts';
import { argumentsOf } from './read.ts';

type Catalogue = Readonly<Record<string, Readonly<Record<string, string>>>>;

const catalogues: Record<string, Catalogue> = {
  en: { ...en, ...enLater },
  de: { ...de, ...deLater },
  es: { ...es, ...esLater },
};

/** `area.key` with its text. */
const entries = (catalogue: Catalogue): [string, string][] =>
  Object.entries(catalogue).flatMap(([area, texts]) =>
    Object.entries(texts).map(([key, text]): [string, string] => [`${area}.${key}`, text]),
  );
const english = new Map(entries({ ...en, ...enLater }));

describe.each(Object.entries(catalogues))('the messages in %s', (language, catalogue) => {
  test('have the keys of the English ones', () => {
    expect(entries(catalogue).map(([key]) => key)).toEqual([...english.keys()]);
  });

  test('take the arguments of the English ones', () => {
    for (const [key, text] of entries(catalogue))
      expect([...argumentsOf(text, language).keys()], key).toEqual([
        ...argumentsOf(english.get(key) ?? '', 'en').keys(),
      ]);
  });

  test('become sentences, the short way and by the formatter alike', () => {
    const messages = messagesIn(language);
    for (const [key, text] of entries(catalogue)) {
      expect(text, `${key} quotes`).not.toMatch(/'[{}']/);
      for (const values of examplesFor(key, argumentsOf(text, language), language)) {
        const sentence = Reflect.apply(messages.text, messages, [key, values]);
        expect(sentence, key).toBe(compile(text, language)(values));
        expect(sentence, key).not.toMatch(/[{}]|undefined|\[object/);
        expect(sentence.trim(), key).not.toBe('');
      }
    }
  });
});

/** The forms of each counted noun, as branches for one and for several show them: `# file`, `# files`. */
const NOUN = /\{# (\p{L}+)[^{}]*\} other \{# (\p{L}+)/gu;

test.each(Object.entries(catalogues))('0, 1 and 2 of everything are counted as %s counts', (language, catalogue) => {
  const pairs = entries(catalogue).flatMap(([, text]) =>
    [...text.matchAll(NOUN)].map(([, one = '', more = '']) => [one, more]),
  );
  // `answers` is a verb as well: `Telegram answers`.
  const counted = pairs.filter(([one, more]) => one !== more && more !== 'answers');
  expect(counted.length).toBeGreaterThan(20);
  const after = (numbers: string, nouns: readonly (string | undefined)[]) =>
    new RegExp(`(?<![\\p{L}\\d.:]|\\ba )(?:${numbers}) (?:${[...new Set(nouns)].join('|')})(?!\\p{L})`, 'u');
  const ones = counted.map(([one]) => one);
  const wrong = {
    0: after('0', ones),
    1: after(
      '1',
      counted.map(([, more]) => more),
    ),
    2: after('2', ones),
  };
  const messages = messagesIn(language);
  const miscounted: string[] = [];
  for (const [key, text] of entries(catalogue)) {
    const taken = argumentsOf(text, language);
    for (const [n, pattern] of Object.entries(wrong))
      for (const values of examplesFor(key, taken, language)) {
        const numbers = [...taken].filter(([, kind]) => typeof kind === 'string').map(([name]) => [name, Number(n)]);
        const sentence = Reflect.apply(messages.text, messages, [key, { ...values, ...Object.fromEntries(numbers) }]);
        if (pattern.test(sentence)) miscounted.push(`${key}: ${sentence}`);
      }
  }
  expect(miscounted).toEqual([]);
});

/** Quotation marks and apostrophes of a language, and what its sentences don't use. */
const MARKS: Readonly<Record<string, readonly RegExp[]>> = {
  en: [/[’‘´“”„]/, /\b(?:do|does|did|could|would|is|are|was|were|have|has) not\b|\bcannot\b/i],
  de: [/[’‘´”]|\p{L}'\p{L}/u],
  // A question or an exclamation also begins with its mark.
  es: [/['’‘´“”„]/, /^[^¿]*\p{L}\?(?!\w)/u, /^[^¡]*\p{L}!/u],
};

/** What is typed stands in its own language, as it is typed. */
const QUOTED = /«[^»]*»/g;

test.each(Object.entries(catalogues))('%s has one kind of apostrophe, and English contracts', (language, catalogue) => {
  const odd = entries(catalogue).filter(([, text]) =>
    MARKS[language]?.some((mark) => mark.test(text.replace(QUOTED, ''))),
  );
  expect(odd).toEqual([]);
});

/** What stands in the place of a word on usage lines, which are the same in every language. */
const USAGE = /\b(?:ADDRESS|DIR|FILE|NAME|PHRASE|ROLE|SOURCE|VALUE)\b(?!=)/g;

test.each(Object.entries(catalogues))('the words of usage lines have their names in %s', (_, catalogue) => {
  for (const [key, text] of Object.entries(enLater.commandLine))
    for (const [word] of text.matchAll(USAGE))
      expect([key, catalogue.commandLine?.[key]?.match(USAGE)]).toEqual([key, expect.arrayContaining([word])]);
});

/** Areas that a terminal prints as they are. Most also reach the Board, whose findings and refusals are plain as well. */
const PRINTED =
  'backup checks cli commandLine config doctor expected jobFiles plugins requests schedules service setup skillFiles trace yaml';
/** The command line compares it with the gateway's answer, and prints that without its marks. */
const COMPARED = ['jobs.runsNow'];

test('no message that a terminal prints as it is has marks of Markdown', () => {
  const root = join(import.meta.dirname, '..', '..');
  const files = globSync('src/{cli/**,config/**,features/*/cli/**,channels/terminal/**}/*.ts', { cwd: root });
  const source = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const named = [...source.matchAll(/'([a-z]\w+\.\w+)'/gi)]
    .map(([, key = '']) => key)
    .filter((key) => english.has(key));
  expect(named.length).toBeGreaterThan(300);
  const printed = new Set([
    ...named,
    ...[...english.keys()].filter((key) => PRINTED.split(' ').includes(key.split('.')[0] ?? '')),
  ]);
  for (const key of COMPARED) expect(printed.delete(key), key).toBe(true);
  for (const [language, catalogue] of Object.entries(catalogues)) {
    const marked = entries(catalogue).filter(
      ([key, text]) => printed.has(key) && /`|\*\*|\]\(|^#|(?<!\w)_\w[^_]*_(?!\w)/.test(text),
    );
    expect(marked, language).toEqual([]);
  }
});

test('every language that is served is tested here', () => {
  expect(languages).toEqual(Object.keys(catalogues));
});

test.each([
  ['de', 'de'],
  ['de-AT', 'de'],
  ['DE', 'de'],
  ['de_AT.UTF-8', 'de'],
  ['de-Latn-1996', 'de'],
  ['en-US', 'en'],
  ['es-419', 'es'],
  ['es_MX.UTF-8', 'es'],
  ['fr', undefined],
  ['', undefined],
  ['C.UTF-8', undefined],
  ['constructor', undefined],
  ['__proto__', undefined],
  ['deutsch', undefined],
  ['de\n', undefined],
  [`de-${'x'.repeat(40)}`, 'de'],
  [undefined, undefined],
])('the tag %j is served by %s, else by English', (tag, language) => {
  expect(servedBy(tag)).toBe(language);
  expect(messagesIn(tag).language).toBe(language ?? 'en');
});

test('a missing and a misspelt argument are errors of types', () => {
  const { text } = messagesIn('de');
  const wrongs = () => [
    // @ts-expect-error the time is missing
    text('times.today'),
    // @ts-expect-error misspelt
    text('times.today', { tmie: '9' }),
    // @ts-expect-error no such message
    text('times.todya', { time: '9' }),
    // @ts-expect-error takes nothing
    text('common.yes', { time: '9' }),
    // @ts-expect-error one is missing
    say('times.later', { day: 'Mon' }),
    // @ts-expect-error counts are numbers
    translate({ a: 'x' } as const)({ a: '{n, plural, one {file} other {files of {who}}}' }),
    // @ts-expect-error the translation lacks an argument
    translate({ a: 'x {n}' } as const)({ a: 'x' }),
  ];
  expect(wrongs).toBeTypeOf('function');
  expect(
    translate({ a: '{n, plural, one {file} other {# of {who}}} {b}' } as const)({ a: '{b} {who} {n}' }),
  ).toBeDefined();
  expect(messagesIn('de').said(say('times.today', { time: '09:00' }))).toBe('heute um 09:00');
  const inside = say('times.today', { time: '09:00' });
  expect(messagesIn('de').text('times.today', { time: inside })).toBe('heute um heute um 09:00');
});

test('lists and times are said as the language says them', () => {
  const [english, german] = [messagesIn('en'), messagesIn('de')];
  expect(english.list(['a', 'b', 'c'])).toBe('a, b and c');
  expect(german.list(['a', 'b', 'c'], 'or')).toBe('a, b oder c');
  expect(german.number(12_345.5)).toBe('12.345,5');
  const spanish = messagesIn('es');
  expect(spanish.list(['a', 'b', 'c'])).toBe('a, b y c');
  expect(spanish.list(['a', 'idea'], 'and')).toBe('a e idea');
  expect(spanish.number(12_345.5)).toBe('12.345,5');
  const now = new Date('2026-11-22T22:30:00Z');
  const at = (text: string) => english.when(new Date(text), 'Europe/Berlin', now);
  expect(at('2026-11-22T22:45:00Z')).toBe('today at 23:45');
  expect(at('2026-11-23T08:00:00Z')).toBe('tomorrow (Mon) at 09:00');
  expect(at('2026-11-21T23:30:00Z')).toBe('today at 00:30');
  expect(at('2026-11-21T20:00:00Z')).toBe('yesterday at 21:00');
  expect(at('2026-12-01T08:00:00Z')).toBe('Tue, 1 Dec at 09:00');
  expect(at('2028-02-29T08:00:00Z')).toBe('Tue, 29 Feb 2028 at 09:00');
  expect(german.when(new Date('2026-11-23T08:00:00Z'), 'Europe/Berlin', now)).toBe('morgen (Mo) um 09:00');
  const inSpanish = (text: string) => spanish.when(new Date(text), 'Europe/Madrid', now);
  expect(inSpanish('2026-11-23T08:00:00Z')).toBe('mañana (lun) a las 09:00');
  expect(inSpanish('2026-12-01T08:00:00Z')).toBe('mar, 1 dic a las 09:00');
  // A time within a message that is put into words later.
  const due = say('jobs.missed', {
    name: 'A',
    due: { at: '2020-02-29T08:00:00Z', zone: 'Europe/Berlin' },
    zone: 'Berlin',
  });
  expect(german.said(due)).toMatch(/^Der Auftrag A war Sa, 29\. Feb\.? 2020 um 09:00 \(Berlin\) dran/);
  expect(english.said(due)).toMatch(/^The job A was due Sat, 29 Feb 2020 at 09:00 \(Berlin\)/);
});

test('a language, the formatter and texts of the terminal are loaded with the first sentence of theirs, not before', () => {
  const script = `
    import { createRequire } from 'node:module';
    import { messagesIn } from './src/messages/messages.ts';
    const isLoaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => file.endsWith('format.ts'));
    const others = () => Object.keys(createRequire(import.meta.url).cache).filter((file) => /(de|es)\\.ts$/.test(file));
    messagesIn('es');
    messagesIn('en').text('times.today', { time: '9' });
    process.stdout.write(String(others().length));
    messagesIn('de').text('times.today', { time: '9' });
    process.stdout.write(String(isLoaded()));
    process.stdout.write(String(others().length));
    messagesIn('de').text('common.more', { n: 2 });
    process.stdout.write(String(isLoaded()));
    const later = () => Object.keys(createRequire(import.meta.url).cache).filter((file) => file.endsWith('-later.ts'));
    process.stdout.write(String(later().length));
    process.stdout.write(messagesIn('de').text('cli.noLogins') + later().length);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout).toBe('0false1true0Auf dem Board ist niemand angemeldet.1');
});
