/** What is kept of runs at work for whoever looks later. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentStreamEvent } from '../../../src/channels/channel.ts';
import { createBus } from '../../../src/runtime/live/bus.ts';
import { SeenRuns } from '../../../src/runtime/live/seen.ts';

const run = { agentId: 'default', taskId: 't1', runId: 'r1' };

function open() {
  const bus = createBus((error) => {
    throw error;
  });
  return { bus, seen: new SeenRuns(bus) };
}
/** The text as somebody sees it who has heard these events. */
const textOf = (events: readonly AgentStreamEvent[]) =>
  events.reduce((text, event) => {
    if (event.type === 'text-delta') return event.whole ? event.content : text + event.content;
    return event.type === 'tool-call' || event.type === 'state-change' ? '' : text;
  }, '');

describe('a run that somebody begins to look at', () => {
  it('is seen as by those who have looked from its beginning, whenever they begin', () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom('one ', 'two\n', '```plan\n', '```\n', '<think>', '</think>', 'x', ' y '),
      },
      { weight: 1, arbitrary: fc.constantFrom('#thinking', '#tool') },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), fc.nat(25), (steps, joins) => {
        const { bus, seen } = open();
        const [first, late]: [AgentStreamEvent[], AgentStreamEvent[]] = [[], []];
        seen.subscribe((event) => first.push(event));
        for (const [at, what] of steps.entries()) {
          if (at === joins) {
            late.push(...seen.soFar('t1'));
            seen.subscribe((event) => late.push(event));
          }
          if (what === '#thinking') bus.emit({ ...run, type: 'state-change', state: 'thinking' });
          else if (what === '#tool') bus.emit({ ...run, type: 'tool-call', tool: 'x', args: {}, callId: 'c' });
          else bus.emit({ ...run, type: 'text-delta', content: what });
        }
        if (joins < steps.length) expect(textOf(late)).toBe(textOf(first));
      }),
    );
  });

  it('is seen from its beginning where nobody has looked before, and is forgotten when it ends', () => {
    const { bus, seen } = open();
    bus.emit({ ...run, type: 'state-change', state: 'thinking' });
    bus.emit({ ...run, type: 'text-delta', content: 'From the ' });
    bus.emit({ ...run, type: 'text-delta', content: 'beginning on.\n' });
    bus.emit({ ...run, taskId: 't2', runId: 'r2', type: 'text-delta', content: 'Of another.\n' });
    expect(seen.soFar('t1')).toEqual([
      { ...run, type: 'state-change', state: 'thinking' },
      { ...run, type: 'text-delta', content: 'From the beginning on.\n', whole: true },
    ]);
    bus.emit({ ...run, type: 'state-change', state: 'idle' });
    expect([seen.soFar('t1'), seen.soFar('t2').length]).toEqual([[], 2]);
  });
});
