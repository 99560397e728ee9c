import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadMarkdown, parseMarkdown } from '../../../src/channels/markdown/parse.ts';
import { NO_FEATURES, type Rich } from '../../../src/channels/markdown/rich.ts';
import { splitRich } from '../../../src/channels/markdown/split.ts';
import { huge, nasty, PROPERTY_TIMEOUT, runs } from './nasty.ts';

const plain = (text: string): Rich => ({ text, spans: [], features: NO_FEATURES });
const texts = (parts: Rich[]) => parts.map((part) => part.text);

/** Every character that is no blank, with the formatting it has. */
function formattedCharacters(parts: Rich[]): string {
  let all = '';
  for (const { text, spans } of parts) {
    const formats: string[] = Array.from({ length: text.length }, () => '');
    for (const { start, end, ...format } of spans) {
      const name = Object.values(format).join();
      for (let at = start; at < end; at++) formats[at] += name;
    }
    for (const [at, format] of formats.entries()) if (/\S/.test(text.charAt(at))) all += text.charAt(at) + format;
  }
  return all;
}

/** Where each part stands in the whole. */
function startsOf(whole: string, parts: Rich[]): number[] {
  let at = 0;
  return parts.map(({ text }) => {
    while (!whole.startsWith(text, at) && /\s/.test(whole.charAt(at))) at++;
    if (!whole.startsWith(text, at)) throw new Error(`the text goes on with something else at ${at}: ${text}`);
    at += text.length;
    return at - text.length;
  });
}

describe('where a cut falls', () => {
  test('between paragraphs before lines, lines before sentences, sentences before words', () => {
    expect(texts(splitRich(plain('one two\n\nthree. Four\nfive six'), 22))).toEqual([
      'one two\n\nthree. Four',
      'five six',
    ]);
    expect(texts(splitRich(plain('aaaa bbbb\n\ncc dd. ee'), 18))).toEqual(['aaaa bbbb', 'cc dd. ee']);
    expect(texts(splitRich(plain('Here it ends. Then it goes on.'), 20))).toEqual([
      'Here it ends.',
      'Then it goes on.',
    ]);
    expect(texts(splitRich(plain('alpha beta gamma delta'), 12))).toEqual(['alpha beta', 'gamma delta']);
  });

  test('a long word is not cut for the sake of a full part', () => {
    const url = `https://example.org/${'a'.repeat(60)}`;
    expect(texts(splitRich(plain(`See ${url} there`), 82))).toEqual(['See', url, 'there']);
  });

  test('after an ideographic full stop, where there are no blanks', () => {
    expect(texts(splitRich(plain('これは文です。これも文です。'), 10))).toEqual(['これは文です。', 'これも文です。']);
    expect(texts(splitRich(plain('彼は「はい。」と言った。'), 7))).toEqual(['彼は「はい。」', 'と言った。']);
  });

  test('never within a grapheme cluster', () => {
    const family = '👩‍👩‍👧‍👦';
    expect(texts(splitRich(plain(family.repeat(3)), 25))).toEqual([family.repeat(2), family]);
    expect(texts(splitRich(plain('🇩🇪🇫🇷🇮🇹'), 7))).toEqual(['🇩🇪', '🇫🇷', '🇮🇹']);
    // A blank that carries an accent is no place to cut.
    expect(texts(splitRich(plain('aaa bbb \u0301y'), 8))).toEqual(['aaa', 'bbb \u0301y']);
  });

  test('a cluster longer than a part is cut between characters, not within one', () => {
    const zalgo = `a${'\u0301'.repeat(30)}`;
    expect(texts(splitRich(plain(zalgo), 10)).map((text) => text.length)).toEqual([10, 10, 10, 1]);
    for (const part of splitRich(plain('👩‍👩‍👧‍👦'), 3)) expect(part.text.isWellFormed()).toBe(true);
    expect(texts(splitRich(plain('👍👍'), 1))).toEqual(['👍', '👍']);
  });
});

describe('formatting over a cut', () => {
  test('goes on in the next part', async () => {
    const parts = splitRich(await parseMarkdown('**one two three** [four five](https://a.example)'), 9);
    expect(parts).toMatchObject([
      { text: 'one two', spans: [{ kind: 'bold', start: 0, end: 7 }] },
      { text: 'three', spans: [{ kind: 'bold', start: 0, end: 5 }] },
      { text: 'four five', spans: [{ kind: 'link', url: 'https://a.example' }] },
    ]);
  });

  test('a code block is kept whole where it can be, and keeps its indentation where it cannot', async () => {
    const kept = splitRich(await parseMarkdown('Some words.\n\n```js\nlet a;\n\n  let b;\n```'), 22);
    expect(texts(kept)).toEqual(['Some words.', 'let a;\n\n  let b;']);
    const cut = splitRich(await parseMarkdown('```js\nfirst line\n\n    second line\n    third\n```'), 22);
    expect(texts(cut)).toEqual(['first line', '    second line', '    third']);
    for (const part of cut)
      expect(part.spans).toEqual([{ kind: 'pre', language: 'js', start: 0, end: part.text.length }]);
  });
});

test('nothing to show gives no part', () => {
  expect(splitRich(plain(''), 10)).toEqual([]);
  expect(splitRich(plain(' \n\u00a0 '), 1)).toEqual([]);
});

test('the unit of the limit may be the platform’s own', () => {
  const bytes = (text: string) => Buffer.byteLength(text);
  const parts = splitRich(plain('ä'.repeat(100)), 50, { measure: bytes });
  expect(parts.map((part) => part.text.length)).toEqual([25, 25, 25, 25]);
  expect(texts(splitRich(plain('👍'.repeat(4)), 3, { measure: bytes }))).toEqual(['👍', '👍', '👍', '👍']);
});

const LIMIT = fc.integer({ min: 20, max: 200 });

function check(whole: Rich, limit: number, unit?: (text: string) => number): void {
  const parts = splitRich(whole, limit, unit ? { measure: unit } : {});
  const measure = unit ?? ((text: string) => text.length);
  expect(parts.filter(({ text }) => measure(text) > limit || text.trim() === '' || text.trimEnd() !== text)).toEqual(
    [],
  );
  const segments = new Intl.Segmenter().segment(whole.text);
  const badCuts = startsOf(whole.text, parts).filter((start) => {
    const cluster = segments.containing(start);
    // A cluster that no part can hold, or whose base is a blank at the cut, is divided.
    return cluster && cluster.index !== start && measure(cluster.segment) <= limit && /^\S/.test(cluster.segment);
  });
  expect(badCuts).toEqual([]);
  expect(formattedCharacters(parts)).toBe(formattedCharacters([whole]));
}

test('parts are within the limit, cut between graphemes, and lose nothing but blanks', {
  timeout: PROPERTY_TIMEOUT,
}, async () => {
  const parse = await loadMarkdown();
  fc.assert(
    fc.property(nasty, LIMIT, (source, limit) => check(parse(source).rich, limit)),
    runs(),
  );
  fc.assert(
    fc.property(nasty, LIMIT, (source, limit) => check(parse(source).rich, limit, Buffer.byteLength)),
    runs(0.2),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 4, max: 40 }), (text, limit) =>
      check(plain(text), limit),
    ),
    runs(),
  );
});

test('64 kB', { timeout: PROPERTY_TIMEOUT }, async () => {
  const parse = await loadMarkdown();
  fc.assert(
    fc.property(huge, fc.constantFrom(200, 1024, 4096), (source, limit) => check(parse(source).rich, limit)),
    runs(0.01),
  );
});
