/** The current state of tasks: from disk, later events and pending approvals. */
import type { TaskState } from '../../workspace/types.ts';

type Standing = { id: string; state: TaskState };

export interface Standings {
  stateOf(task: Standing): TaskState;
  /** A question or approval is pending, and nothing continues before it is answered. */
  isWaiting(task: Standing): boolean;
  /** Returns whether it belongs in the list of a state; a waiting task is only in the list `waiting`. */
  isIn(task: Standing, state: TaskState | 'waiting'): boolean;
}

/**
 * @param asked tasks with a pending approval
 * @param atWork tasks with a run that has started and not ended
 */
export function standingsOf(asked: ReadonlySet<string>, atWork: ReadonlySet<string>): Standings {
  // The record follows a moment later.
  const stateOf = ({ id, state }: Standing): TaskState => (atWork.has(id) ? 'running' : state);
  const isWaiting = (task: Standing) => asked.has(task.id) && stateOf(task) === 'running';
  return {
    stateOf,
    isWaiting,
    isIn: (task, state) => (isWaiting(task) ? state === 'waiting' : state === stateOf(task)),
  };
}
