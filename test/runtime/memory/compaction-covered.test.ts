/** Which runs may be covered, for any order in which runs begin, wait, go on and end. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choosePart } from '../../../src/features/memory/covered.ts';
import type { SessionLine } from '../../../src/workspace/tasks/index.ts';
import type { SessionEntry } from '../../../src/workspace/types.ts';
import { answered, said } from './compaction-fixtures.ts';

const AT = '2026-11-21T10:00:00.000Z';
const LENGTH = 100;

/** Lines as they would stand in a file in which each is 100 bytes long. */
const linesOf = (entries: readonly SessionEntry[]): SessionLine[] =>
  entries.map((entry, index) => ({ offset: index * LENGTH, entry }));

const choose = (entries: readonly SessionEntry[], more: Partial<Parameters<typeof choosePart>[1]> = {}) =>
  choosePart(linesOf(entries), {
    ...{ end: entries.length * LENGTH, isCut: false, keep: new Set<string>(), maxTokens: 1_000, waits: () => true },
    ...more,
  });

const approval = (run: string): SessionEntry => ({
  ...{ type: 'approval', id: `ask-${run}`, run, at: AT, kind: 'tool', callId: 'c', tool: 't', input: {}, digest: 'd' },
});
const decision = (run: string): SessionEntry => ({
  ...{ type: 'decision', run, at: AT, approval: `ask-${run}`, verdict: 'approve', by: 'x' },
});

type Fate = 'ends' | 'waits' | 'waits and ends' | 'is steered' | 'is at work';

/** A lane's life: runs begin one after the other, those that wait end later, between or after others. */
const lives = fc
  .array(fc.constantFrom<Fate>('ends', 'ends', 'ends', 'waits', 'waits and ends', 'is steered'), { maxLength: 12 })
  .chain((fates) =>
    fc.record({ fates: fc.constant(fates), delays: fc.array(fc.nat(4), { minLength: 12, maxLength: 12 }) }),
  )
  .map(({ fates, delays }) => {
    const slots: SessionEntry[][] = Array.from({ length: fates.length + 6 }, () => []);
    const unfinished = new Set<string>();
    const steered = new Set<string>();
    for (const [n, fate] of fates.entries()) {
      const run = `r${n}`;
      slots[n]?.push(said(run, `words of ${run}`));
      if (fate === 'ends') slots[n]?.push(answered(run, 'done'));
      if (fate === 'is steered') slots[n]?.push(answered(run, '', 'steered'));
      if (fate === 'is steered') steered.add(run);
      if (fate === 'waits' || fate === 'waits and ends') slots[n]?.push(approval(run));
      if (fate === 'waits') unfinished.add(run);
      if (fate === 'waits and ends') slots[n + 1 + (delays[n] ?? 0)]?.push(decision(run), answered(run, 'done'));
    }
    const entries = [...slots.flat(), said('last', 'at work')];
    return { entries, unfinished: unfinished.add('last'), steered };
  });

describe('the part that may be covered', () => {
  it('is a beginning of the file that holds whole runs only, all of them over', () => {
    fc.assert(
      fc.property(lives, fc.integer({ min: 1, max: 60 }), ({ entries, unfinished, steered }, maxTokens) => {
        let from = 0;
        for (let parts = 0; parts < 40; parts++) {
          const rest = entries.slice(from);
          const part = choose(rest, { maxTokens });
          if (!part) break;
          const count = part.end / LENGTH;
          const runs = (some: readonly SessionEntry[]) =>
            new Set(some.flatMap((entry) => ('run' in entry ? [entry.run] : [])));
          const covered = runs(rest.slice(0, count));
          expect(count).toBeGreaterThan(0);
          expect([...covered].filter((run) => unfinished.has(run) || runs(rest.slice(count)).has(run))).toEqual([]);
          const last = rest[count - 1];
          expect(last && 'run' in last && last.run).toBe(part.through);
          const order = [...covered];
          expect(steered.has(order.at(-1) ?? '')).toBe(false);
          from += count;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is as large as it may be', () => {
    const entries = [0, 1, 2, 3].flatMap((n) => [said(`r${n}`, 'x'.repeat(400)), answered(`r${n}`, 'y'.repeat(400))]);
    expect(choose([...entries, said('now', 'z')])?.end).toBe(8 * LENGTH);
    expect(choose([...entries, said('now', 'z')], { maxTokens: 500 })?.end).toBe(4 * LENGTH);
    expect(choose([...entries, said('now', 'z')], { maxTokens: 1 })?.through).toBe('r0');
    expect(choose([...entries, said('now', 'z')], { keep: new Set(['r1']) })?.through).toBe('r0');
  });

  it('never holds the last run of a session, nor one whose end is not seen yet', () => {
    expect(choose([said('a', 'x'), answered('a', 'y')])).toBeUndefined();
    expect(choose([said('a', 'x')], { isCut: true })).toBeUndefined();
    expect(choose([said('a', 'x'), answered('a', 'y')], { isCut: true })?.through).toBe('a');
  });

  it('begins with a question that nobody keeps any more', () => {
    const entries = [said('a', 'x'), approval('a'), said('b', 'x'), answered('b', 'y'), said('now', 'z')];
    expect(choose(entries)).toBeUndefined();
    expect(choose(entries, { waits: () => false })?.through).toBe('b');
  });
});
