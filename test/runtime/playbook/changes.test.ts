/** What a supervisor's words mean, and which of its changes are made: never against constraints, people, or what is done. */
import { describe, expect, it } from 'vitest';
import { applyChanges, readChanges } from '../../../src/features/agents/playbook/changes.ts';
import { parsePlaybook } from '../../../src/features/agents/playbook/read-playbook.ts';
import { planOf } from '../../../src/features/agents/playbook/record.ts';
import type { StepStatus } from '../../../src/workspace/types.ts';

const PLAYBOOK = parsePlaybook(`# Playbook: notes

## Goal
Publish the notes.

## Steps
1. [Coder] List what changed.
2. [Writer] Write the notes.
   - Constraint: The notes name the version.
3. [Coder] Look for typos.
4. [Writer] Publish them.
   - Constraint: Only once.
5. Tell everybody.
`);
const [ONE, TWO, THREE, FOUR, FIVE] = planOf(PLAYBOOK).steps.map(({ title }) => title) as [
  string,
  string,
  string,
  string,
  string,
];

function revised(
  text: string,
  more: { statuses?: StepStatus[]; titles?: string[]; kept?: string[]; failed?: string } = {},
) {
  const plan = planOf(PLAYBOOK);
  const steps = plan.steps.map((step, at) => ({
    ...{ ...step, title: more.titles?.[at] ?? step.title, status: more.statuses?.[at] ?? step.status },
  }));
  const options = { kept: new Set(more.kept), failed: more.failed };
  return applyChanges({ ...plan, steps }, PLAYBOOK, readChanges(text), options);
}
const titles = (changed: ReturnType<typeof revised>) => changed?.plan.steps.map(({ title }) => title);

describe('words of a supervisor', () => {
  it.each(
    // biome-ignore format: a row is a line
    [
      ['KEEP', []],
      ['', []],
      ['The plan is fine as it stands; I would not SKIP 3.', []],
      ['SKIP 3: nothing to look for', [{ kind: 'skip', step: 3, why: 'nothing to look for' }]],
      ['- **skip** #3 — nothing', [{ kind: 'skip', step: 3, why: 'nothing' }]],
      ['SKIP 3', []],
      ['MOVE 5 before 2\nMOVE 1 AFTER 3.', [{ kind: 'move', step: 5, to: 2, isAfter: false }, { kind: 'move', step: 1, to: 3, isAfter: true }]],
      ['MOVE 5 somewhere', []],
      ['SPLIT 2: [Writer] Draft | [Writer] Polish', [{ kind: 'split', step: 2, parts: ['[Writer] Draft', '[Writer] Polish'] }]],
      ['SPLIT 2: only one', []],
      ['SPLIT 2: a | | b', []],
      [`SPLIT 2: ${'a | '.repeat(9)}b`, []],
      [`SPLIT 2: ${'a | '.repeat(10_000)}b`, []],
      ['SPLIT n: [Agent] first part | [Agent] second part\nSKIP n: the reason in one sentence', []],
      ['SPLIT 2: [Agent] first part | [Agent] second part', []],
      ['SPLIT 2: [Writer] Write | [Coder] write', []],
      ['SKIP 3: the reason in one sentence', []],
      ['KEEP\n\nFor example, these would be no good:\nSKIP 3: nothing to look for', []],
      ['**KEEP** – all is well.\nMOVE 5 BEFORE 2', []],
      ["I'm sorry, but I can't help with that.", []],
      ['ÜBERSPRINGE 3: nicht nötig', []],
      ['{"changes": [{"action": "skip", "step": 3}]}', []],
      ['SKIP step 3: nothing', [{ kind: 'skip', step: 3, why: 'nothing' }]],
      ['```\nMOVE Step 5 BEFORE step #2\n```', [{ kind: 'move', step: 5, to: 2, isAfter: false }]],
      [Array.from({ length: 500 }, () => 'MOVE 1 AFTER 2').join('\n'), Array.from({ length: 10 }, () => ({ kind: 'move', step: 1, to: 2, isAfter: true }))],
    ],
  )('%j', (text, changes) => expect(readChanges(text)).toEqual(changes));
});

describe('a change', () => {
  it('splits a step: its parts keep the agent and the constraints, and are not split or skipped themselves', () => {
    const changed = revised('SPLIT 2: Draft the notes | [coder] Polish them | [Stranger] Sign them');
    expect(titles(changed)).toEqual(
      // biome-ignore format: a list is filled
      [
        ONE, '[Writer] Draft the notes', '[Coder] Polish them', '[Writer] Sign them', THREE, FOUR, FIVE,
      ],
    );
    const [, draft, , sign] = changed?.playbook.steps ?? [];
    expect(draft?.constraints).toEqual([
      'This is part 1 of 3 of "Write the notes.". Do no more than this part.',
      'The notes name the version. (once all parts are done; this part must not work against it)',
    ]);
    expect(sign?.constraints.at(-1)).toBe('The notes name the version.');
    if (!changed) throw new Error('nothing was changed');
    for (const more of ['SPLIT 2: a | b', 'SKIP 2: no need'])
      expect(applyChanges(changed.plan, changed.playbook, readChanges(more), { kept: new Set() })).toBeUndefined();
  });

  it('splits nothing into itself and something beside it', () => {
    expect(revised('SPLIT 5: Tell everybody. | Celebrate')).toBeUndefined();
  });

  it('is one of a hundred in words of chance, and what may not change does not', () => {
    let seed = 7;
    const any = <T>(of: readonly T[]): T => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return of[seed % of.length] as T;
    };
    const line = () =>
      `${any(['SKIP', 'MOVE', 'SPLIT', 'KEEP?', 'Move'])} ${any([0, 1, 2, 3, 4, 5, 6, 999])}${any([' BEFORE ', ' AFTER ', ': ', ' '])}${any(['1', '2', '5', 'a | b', '[Hacker] a | [Writer] b | c', 'why'])}`;
    for (let round = 0; round < 300; round += 1) {
      const changed = revised(Array.from({ length: 12 }, line).join('\n'), { statuses: ['done'] });
      if (!changed) continue;
      const { plan, playbook } = changed;
      expect(plan.steps[0]).toMatchObject({ status: 'done' });
      expect(plan.steps.length).toBeLessThanOrEqual(50);
      expect(plan.steps.some(({ status }) => status === 'pending')).toBe(true);
      expect(new Set(playbook.steps.map(({ agent }) => agent))).toEqual(new Set(['Coder', 'Writer', undefined]));
      const bound = plan.steps.flatMap(({ title, status }) => (/Write the notes|Publish/.test(title) ? [status] : []));
      expect(bound).not.toContain('skipped');
      const constraints = JSON.stringify(playbook.steps.map((step) => step.constraints));
      for (const kept of ['The notes name the version.', 'Only once.']) expect(constraints).toContain(kept);
    }
  });

  it('skips what has no constraints, with its reason, once', () => {
    const changed = revised('SKIP 3: there are no typos');
    expect(changed?.plan.steps[2]?.status).toBe('skipped');
    expect(changed?.skipped).toEqual([{ key: `${THREE}#1`, why: 'there are no typos' }]);
    expect(revised('SKIP 2: no')).toBeUndefined();
    // Somebody wants it after all.
    expect(revised('SKIP 3: no', { kept: [`${THREE}#1`] })).toBeUndefined();
    expect(revised('SKIP 1: a\nSKIP 3: b\nSKIP 5: c')?.skipped).toHaveLength(3);
  });

  it('moves a step, but steps with constraints keep their order', () => {
    expect(titles(revised('MOVE 5 BEFORE 1'))).toEqual([FIVE, ONE, TWO, THREE, FOUR]);
    expect(titles(revised('MOVE 2 AFTER 3'))).toEqual([ONE, THREE, TWO, FOUR, FIVE]);
    expect(revised('MOVE 4 BEFORE 2')).toBeUndefined();
    expect(revised('MOVE 2 AFTER 5')).toBeUndefined();
    expect(revised('MOVE 1 BEFORE 1')).toBeUndefined();
  });

  it('leaves alone what is done, begun, added or reworded by a person, and numbers that mean nothing', () => {
    const statuses: StepStatus[] = ['done', 'in_progress', 'pending', 'pending', 'pending'];
    expect(
      revised('SKIP 1: x\nSPLIT 2: a | b\nMOVE 5 BEFORE 1\nMOVE 5 BEFORE 2\nSKIP 99: x', { statuses }),
    ).toBeUndefined();
    expect(revised('SKIP 3: x', { titles: [ONE, TWO, 'Look for typos twice', FOUR, FIVE] })).toBeUndefined();
    // One that was begun and did not pass may be split.
    expect(titles(revised('SPLIT 2: a | b', { statuses, failed: `${TWO}#1` }))?.slice(1, 3)).toEqual([
      '[Writer] a',
      '[Writer] b',
    ]);
  });

  it('takes numbers as they were shown, several at once', () => {
    const changed = revised('SPLIT 1: a | b\nSKIP 3: no typos\nMOVE 5 BEFORE 2');
    expect(titles(changed)).toEqual(['[Coder] a', '[Coder] b', FIVE, TWO, THREE, FOUR]);
    expect(changed?.plan.steps.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', '6']);
  });
});
