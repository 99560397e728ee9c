/** Which step of a plan is which after a change: what stays, what is new, and that nothing is guessed; whatever is thrown at it. */

import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openTask } from '../../src/workspace/tasks/index.ts';
import { followSteps, type KnownSteps, type NamedStep, standsAt } from '../../src/workspace/tasks/plan-steps.ts';
import { newHome } from './home-helper.ts';

const NOTHING: KnownSteps = { steps: [], gone: [] };
const step = (title: string): NamedStep => ({ title });
const keysIn = ({ steps }: KnownSteps) => steps.map(({ key }) => key);

/** Where each step was, by its key; '-' for a new one. */
function traced(before: string, after: string): string {
  const old = followSteps(NOTHING, before.split(',').map(step));
  const now = followSteps(old, after.split(',').map(step));
  expect(new Set(keysIn(now)).size).toBe(now.steps.length);
  return keysIn(now)
    .map((key) => keysIn(old).indexOf(key) + 1 || '-')
    .join('');
}

describe('by its words alone', () => {
  const TABLE: [before: string, after: string, from: string][] = [
    ['a,b,c', 'a,b,c', '123'],
    ['a,b,c', 'c,a,b', '312'],
    ['a,b,c', 'a,c', '13'],
    ['a,b,c', 'x,a,b,y,c', '-12-3'],
    ['a,a', 'a,a', '12'],
    ['a,a', 'a', '-'],
    ['t,d,t', 't,d,t,x', '123-'],
    ['t,d,t', 'x,t,d,t', '-123'],
    ['t,d,t', 'd,t', '23'],
    ['t,d,t', 't,d', '12'],
    ['t,d,t', 't,t,d', '--2'],
    ['a,t,d,t,e', 'a,t,d,t,t,e', '123--5'],
    ['a,paint,c', 'a,paint the wall,c', '123'],
    ['a,paint the wall,c', 'a,paint,c', '123'],
    ['a,Call Ana,c', 'a,Call Eva,c', '1-3'],
    ['a,b,c', 'a,b more,c more', '1--'],
    ['paint', 'Paint: the wall', '1'],
    ['a,Book the trian to Vienna,c', 'a,Book the train to Vienna,c', '123'],
    ['a,Write teh report,c', 'a,Write the report.,c', '123'],
    ['Wirte to Ana,Wirte to Eva', 'Write to Ana,Write to Eva', '12'],
    ['a,Write the report,c', 'a,**Write** the final report for Bob,c', '123'],
    ['a,Check the acommodation,c', 'a,Check the accommodation,c', '123'],
    ['a,Delete backup 1,c', 'a,Delete backup 2,c', '1-3'],
    ['a,Delete backup 1,c', 'a,Delete backup 12,c', '1-3'],
    ['a,Book it,c', 'a,Cook it,c', '1-3'],
    ['a,Book the hotel,c', 'a,Cancel the flight,c', '1-3'],
    ['a,Book the trian,c', 'a,c,Book the train', '13-'],
    ['a,Book the trian,c', 'a,x,Book the train,c', '1--3'],
    ['a,b', 'x,y', '--'],
  ];
  it.each(TABLE)('%s becomes %s', (before, after, from) => {
    expect(traced(before, after)).toBe(from);
  });

  it('never gives the name of one that is gone to another', () => {
    let known = followSteps(NOTHING, ['a', 'b'].map(step));
    const seen = new Set(keysIn(known));
    for (let round = 0; round < 20; round++) {
      known = followSteps(known, [step('a')]);
      known = followSteps(known, ['a', 'b'].map(step));
      expect(seen.has(keysIn(known)[1] ?? '')).toBe(false);
      seen.add(keysIn(known)[1] ?? '');
    }
  });

  it('takes a moment for thirty thousand lines that are all the same', () => {
    const many = (n: number) => Array.from({ length: n }, () => step('a'));
    const began = performance.now();
    const known = followSteps(followSteps(NOTHING, many(30_000)), many(29_999));
    expect(known.steps).toHaveLength(29_999);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

describe('by what whoever changed it says', () => {
  it('two of the same words are moved, dropped and added for what they are', () => {
    const old = followSteps(NOTHING, ['t', 'd', 't'].map(step));
    const [first, second, third] = keysIn(old);
    const named = (...list: [number, string][]) => list.map(([from, title]) => ({ id: standsAt(from), title }));
    expect(keysIn(followSteps(old, named([2, 't'], [0, 't'], [1, 'd'])))).toEqual([third, first, second]);
    expect(keysIn(followSteps(old, named([1, 'd'], [2, 't'])))).toEqual([second, third]);
    const added = followSteps(old, [...named([0, 't'], [1, 'd'], [2, 't']), { id: '', title: 't' }]);
    expect(keysIn(added).slice(0, 3)).toEqual([first, second, third]);
    // Nobody is two, and no place is believed where other words stand.
    expect(new Set(keysIn(followSteps(old, named([0, 't'], [0, 't'], [1, 'x'])))).size).toBe(3);
  });
});

it('survives what is kept of it being lost or damaged, and two changes at once', async () => {
  const home = await newHome();
  const plan = '## Goal\nx\n\n## Plan\n- [ ] t\n- [ ] d\n- [ ] t\n';
  await openTask(home, 'task-1').plan.write(plan);
  const file = `${home.cache}/plan-steps/task-1.json`;
  expect(fs.existsSync(file)).toBe(false);
  const { keys = [] } = (await openTask(home, 'task-1').plan.readNamed()) ?? {};
  expect(new Set(keys).size).toBe(3);
  for (const text of ['', '{', '[]', '{"steps":[{"key":1}],"gone":{}}', 'x'.repeat(100_000)]) {
    fs.writeFileSync(file, text);
    expect((await openTask(home, 'task-1').plan.readNamed())?.keys).toEqual(keys);
  }
  fs.rmSync(file);
  expect((await openTask(home, 'task-1').plan.readNamed())?.keys).toEqual(keys);
  const [a, b] = await Promise.all([
    openTask(home, 'task-1').plan.write(plan.replace('- [ ] d\n', '- [ ] d\n- [ ] e\n')),
    openTask(home, 'task-1').plan.readNamed(),
  ]);
  expect(a.written).toBe(true);
  expect(b?.keys.filter((key) => keys.includes(key))).toEqual(keys);
  expect(fs.readFileSync(`${home.taskDir('task-1')}/task.md`, 'utf8')).toBe(
    plan.replace('- [ ] d\n', '- [ ] d\n- [ ] e\n'),
  );
});
