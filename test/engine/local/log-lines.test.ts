import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { lineText, parseLine, replay } from '../../../src/engine/local/log-lines.ts';
import { tempFolder } from '../../helpers/temp.ts';

const replayed = (...lines: string[]) => {
  const file = path.join(tempFolder(), 'log.jsonl');
  fs.writeFileSync(file, lines.join(''));
  return replay(file);
};
const line = (op: string, state: string, key: string, more: object = {}) =>
  `${JSON.stringify({ op, state, key, ...(op === 'put' && { value: 1 }), ...more })}\n`;

describe('a line of the log', () => {
  it.each([
    { op: 'begin', at: '2026-01-31T00:00:00.000Z' },
    { op: 'put', state: 'new', key: 'a', value: null },
    { op: 'put', state: 'out', key: 'a', value: { text: 'x' } },
    { op: 'move', state: 'cur', key: 'a' },
    { op: 'done', state: 'cur', key: 'a', as: 'b' },
    { op: 'drop', state: 'out', key: 'a' },
  ] as const)('is what was written: $op $state', (given) => {
    expect(parseLine(lineText(given).trimEnd())).toEqual(given);
  });

  it.each(
    // biome-ignore format: a list is filled
    [
      '', 'begin', '{"op":"put"', 'null', '7', '"begin"', '[]', '{}', '{"at":"2026-01-31"}',
      '{"op":"put","state":"new","value":1}', '{"op":"put","key":"a","value":1}',
      '{"op":"put","state":"new","key":"a"}', '{"op":"put","state":"dead","key":"a","value":1}',
      '{"op":"put","state":"new","key":7,"value":1}', '{"op":"stir","state":"new","key":"a"}',
      '{"op":"move","key":"a"}', '{"op":"done","state":"new"}',
    ],
  )('is none of ours: %s', (text) => {
    expect(parseLine(text)).toBeUndefined();
  });
});

describe('what a segment holds', () => {
  it('is what its lines leave behind', () => {
    const found = replayed(
      '{"op":"begin","at":"2026-01-31T00:00:00.000Z"}\n',
      line('put', 'new', 'waits'),
      line('put', 'new', 'works'),
      line('move', 'cur', 'works'),
      line('put', 'new', 'again'),
      line('move', 'cur', 'again'),
      line('move', 'new', 'again'),
      line('put', 'cur', 'taken'),
      line('put', 'new', 'finished'),
      line('done', 'new', 'finished', { as: 'as-finished' }),
      line('put', 'new', 'dropped'),
      line('drop', 'new', 'dropped'),
      line('put', 'out', 'waits'),
      line('put', 'out', 'sent'),
      line('done', 'out', 'sent'),
    );
    expect([...found.inbox].map(([key, { state, wasInWork }]) => [key, state, wasInWork === true])).toEqual([
      ['waits', 'new', false],
      ['works', 'cur', true],
      ['again', 'new', true],
      ['taken', 'cur', true],
    ]);
    expect([...found.outbox.keys()]).toEqual(['waits']);
    expect([found.finished, found.damaged, found.hasBegin]).toEqual([['as-finished', 'sent'], [], true]);
  });

  it('is not changed by lines of what it does not hold, or holds in another state', () => {
    const found = replayed(
      line('move', 'cur', 'nobody'),
      line('drop', 'new', 'nobody'),
      line('put', 'cur', 'works'),
      line('drop', 'new', 'works'),
      'what is this\n',
      line('put', 'new', 'torn').slice(0, -1),
    );
    expect([...found.inbox.keys()]).toEqual(['works']);
    expect([found.finished, found.damaged, found.hasBegin]).toEqual([[], ['what is this'], false]);
  });
});
