/** Ends what a task is at, whoever asks: a run, what waits for its turn, a question. */
import { type Principal, principalText } from '../../../access/principal.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import { taskLane } from '../../contract/entry.ts';
import type { Gateway } from '../../run/gateway.ts';

/** `waiting`: messages that wait in the task and are worked on next. */
export async function stopTask(
  taskId: string,
  by: Principal,
  { home, engine, consent: { approvals } }: Gateway,
  /** Ends what runs in it and what waits there. */
  stop: (taskId: string) => Promise<boolean>,
): Promise<{ isStopped: boolean; waiting: number }> {
  const open = approvals.open(taskId);
  const isEnded = await stop(taskId);
  const { view: isAtWork, depth: waiting } = await engine.queue.look(taskLane(taskId));
  for (const { id } of open) await approvals.decide(id, { verdict: 'stop', by: principalText(by), name: by.name });
  // What waits for its turn is told that it was stopped once that comes; whoever looks sees it now.
  if (isEnded && !isAtWork && openTask(home, taskId).record()?.state === 'pending')
    await openTask(home, taskId).update((record) =>
      record.state === 'pending' ? { ...record, state: 'stopped' } : record,
    );
  return { isStopped: isEnded || open.length > 0, waiting };
}
