/** Ends what a task is at, whoever asks: a run, what waits for its turn, a question. */
import { type Principal, principalText } from '../../../access/principal.ts';
import type { Home } from '../../../workspace/home.ts';
import { readTask, updateTask } from '../../../workspace/tasks.ts';
import type { CommandContext } from '../command.ts';

export interface StopParts extends Pick<CommandContext, 'stop' | 'look' | 'approvals'> {
  home: Home;
}

/** `waiting`: messages that wait in the task and are worked on next. */
export async function stopTask(
  taskId: string,
  by: Principal,
  { home, stop, look, approvals }: StopParts,
): Promise<{ isStopped: boolean; waiting: number }> {
  const open = approvals?.open(taskId) ?? [];
  const isEnded = await stop(taskId);
  const { view: isAtWork, depth: waiting } = await look(taskId);
  for (const { id } of open) await approvals?.decide(id, { verdict: 'stop', by: principalText(by), name: by.name });
  // What waits for its turn is told that it was stopped once that comes; whoever looks sees it now.
  if (isEnded && !isAtWork && (await readTask(home, taskId))?.state === 'pending')
    await updateTask(home, taskId, (record) => (record.state === 'pending' ? { ...record, state: 'stopped' } : record));
  return { isStopped: isEnded || open.length > 0, waiting };
}
