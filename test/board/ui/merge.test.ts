/** Two people write into one file: whatever they do, what each of them wrote is in the text that is shown in the end. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeTexts } from '../../../src/board/ui/editor/merge.ts';
import { stepsIn, ticked } from '../../../src/board/ui/parts/plan-text.ts';

const labels = { mine: 'Yours', theirs: 'As it stands now' };

describe('two texts that were made from one', () => {
  test('are both kept where they do not touch', () => {
    const merged = mergeTexts('a\nb\nc\nd\nmine', 'a\nb\nc\nd', 'theirs\na\nb\nc\nd', labels);
    expect(merged).toEqual({ text: 'theirs\na\nb\nc\nd\nmine', conflicts: 0 });
  });

  test('stand between marks where they do', () => {
    const merged = mergeTexts('a\nmine\nc', 'a\nb\nc', 'a\ntheirs\nc', labels);
    expect(merged.conflicts).toBe(1);
    expect(merged.text).toBe('a\n<<<<<<< Yours\nmine\n=======\ntheirs\n>>>>>>> As it stands now\nc');
  });

  test('lose no line that either of them wrote, in 200 random interleavings', () => {
    const lines = fc.array(fc.constantFrom('one', 'two', 'three', '', '- four'), { maxLength: 12 });
    const edits = fc.array(fc.tuple(fc.nat(12), fc.boolean()), { maxLength: 5 });
    const edit = (text: string[], changes: [number, boolean][], name: string): string[] =>
      changes.reduce(
        (now, [at, isNew], index) => now.toSpliced(Math.min(at, now.length), isNew ? 0 : 1, `${name} ${index}`),
        text,
      );
    fc.assert(
      fc.property(lines, edits, edits, (base, ours, others) => {
        const mine = edit(base, ours, 'mine');
        const theirs = edit(base, others, 'theirs');
        const merged = mergeTexts(mine.join('\n'), base.join('\n'), theirs.join('\n'), labels).text.split('\n');
        for (const line of [...mine, ...theirs].filter((text) => /^(mine|theirs) /.test(text)))
          expect(merged).toContain(line);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the steps of a plan', () => {
  const plan = '## Plan\n- [x] One\n- [ ] Two (in progress)\n* [-] Three\n- no step';

  test('are read where they stand', () => {
    expect(stepsIn(plan).map(({ title, status, line }) => [line, title, status])).toEqual([
      [1, 'One', 'done'],
      [2, 'Two', 'in_progress'],
      [3, 'Three', 'skipped'],
    ]);
  });

  test('are ticked in the text, of which nothing else changes', () => {
    expect(ticked(plan, 2, true)).toBe(plan.replace('- [ ] Two (in progress)', '- [x] Two'));
    expect(ticked(plan, 1, false)).toBe(plan.replace('[x] One', '[ ] One'));
  });
});
