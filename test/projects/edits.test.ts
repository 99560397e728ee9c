/** Exact replacements in a text. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { applyEdits } from '../../src/features/projects/edits.ts';

const FILE = 'one\ntwo\n  three = 3;\ntwo\nfive\n';

describe('edits', () => {
  test.each(
    // biome-ignore format: a row is a line
    [
      ['one place', [{ old: 'three = 3', new: 'three = 4' }], FILE.replace('= 3', '= 4'), ['3-3']],
      ['every place', [{ old: 'two', new: '2', all: true }], FILE.replaceAll('two', '2'), ['2-2 and 1 more']],
      ['one after the other', [{ old: 'one', new: 'ten\nsix' }, { old: 'six\ntwo', new: '7' }], 'ten\n7\n  three = 3;\ntwo\nfive\n', ['1-2', '2-2']],
      ['line ends of Windows in the call', [{ old: 'one\r\ntwo', new: '1\r\n2' }], FILE.replace('one\ntwo', '1\n2'), ['1-2']],
      ['a dollar sign', [{ old: 'five', new: "$& $1 $'" }], FILE.replace('five', () => "$& $1 $'"), ['5-5']],
    ],
  )('change %s', (_what, edits, text, lines) => {
    expect(applyEdits(FILE, edits)).toEqual({ text, lines });
  });

  test.each(
    // biome-ignore format: a row is a line
    [
      ['nothing like it', [{ old: 'seven', new: '7' }], '"old" is not in the file. Nothing was changed.'],
      ['other spaces', [{ old: 'three=3;', new: '3' }], '"old" is not in the file; line 3 is the most similar:\ntwo\n  three = 3;\n'],
      ['several places', [{ old: 'two', new: '2' }], '"old" is there 2 times, in lines 2, 4: add the lines around it'],
      ['no change', [{ old: 'two', new: 'two', all: true }], '"old" and its replacement are the same'],
      [
        'growth without end',
        Array.from({ length: 40 }, () => ({ old: 'e', new: 'ee'.repeat(50), all: true })),
        'would make the file larger than 1000000 characters. Nothing was changed.',
      ],
      ['the second of two', [{ old: 'one', new: '1' }, { old: 'one', new: '1' }], '"old" of edit 2 is not in the file'],
    ],
  )('are refused for %s', (_what, edits, message) => {
    expect(() => applyEdits(FILE, edits)).toThrow(message);
  });

  it('change nothing but the piece', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', 'ß', ' ') });
    fc.assert(
      fc.property(text, text, text, (before, after, put) => {
        const { text: now } = applyEdits(`${before}<old>${after}`, [{ old: '<old>', new: `<${put}>` }]);
        expect(now).toBe(`${before}<${put}>${after}`);
      }),
    );
  });
});
