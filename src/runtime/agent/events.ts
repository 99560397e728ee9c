/**
 * Emits a run's live events. Best effort: a listener that throws is logged and does not affect the run; nothing but the
 * end is emitted after an abort.
 */
import type { AgentState, AgentStreamEvent } from '../../channels/channel.ts';
import type { Logger } from '../../log.ts';

export interface AgentEvents {
  text(delta: string): void;
  /** A model call begins or restarts: text sent since the last `thinking` is void. */
  thinking(): void;
  toolCall(tool: string, args: unknown, callId: string): void;
  /** A tool's progress, in a few words. */
  toolProgress(tool: string, note: string): void;
  toolResult(tool: string, result: unknown, callId: string): void;
  /** The run ends here and resumes once a person has decided. */
  waiting(): void;
  /** The run is over, with or without success. */
  end(): void;
}

type Body = AgentStreamEvent extends infer Event
  ? Event extends unknown
    ? Omit<Event, 'agentId' | 'taskId' | 'runId'>
    : never
  : never;

export function createEvents(
  run: { viber: string; taskId: string; runId: string },
  onEvent: (event: AgentStreamEvent) => void,
  signal: AbortSignal,
  log: Logger,
): AgentEvents {
  const origin = { agentId: run.viber, taskId: run.taskId, runId: run.runId };
  let state: AgentState = 'idle';

  function tell(body: Body): void {
    try {
      onEvent({ ...origin, ...body });
    } catch (err) {
      log.warn({ err, run: run.runId }, 'a listener of live events failed');
    }
  }

  function enter(next: AgentState): void {
    state = next;
    tell({ type: 'state-change', state });
  }

  const unlessAborted = (body: Body) => {
    if (!signal.aborted) tell(body);
  };
  return {
    text: (content) => unlessAborted({ type: 'text-delta', content }),
    thinking: () => {
      if (!signal.aborted) enter('thinking');
    },
    toolCall(tool, args, callId) {
      if (state !== 'tool' && !signal.aborted) enter('tool');
      unlessAborted({ type: 'tool-call', tool, args, callId });
    },
    toolProgress: (tool, note) => unlessAborted({ type: 'state-change', state: 'tool', progress: { tool, note } }),
    toolResult: (tool, result, callId) => unlessAborted({ type: 'tool-result', tool, result, callId }),
    waiting: () => enter('waiting-approval'),
    end() {
      if (state !== 'waiting-approval') enter('idle');
    },
  };
}
