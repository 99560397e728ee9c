import fc from 'fast-check';
import { expect, test } from 'vitest';
import { append, cover, edit, editsOutside, type Inline, plainInline } from '../../../src/channels/markdown/rich.ts';
import { runs } from './nasty.ts';

const bold = (text: string, start: number, end: number): Inline => ({ text, spans: [{ kind: 'bold', start, end }] });

test('an insertion at the edge of a span stays outside of it, a replacement within', () => {
  const insert = (at: number) => edit(bold('abcd', 1, 3), [{ at, remove: 0, insert: 'XY' }]);
  expect(insert(1)).toEqual(bold('aXYbcd', 3, 5));
  expect(insert(2)).toEqual(bold('abXYcd', 1, 5));
  expect(insert(3)).toEqual(bold('abcXYd', 1, 3));
  expect(edit(bold('abcd', 1, 3), [{ at: 1, remove: 1, insert: 'XY' }])).toEqual(bold('aXYcd', 1, 4));
  expect(edit(bold('abcd', 1, 3), [{ at: 2, remove: 1, insert: 'XY' }])).toEqual(bold('abXYd', 1, 4));
});

test('a span whose text is gone is gone', () => {
  expect(edit(bold('abcd', 1, 3), [{ at: 0, remove: 4, insert: '' }])).toEqual(plainInline(''));
  expect(edit(bold('abcd', 1, 3), [{ at: 2, remove: 2, insert: '' }])).toEqual(bold('ab', 1, 2));
});

test('what lies inside a span of a kind is left alone', () => {
  const text: Inline = { text: 'a1 b2 c3', spans: [{ kind: 'code', start: 3, end: 5 }] };
  const edits = editsOutside(text, /\d/g, new Set(['code']), (match) => ({ at: match.index, remove: 1, insert: '' }));
  expect(edit(text, edits)).toEqual({ text: 'a b2 c', spans: [{ kind: 'code', start: 2, end: 4 }] });
});

test('what is appended brings its spans along; a span over nothing is none', () => {
  const all = plainInline('x ');
  cover(all, { kind: 'italic' }, () => append(all, bold('abc', 1, 2)));
  cover(all, { kind: 'bold' }, () => append(all, plainInline('')));
  expect(all).toEqual({
    text: 'x abc',
    spans: [
      { kind: 'italic', start: 2, end: 5 },
      { kind: 'bold', start: 3, end: 4 },
    ],
  });
});

test('edits keep the formatting of every character that stays', () => {
  const range = fc
    .tuple(fc.nat(20), fc.nat(20))
    .map(([a, b]) => ({ kind: 'bold' as const, start: Math.min(a, b), end: Math.max(a, b) + 1 }));
  const change = fc.record({ gap: fc.nat(4), remove: fc.nat(3), insert: fc.constantFrom('', '1', '23') });
  fc.assert(
    fc.property(fc.array(range, { maxLength: 3 }), fc.array(change, { maxLength: 5 }), (spans, changes) => {
      const text = 'abcdefghijklmnopqrstu';
      let from = 0;
      const edits = changes.flatMap(({ gap, remove, insert }) => {
        const at = from + gap;
        from = at + Math.max(remove, 1);
        return at + remove <= text.length ? [{ at, remove, insert }] : [];
      });
      const after = edit({ text, spans }, edits);
      for (const letter of text) {
        const before = text.indexOf(letter);
        const now = after.text.indexOf(letter);
        if (now === -1) continue;
        const count = (all: Inline['spans'], at: number) =>
          all.filter(({ start, end }) => start <= at && at < end).length;
        expect(count(after.spans, now)).toBe(count(spans, before));
      }
    }),
    runs(),
  );
});
