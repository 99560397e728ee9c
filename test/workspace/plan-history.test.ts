/** What a save from an editor becomes when the plan has changed since it was opened. */
import { describe, expect, it } from 'vitest';
import { settle } from '../../src/workspace/tasks/plan-history.ts';

const plan = (...steps: string[]) => ['## Goal', '', 'Ship it', '', '## Plan', '', ...steps, ''].join('\n');
const OPENED = plan('- [ ] collect numbers', '- [ ] write the report', '- [ ] send it');
const TICKED = plan('- [x] collect numbers', '- [ ] write the report', '- [ ] send it');

const withCarriageReturns = (text: string): string => text.replaceAll('\n', '\r\n');

describe('a save made from', () => {
  it.each<[string, string[], string, { text: string; isMerged?: boolean; loses?: boolean }]>([
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
      {
        text: plan(
          '- [ ] ask Kim',
          '- [ ] collect numbers',
          '- [ ] write the report',
          '- [ ] send it',
          '- [ ] celebrate',
        ),
        isMerged: true,
      },
    ],
    [
      'an older text that takes back nothing but ticks stands, and is told',
      [OPENED, TICKED],
      OPENED,
      { text: OPENED, loses: true },
    ],
    [
      'an older text, unchanged, takes no added step away',
      [OPENED, plan('- [ ] collect numbers', '- [ ] write the report', '- [ ] send it', '- [ ] celebrate')],
      OPENED,
      {
        text: plan('- [ ] collect numbers', '- [ ] write the report', '- [ ] send it', '- [ ] celebrate'),
        isMerged: true,
      },
    ],
    [
      'the newest text that takes a tick back stands, and is told',
      [TICKED],
      plan('- [ ] collect numbers', '- [ ] write the report', '- [ ] send it', '- [ ] celebrate'),
      {
        text: plan('- [ ] collect numbers', '- [ ] write the report', '- [ ] send it', '- [ ] celebrate'),
        loses: true,
      },
    ],
    [
      'an older text whose words were changed in both stands, and is told',
      [OPENED, plan('- [ ] collect figures', '- [ ] write the report', '- [ ] send it')],
      plan('- [ ] gather numbers', '- [ ] write the report', '- [ ] send it'),
      { text: plan('- [ ] gather numbers', '- [ ] write the report', '- [ ] send it'), loses: true },
    ],
    ['nothing that is known stands', [], OPENED, { text: OPENED }],
  ])('%s', (_what, known, text, becomes) => {
    const settled = { isMerged: false, loses: false, ...becomes };
    expect(settle(known, text)).toEqual(settled);
    // So it is whichever ends of lines the editor writes, and whichever it has written before.
    expect(settle(known.map(withCarriageReturns), text)).toEqual(settled);
    expect(settle(known, withCarriageReturns(text))).toEqual({ ...settled, text: withCarriageReturns(becomes.text) });
  });
});
