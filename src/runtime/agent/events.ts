/** Emits a run's live events. Best effort: a listener that throws is logged and does not affect the run. */
import type { AgentState, AgentStreamEvent } from '../../channels/channel.ts';
import type { Logger } from '../../log.ts';

type Body<Event> = Event extends unknown ? Omit<Event, 'agentId' | 'taskId' | 'runId'> : never;

export type EmitEvent = (event: Body<AgentStreamEvent>) => void;

/** Returns a function that emits events until `signal` aborts, and after that only the run's end. */
export function createEvents(
  run: { viber: string; taskId: string; runId: string },
  onEvent: (event: AgentStreamEvent) => void,
  signal: AbortSignal,
  log: Logger,
): EmitEvent {
  const origin = { agentId: run.viber, taskId: run.taskId, runId: run.runId };
  let state: AgentState = 'idle';
  return function emit(event) {
    const isEnd = event.type === 'state-change' && (event.state === 'idle' || event.state === 'waiting-approval');
    // A run that waits for a person isn't idle.
    if (isEnd ? state === 'waiting-approval' : signal.aborted) return;
    if (event.type === 'tool-call' && state !== 'tool') emit({ type: 'state-change', state: 'tool' });
    if (event.type === 'state-change' && !event.progress) state = event.state;
    try {
      onEvent({ ...origin, ...event });
    } catch (err) {
      log.warn({ err, run: run.runId }, 'a listener of live events failed');
    }
  };
}
