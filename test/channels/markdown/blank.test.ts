/** What shows nothing once it is rendered, and what only looks as if. */
import { expect, it } from 'vitest';
import { isBlank } from '../../../src/channels/markdown/blank.ts';

it.each([
  ['nothing', ''],
  ['blanks', ' \n\t \u00a0\u3000\u2003'],
  ['zero-width', '\u200b\u200c\u200d\u2060\ufeff'],
  ['bidirectional marks', '\u200e\u200f\u202a\u202e\u2066\u2069\u061c'],
  ['fillers of Hangul', '\u115f\u1160\u3164\uffa0'],
  ['empty Braille', '\u2800\u2800'],
  ['variation selectors', '\ufe0f\ufe0e\u{e0100}\u180b'],
  ['tags', '\u{e0001}\u{e0041}\u{e007f}'],
  ['soft hyphens', '\u00ad\u00ad'],
  ['marks without a letter', '\u0301\u0308\u20dd'],
  ['controls', '\u0000\u0007\u001b'],
  ['an entity', '&nbsp;'],
  ['a number of one', '&#x200B; &#8203;'],
  ['entities', '&nbsp;&ZeroWidthSpace;&#8203;'],
  ['empty emphasis', '**  **'],
  ['more empty emphasis', '__ __\n~~ ~~'],
  ['an empty link', '[]()'],
  ['a rule', '---'],
  ['a comment', '<!-- nothing to see -->'],
  ['comments and blanks', '<!-- a -->\n\n\u200b<!-- b -->'],
  ['a reference', '[//]: # (hidden)'],
  ['an empty code fence', '```\n```'],
  ['an empty code fence of a language', '```json\n\n```'],
  ['an empty quote', '>\n>'],
  ['zero-width in bold', '**\u200b**'],
])('%s is blank', async (_what, text) => {
  expect(await isBlank(text)).toBe(true);
});

it.each([
  ['a word', 'Yes'],
  ['a digit', '7'],
  ['an entity of a letter', '&#65;'],
  ['a named letter', '&lt;'],
  ['an emoji with a selector', '❤️'],
  ['a family of emoji', '👨‍👩‍👧'],
  ['punctuation', '?'],
  ['an operator', '*'],
  ['another operator', '**'],
  ['marks in code', '`****`'],
  ['an empty list of a program', '`[]`'],
  ['Hangul', '한글'],
  ['Persian with a joiner', 'می‌خواهم'],
  ['a letter with a mark', 'e\u0301'],
  ['a letter behind zero-width', '\u200bok'],
  ['a word in a comment and one beside it', '<!-- x --> y'],
  ['an open comment', '<!-- open'],
  ['an image', '![](https://example.com/a.png)'],
  ['a link without words', '[](https://example.com)'],
  ['a list', '- a'],
  ['a bigger sign', '>'],
  ['a table', '| a |\n|---|\n| b |'],
  ['code', '```\nx\n```'],
])('%s is not', async (_what, text) => {
  expect(await isBlank(text)).toBe(false);
});

it('takes no longer for a long hostile text', async () => {
  const began = performance.now();
  expect(await isBlank('<!--'.repeat(100_000))).toBe(false);
  expect(await isBlank('\u200b'.repeat(1_000_000))).toBe(true);
  expect(performance.now() - began).toBeLessThan(10_000);
});
