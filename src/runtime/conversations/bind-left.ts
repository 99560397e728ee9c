/** Repairs the binding of a conversation after a crash. */
import type { Queue } from '../../engine/engine.ts';
import type { Entry } from '../contract/entry.ts';
import { bindingAt, type Conversations } from './conversations.ts';

/** Called before new messages arrive, so that a conversation never gets two tasks. */
export async function bindLeft(queue: Queue<Entry>, conversations: Conversations): Promise<void> {
  for (const { message: entry } of await queue.unfinished()) {
    if (entry.command || entry.job) continue;
    const { taskId, viber, principal, message } = entry;
    const { address, isDirect } = message;
    // A thread that doesn't exist yet is bound once it does.
    if (message.opensThread && address.thread === undefined) continue;
    const place = bindingAt(principal, address, isDirect);
    if (!conversations.get(place.key)) await conversations.bind({ ...place, taskId, viber });
  }
}
