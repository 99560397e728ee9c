/** An answer as it grows: what is parsed in parts reads as what is parsed whole, at every length. */
import { describe, expect, it } from 'vitest';
import { settledEnd } from '../../../src/board/ui/parts/growing.ts';
import { loadMarkdown } from '../../../src/channels/markdown/parse.ts';

const parse = await loadMarkdown();

const DOCUMENTS: readonly (readonly [string, string])[] = [
  ['paragraphs', 'One **bold** line.\n\nAnother, with `code`.\n\nAnd the last.'],
  ['a list with a pause', '- one\n\n- two\n\n  more of two\n\n- three\n\nAfter it.\n\n1. a\n\n2. b\n\nEnd.'],
  ['code with empty lines', 'Before.\n\n```ts\nconst a = 1;\n\nconst b = 2;\n\nlast\n```\n\nAfter.\n\nEnd.'],
  ['code that never ends', 'Before.\n\n~~~\na\n\nb\n\nc'],
  ['a table', 'Look:\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\nThen *more*.\n\n> A quote\n\n> another\n\nEnd.'],
  ['headings and rules', '# Head\n\nText\n\n***\n\n## Next\n\nText\n\nUnder\n=====\n\nEnd'],
  ['a formula', 'So\n\n$$\na = b\n\nc = d\n$$\n\nwhich is it.\n\nEnd.'],
  ['definitions', 'See [this][one].\n\nAnd that.\n\n[one]: https://example.org/\n\nEnd.'],
  ['hostile', '\n\n\n\n[x](javascript:alert(1))\n\n<script>\n\nalert(1)\n\n</script>\n\n    indented\n\nEnd'],
];

describe('a growing text', () => {
  it.each(DOCUMENTS)('of %s reads the same in parts', (_what, text) => {
    for (let length = 1; length <= text.length; length += 1) {
      const now = text.slice(0, length);
      const end = settledEnd(now);
      const parts = [now.slice(0, end), now.slice(end)].flatMap((part) =>
        part.trim() === '' ? [] : parse(part).blocks,
      );
      expect(parts, JSON.stringify(now)).toEqual(now.trim() === '' ? [] : parse(now).blocks);
    }
  });

  it('is parsed again in its newest part alone', () => {
    const text = Array.from({ length: 500 }, (_, n) => `Paragraph ${n} of it.`).join('\n\n');
    expect(text.length - settledEnd(text)).toBeLessThan(30);
    expect(settledEnd(`${text}\n\n- and a list`)).toBeGreaterThan(text.length - 30);
    // Each part that settles goes on from the one before.
    for (let length = 2, before = 0; length < 2_000; length += 1) {
      const end = settledEnd(text.slice(0, length));
      expect(end).toBeGreaterThanOrEqual(before);
      before = end;
    }
  });
});
