/** How tasks stand this moment: what is on the disk, what has been told of since, and what waits for a person. */
import type { TaskRecord, TaskState } from '../../workspace/types.ts';

type Standing = Pick<TaskRecord, 'id' | 'state'>;

export interface Standings {
  stateOf(task: Standing): TaskState;
  /** Somebody is asked, and nothing goes on before they have answered. */
  isWaiting(task: Standing): boolean;
  /** Whether it belongs into the list of a state; what waits for a person is in that list alone. */
  isIn(task: Standing, state: TaskState | 'waiting'): boolean;
}

/** @param asked tasks that wait for a person; @param atWork tasks with a run that has begun and not ended */
export function standingsOf(asked: ReadonlySet<string>, atWork: ReadonlySet<string>): Standings {
  // The record says so a moment later.
  const stateOf = ({ id, state }: Standing): TaskState => (atWork.has(id) ? 'running' : state);
  const isWaiting = (task: Standing) => asked.has(task.id) && stateOf(task) === 'running';
  return {
    stateOf,
    isWaiting,
    isIn: (task, state) => (isWaiting(task) ? state === 'waiting' : state === stateOf(task)),
  };
}
