/**
 * An interrupt from a channel stops every task of its conversation (`*`), or only the work of an agent there, as
 * `/stop` does.
 */
import { type Address, conversationKey, type InterruptSignal } from '../../channels/channel.ts';
import { taskLane } from '../contract/entry.ts';
import type { Gateway } from '../run/gateway.ts';

/** Returns the IDs of the stopped tasks. */
export type Interrupt = (signal: InterruptSignal, address: Address) => Promise<string[]>;

const MAX_REASON = 200;

export function createInterrupt({ places, tasks, engine, consent, log }: Gateway): Interrupt {
  const { queue } = engine;
  const { approvals } = consent;

  function withdraw(taskId: string): boolean {
    const open = approvals.open(taskId);
    for (const { id } of open)
      approvals
        .decide(id, { verdict: 'stop', by: '', name: '' })
        .catch((error: unknown) => log.error({ err: error, approval: id }, 'a question could not be withdrawn'));
    return open.length > 0;
  }

  async function stop(id: string): Promise<boolean> {
    const isWithdrawn = withdraw(id);
    const { busy } = await queue.look(taskLane(id));
    return (busy && (await queue.signal(taskLane(id), 'stop'))) || isWithdrawn;
  }

  return async ({ targetAgentId, reason }, address) => {
    const running = places.live.runs(address);
    // The conversation's own task may be running without having reported anything yet.
    const bound = tasks.conversations.get(conversationKey(address));
    if (bound) running.push({ taskId: bound.taskId, agentId: bound.viber });
    const meant = running.filter(({ agentId }) => targetAgentId === '*' || agentId === targetAgentId);
    const ids = [...new Set(meant.map(({ taskId }) => taskId))];
    const ends = await Promise.all(ids.map(stop));
    const stopped = ids.filter((_, index) => ends[index]);
    log.info({ tasks: stopped, target: targetAgentId, reason: reason.slice(0, MAX_REASON) }, 'interrupted');
    return stopped;
  };
}
