/** Stops a task: its run, its pending messages and its questions. */
import { type Principal, principalText } from '../../../access/principal.ts';
import type { Messages, Text } from '../../../messages/messages.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import { cutCall } from '../../context/past-run.ts';
import { taskLane } from '../../contract/entry.ts';
import type { Gateway } from '../../run/gateway.ts';
import { doingWith } from '../../tools/doing.ts';

export interface StopResult {
  isStopped: boolean;
  /** Messages that are handled next. */
  waiting: number;
  /** A tool that was running, whose effect may still happen. */
  begun?: string;
}

export async function stopTask(
  taskId: string,
  by: Principal,
  gw: Gateway,
  stop: (taskId: string) => Promise<boolean>,
): Promise<StopResult> {
  const { home, engine } = gw;
  const { approvals } = gw.consent;
  const open = approvals.open(taskId);
  const runs = openRuns(taskId, gw);
  const isEnded = await stop(taskId);
  const beside = await Promise.all(gw.features.on.flatMap((feature) => feature.stop?.(taskId, gw) ?? []));
  const begun = isEnded ? begunIn(runs, taskId, home) : undefined;
  const { view: isAtWork, depth: waiting } = await engine.queue.look(taskLane(taskId));
  for (const { id } of open) await approvals.decide(id, { verdict: 'stop', by: principalText(by), name: by.name });
  // A pending message becomes `stopped` only when its turn comes; show the state at once.
  if (isEnded && !isAtWork && openTask(home, taskId).record()?.state === 'pending')
    await openTask(home, taskId).update((record) =>
      record.state === 'pending' ? { ...record, state: 'stopped' } : record,
    );
  const isStopped = isEnded || open.length > 0 || beside.includes(true);
  return { isStopped, waiting, ...(begun !== undefined && { begun }) };
}

/** Every answer to a stop says that an effect outside may still happen. */
export const stillComes = (begun: string | undefined, messages: Messages): Text | '' =>
  begun === undefined ? '' : messages.text('tasks.stillComes', { doing: doingWith(begun) });

interface OpenRun {
  viber: string;
  run: string;
}

/** Includes runs of agents that the task's own runs ask. */
function openRuns(taskId: string, { home, places }: Gateway): OpenRun[] {
  return places.vibers.ids().flatMap((viber) => {
    const open = new Set<string>();
    for (const line of openTask(home, taskId, viber).session.tail()) {
      if (!('run' in line)) continue;
      if (line.type === 'result') open.delete(line.run);
      else open.add(line.run);
    }
    return [...open].map((run) => ({ viber, run }));
  });
}

/** The call that was running when the runs were stopped, if it has an effect outside. */
function begunIn(runs: readonly OpenRun[], taskId: string, home: Gateway['home']): string | undefined {
  for (const { viber, run } of runs) {
    const begun = cutCall(openTask(home, taskId, viber).session.run(run));
    if (begun !== undefined) return begun;
  }
  return undefined;
}
