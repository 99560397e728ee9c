/** What a save from an editor becomes when the plan has changed since it was opened. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settle } from '../../src/workspace/tasks/plan-history.ts';
import { mergePlans } from '../../src/workspace/tasks/plan-merge.ts';

const plan = (...steps: string[]) => ['## Goal', '', 'Ship it', '', '## Plan', '', ...steps, ''].join('\n');
const OPENED = plan('- [ ] collect numbers', '- [ ] write the report', '- [ ] send it');
const LONG = '- [ ] the same\n'.repeat(20_000);
const TICKED = plan('- [x] collect numbers', '- [ ] write the report', '- [ ] send it');

const withCarriageReturns = (text: string): string => text.replaceAll('\n', '\r\n');

describe('a save made from', () => {
  it.each<[string, string[], string, { text: string; isMerged?: boolean; loses?: boolean }]>(
    // biome-ignore format: a row is a line
    [
      [
        'the newest text stands',
        [OPENED, TICKED],
        plan('- [x] collect numbers', '- [ ] write a SHORT report', '- [ ] send it'),
        { text: plan('- [x] collect numbers', '- [ ] write a SHORT report', '- [ ] send it') },
      ],
      [
        'an older text keeps the tick that came since',
        [OPENED, TICKED],
        plan('- [ ] collect numbers', '- [ ] write a SHORT report', '- [ ] send it'),
        { text: plan('- [x] collect numbers', '- [ ] write a SHORT report', '- [ ] send it'), isMerged: true },
      ],
      [
        'an older text keeps the tick of the very step that it puts in other words',
        [OPENED, TICKED],
        plan('- [ ] collect ALL numbers', '- [ ] write the report', '- [ ] send it'),
        { text: plan('- [x] collect ALL numbers', '- [ ] write the report', '- [ ] send it'), isMerged: true },
      ],
      [
        'an older text keeps a step that was added since',
        [OPENED, plan('- [ ] collect numbers', '- [ ] write the report', '- [ ] send it', '- [ ] celebrate')],
        plan('- [ ] ask Kim', '- [ ] collect numbers', '- [ ] write the report', '- [ ] send it'),
        { text: plan('- [ ] ask Kim', '- [ ] collect numbers', '- [ ] write the report', '- [ ] send it', '- [ ] celebrate'), isMerged: true },
      ],
      ['an older text that takes back nothing but ticks stands, and is told', [OPENED, TICKED], OPENED, { text: OPENED, loses: true }],
      [
        'an older text, unchanged, takes no added step away',
        [OPENED, plan('- [ ] collect numbers', '- [ ] write the report', '- [ ] send it', '- [ ] celebrate')],
        OPENED,
        { text: plan('- [ ] collect numbers', '- [ ] write the report', '- [ ] send it', '- [ ] celebrate'), isMerged: true },
      ],
      [
        'the newest text that takes a tick back stands, and is told',
        [TICKED],
        plan('- [ ] collect numbers', '- [ ] write the report', '- [ ] send it', '- [ ] celebrate'),
        { text: plan('- [ ] collect numbers', '- [ ] write the report', '- [ ] send it', '- [ ] celebrate'), loses: true },
      ],
      [
        'an older text whose words were changed in both stands, and is told',
        [OPENED, plan('- [ ] collect figures', '- [ ] write the report', '- [ ] send it')],
        plan('- [ ] gather numbers', '- [ ] write the report', '- [ ] send it'),
        { text: plan('- [ ] gather numbers', '- [ ] write the report', '- [ ] send it'), loses: true },
      ],
      ['nothing that is known stands', [], OPENED, { text: OPENED }],
      [
        'the newest text, which its step in progress shows, takes a tick back and a step out',
        [
          OPENED,
          plan('- [ ] collect numbers (in progress)', '- [ ] write the report', '- [ ] send it'),
          plan('- [x] collect numbers', '- [ ] write the report (in progress)', '- [ ] send it'),
        ],
        plan('- [ ] collect numbers', '- [ ] write the report (in progress)', '- [ ] thank everybody'),
        { text: plan('- [ ] collect numbers', '- [ ] write the report (in progress)', '- [ ] thank everybody'), loses: true },
      ],
      ['texts too long to be compared stands, and is told', [LONG, `${LONG}- [x] more\n`], `- [ ] first\n${LONG}`, { text: `- [ ] first\n${LONG}`, loses: true }],
      [
        'an older text keeps the tick of the step that a line is put before',
        [OPENED, TICKED],
        plan('- [ ] ask Kim', '- [ ] collect numbers', '- [ ] write the report', '- [ ] send it'),
        { text: plan('- [ ] ask Kim', '- [x] collect numbers', '- [ ] write the report', '- [ ] send it'), isMerged: true },
      ],
      [
        'an older text keeps the tick of the step that a line is put after, and of one in other words beside it',
        [OPENED, plan('- [x] collect numbers', '- [x] write the report', '- [ ] send it')],
        plan('- [ ] collect numbers', 'See the sheet.', '- [ ] write the annual report', '- [ ] send it'),
        { text: plan('- [x] collect numbers', 'See the sheet.', '- [x] write the annual report', '- [ ] send it'), isMerged: true },
      ],
      [
        'an older text keeps the tick of a step that it moves',
        [OPENED, TICKED],
        plan('- [ ] write the report', '- [ ] send it', '- [ ] collect numbers'),
        { text: plan('- [ ] write the report', '- [ ] send it', '- [x] collect numbers'), isMerged: true },
      ],
      [
        'an older text says in other words what has moved since',
        [OPENED, plan('- [ ] write the report', '- [x] collect numbers', '- [ ] send it')],
        plan('- [ ] collect all numbers', '- [ ] write the report', '- [ ] send it'),
        { text: plan('- [ ] write the report', '- [x] collect all numbers', '- [ ] send it'), isMerged: true },
      ],
      [
        'an older text numbers its steps anew, and keeps the tick and the step at work',
        [OPENED, plan('- [x] collect numbers', '- [ ] write the report (in progress)', '- [ ] send it')],
        plan('1. [ ] ask Kim', '2. [ ] collect numbers', '3. [ ] write the report', '4. [ ] send it'),
        { text: plan('1. [ ] ask Kim', '2. [x] collect numbers', '3. [ ] write the report (in progress)', '4. [ ] send it'), isMerged: true },
      ],
      [
        'an older text takes a step away that was ticked since, keeps the other tick, and is told',
        [OPENED, plan('- [x] collect numbers', '- [x] write the report', '- [ ] send it')],
        plan('- [ ] write the report', '- [ ] send it'),
        { text: plan('- [x] write the report', '- [ ] send it'), isMerged: true, loses: true },
      ],
      [
        'an older text puts another step in the place of one that was ticked since: the new one is not ticked',
        [OPENED, TICKED],
        plan('- [ ] ask Kim', '- [ ] write the report', '- [ ] send it'),
        { text: plan('- [ ] ask Kim', '- [ ] write the report', '- [ ] send it'), loses: true },
      ],
      [
        'an older text changes words that were changed since, and loses only those',
        [OPENED, plan('- [x] collect figures', '- [x] write the report', '- [ ] send it')],
        plan('- [ ] gather numbers', '- [ ] write the report', '- [ ] send it'),
        { text: plan('- [x] gather numbers', '- [x] write the report', '- [ ] send it'), isMerged: true, loses: true },
      ],
    ],
  )('%s', (_what, known, text, becomes) => {
    const settled = { isMerged: false, loses: false, ...becomes };
    expect(settle(known, text)).toEqual(settled);
    // So it is whichever ends of lines the editor writes, and whichever it has written before.
    expect(settle(known.map(withCarriageReturns), text)).toEqual(settled);
    expect(settle(known, withCarriageReturns(text))).toEqual({ ...settled, text: withCarriageReturns(becomes.text) });
  });
});

it('the same step that both have added is there once, and others of both are', () => {
  const opened = ['- [ ] collect numbers', '- [ ] send it'];
  const newest = plan(...opened, '- [x] ask Kim', '- [ ] rest');
  const merged = mergePlans(newest, plan(...opened), plan(...opened, '- [ ] ask Kim', '- [ ] celebrate'));
  expect(merged).toEqual({ text: plan(...opened, '- [x] ask Kim', '- [ ] rest', '- [ ] celebrate'), loses: false });
});

it('a save that adds, moves and ticks loses no tick and no step of those that came since, whatever their order', () => {
  const step = (title: string, isDone = false) => `- [${isDone ? 'x' : ' '}] ${title}`;
  const edits = fc.array(fc.tuple(fc.constantFrom('add', 'tick', 'move'), fc.nat(20), fc.nat(20)), { maxLength: 6 });
  const edited = (lines: string[], changes: [string, number, number][], by: string): string[] =>
    changes.reduce((now, [how, from, to], n) => {
      const at = from % now.length;
      if (how === 'tick') return now.with(at, (now[at] ?? '').replace('[ ]', '[x]'));
      const [line] = how === 'move' ? now.splice(at, 1) : [step(`${by} thing ${'abcdef'[n]}`)];
      return now.toSpliced(to % (now.length + 1), 0, line ?? '');
    }, lines.slice());
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), edits, edits, (count, since, saved) => {
      const opened = Array.from({ length: count }, (_, n) => step(`${'pqrstuvw'[n]} job`));
      const [newest, text] = [edited(opened, since, 'their'), edited(opened, saved, 'my')];
      const merged = mergePlans(plan(...newest), plan(...opened), plan(...text));
      const wanted = new Map([...newest, ...text].map((line) => [line.slice(6), false]));
      for (const line of [...newest, ...text]) if (line.startsWith('- [x]')) wanted.set(line.slice(6), true);
      const lines = merged.text.split('\n').filter((line) => line.startsWith('- ['));
      expect(lines.toSorted()).toEqual([...wanted].map(([title, isDone]) => step(title, isDone)).toSorted());
      expect(merged.loses).toBe(false);
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 300) },
  );
});
