/** How a task stands, by its record, the runs at work and the questions that are open. */
import { expect, test } from 'vitest';
import { standingsOf } from '../../src/board/protocol/standings.ts';
import type { TaskState } from '../../src/workspace/types.ts';

test.each<[string, TaskState, { asked?: boolean; atWork?: boolean }, TaskState, boolean]>([
  ['that has ended', 'completed', {}, 'completed', false],
  ['that goes on, which its record says a moment later', 'completed', { atWork: true }, 'running', false],
  ['that is at work', 'running', { atWork: true }, 'running', false],
  ['that waits for an answer', 'running', { asked: true }, 'running', true],
  ['that has ended with a question left', 'stopped', { asked: true }, 'stopped', false],
])('a task %s', (_what, state, { asked = false, atWork = false }, expected, waits) => {
  const task = { id: 't', state };
  const standings = standingsOf(new Set(asked ? ['t'] : []), new Set(atWork ? ['t'] : []));
  expect([standings.stateOf(task), standings.isWaiting(task)]).toEqual([expected, waits]);
  expect([standings.isIn(task, 'waiting'), standings.isIn(task, expected)]).toEqual([waits, !waits]);
});
