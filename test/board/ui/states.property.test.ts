/**
 * How a task stands on the page, whatever comes in whichever order: events, answers that were read earlier and come later, connections that
 * are lost and what is told again after them. What is shown is always what held at the newest place that anything has come from.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ShownState, shownState, TaskStates } from '../../../src/board/ui/net/states.ts';
import type { EventFrame } from '../../../src/client/client.ts';
import type { TaskRow, TaskState } from '../../../src/client/shapes.ts';

type Step = 'started' | 'asked' | 'decided' | 'completed' | 'error' | 'stopped' | 'pending';
interface Truth {
  state: TaskState;
  asked: number;
}
const frameOf = (step: Step, cursor: string, n: number): EventFrame => {
  const about = { taskId: 't', cursor };
  const run = { ...about, runId: `r${n}` };
  switch (step) {
    case 'started':
      return { ...run, type: 'task:started' };
    case 'completed':
      return { ...run, type: 'task:completed', result: { text: '', summary: '', artifactRefs: [] } };
    case 'error':
      return { ...run, type: 'task:error', error: { message: '', trace: '' } };
    case 'asked':
      return { ...about, type: 'approval:asked', approval: `a${n}` };
    case 'decided':
      return { ...about, type: 'approval:decided', approval: `a${n}` };
    default:
      return { ...about, type: 'task:state', state: step };
  }
};
const NEXT: Record<Step, (truth: Truth) => Truth> = {
  started: ({ asked }) => ({ state: 'running', asked }),
  asked: () => ({ state: 'running', asked: 1 }),
  decided: ({ state }) => ({ state, asked: 0 }),
  completed: () => ({ state: 'completed', asked: 0 }),
  error: () => ({ state: 'error', asked: 0 }),
  stopped: () => ({ state: 'stopped', asked: 0 }),
  pending: ({ asked }) => ({ state: 'pending', asked }),
};
const shownOf = ({ state, asked }: Truth): ShownState => shownState({ state, waiting: asked > 0 });
const rowOf = ({ state, asked }: Truth): TaskRow => ({
  ...{ taskId: 't', title: '', state, updatedAt: '' },
  ...(asked > 0 && { waiting: true }),
});

/** One question at a time, answered before the next; everything else in any order. */
const LIFE = fc
  .array(fc.constantFrom<Step>('started', 'asked', 'completed', 'error', 'stopped', 'pending'), { maxLength: 12 })
  .map((steps) => steps.flatMap((step): Step[] => (step === 'asked' ? ['started', 'asked', 'decided'] : [step])));

/** What reaches the page next: an event, an answer that was read some places ago, or all events again from some places ago. */
const ARRIVALS = fc.array(
  fc.record({ kind: fc.constantFrom('event', 'event', 'answer', 'again', 'resync'), back: fc.nat(6) }),
  { maxLength: 60 },
);

describe('the state of a task', () => {
  it('is that of the newest word, in every order of events, answers and reconnects', () => {
    fc.assert(
      fc.property(LIFE, ARRIVALS, (steps, arrivals) => {
        const states = new TaskStates();
        const truths: Truth[] = [{ state: 'pending', asked: 0 }];
        for (const step of steps) truths.push(NEXT[step](truths.at(-1) as Truth));
        let asks = 0;
        const asked = (place: number) => steps.slice(0, place).filter((step) => step === 'asked').length;
        const frames = steps.map((step, at) => frameOf(step, `1.${at + 1}`, step === 'asked' ? ++asks : asks));
        /** Places that the socket has told of, and the newest place that the page has heard from at all. */
        let told = 0;
        let newest = 0;
        let shown: TaskRow | undefined;
        const seen = () => {
          const standing = states.of('t');
          return standing ? shownState(standing) : undefined;
        };
        for (const { kind, back } of arrivals) {
          const place = Math.max(0, told - back);
          if (kind === 'event' && told < frames.length) {
            states.happened(frames[told] as EventFrame);
            told += 1;
            newest = Math.max(newest, told);
          } else if (kind === 'answer') {
            // The gateway may be ahead of the socket as well as behind it.
            const at = Math.min(truths.length - 1, told + 3 - back);
            if (at < 0) continue;
            shown = states.read(rowOf(truths[at] as Truth), `1.${at}`);
            newest = Math.max(newest, at);
            expect(shownState(shown)).toBe(shownOf(truths[newest] as Truth));
          } else if (kind === 'again') for (const frame of frames.slice(place, told)) states.happened(frame);
          else if (kind === 'resync' && told > 0) {
            // How earlier runs ended, then how it stands, all from one place.
            const cursor = `1.${told}`;
            states.happened(frameOf('completed', cursor, 0));
            states.happened({ type: 'task:state', taskId: 't', state: truths[told]?.state ?? 'pending', cursor });
            if ((truths[told]?.asked ?? 0) > 0) states.happened(frameOf('asked', cursor, asked(told)));
          }
          if (newest > 0) expect(seen()).toBe(shownOf(truths[newest] as Truth));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('waits for nothing that was decided before it was read', () => {
    const states = new TaskStates();
    states.happened(frameOf('asked', '1.1', 1));
    states.read(rowOf({ state: 'running', asked: 1 }), '1.3');
    for (const [step, place, n] of [
      ['decided', 2, 1],
      ['asked', 3, 2],
      ['decided', 4, 2],
    ] as const)
      states.happened(frameOf(step, `1.${place}`, n));
    expect(states.of('t')).toMatchObject({ state: 'running', waiting: false });
  });

  it('is taken as it comes from another process, whose places cannot be compared', () => {
    const states = new TaskStates();
    states.happened(frameOf('started', '1.900', 1));
    states.happened(frameOf('completed', '2.3', 1));
    expect(states.of('t')?.state).toBe('completed');
    expect(states.read(rowOf({ state: 'running', asked: 0 }), '2.2').state).toBe('completed');
    expect(states.read(rowOf({ state: 'running', asked: 0 }), '2.4').state).toBe('running');
  });
});
