/** Ends what a task is at, whoever asks: a run, what waits for its turn, a question. */
import { type Principal, principalText } from '../../../access/principal.ts';
import type { Messages, Text } from '../../../messages/messages.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import { cutCall } from '../../context/past-run.ts';
import { taskLane } from '../../contract/entry.ts';
import type { Gateway } from '../../run/gateway.ts';
import { doingWith } from '../../tools/doing.ts';

export interface Stopped {
  isStopped: boolean;
  /** Messages that wait in the task and are worked on next. */
  waiting: number;
  /** A tool that was at work, and whose effect may still come. */
  begun?: string;
}

export async function stopTask(
  taskId: string,
  by: Principal,
  gw: Gateway,
  /** Ends what runs in it and what waits there. */
  stop: (taskId: string) => Promise<boolean>,
): Promise<Stopped> {
  const { home, engine } = gw;
  const { approvals } = gw.consent;
  const open = approvals.open(taskId);
  const runs = openRuns(taskId, gw);
  const isEnded = await stop(taskId);
  const begun = isEnded ? begunIn(runs, taskId, home) : undefined;
  const { view: isAtWork, depth: waiting } = await engine.queue.look(taskLane(taskId));
  for (const { id } of open) await approvals.decide(id, { verdict: 'stop', by: principalText(by), name: by.name });
  // What waits for its turn is told that it was stopped once that comes; whoever looks sees it now.
  if (isEnded && !isAtWork && openTask(home, taskId).record()?.state === 'pending')
    await openTask(home, taskId).update((record) =>
      record.state === 'pending' ? { ...record, state: 'stopped' } : record,
    );
  return { isStopped: isEnded || open.length > 0, waiting, ...(begun !== undefined && { begun }) };
}

/** What has begun outside goes on there, whatever we stop here: every answer to a stop says so. */
export const stillComes = (begun: string | undefined, messages: Messages): Text | '' =>
  begun === undefined ? '' : messages.text('tasks.stillComes', { doing: doingWith(begun) });

interface OpenRun {
  viber: string;
  run: string;
}

/** The task's runs that have no result yet: its own, and those of agents that it asks. */
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

/** What they were at when they were stopped, where that has an effect outside. */
function begunIn(runs: readonly OpenRun[], taskId: string, home: Gateway['home']): string | undefined {
  for (const { viber, run } of runs) {
    const begun = cutCall(openTask(home, taskId, viber).session.run(run));
    if (begun !== undefined) return begun;
  }
  return undefined;
}
