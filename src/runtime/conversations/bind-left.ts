/** What a crash has left between a task's first message and the binding of its conversation. */
import type { Queue } from '../../engine/engine.ts';
import type { Entry } from '../contract/entry.ts';
import { bindingAt, type Conversations } from './conversations.ts';

/** Binds by what is stored; call it before anything new comes, so that there are never two tasks to a conversation. */
export async function bindLeft(queue: Pick<Queue<Entry>, 'unfinished'>, conversations: Conversations): Promise<void> {
  for (const { message: entry } of await queue.unfinished()) {
    if (entry.command || entry.job) continue;
    const { taskId, viber, principal, message } = entry;
    const { address, isDirect } = message;
    // A thread that is still to come is bound when it is there.
    if (message.opensThread && address.thread === undefined) continue;
    const place = bindingAt(principal, address, isDirect);
    if (!conversations.get(place.key)) await conversations.bind({ ...place, taskId, viber });
  }
}
