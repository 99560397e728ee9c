/**
 * Keeps the project for a conversation's next task, chosen with `/project NAME` before there was a task. The task's
 * first run takes it over. A person's direct messages share it on every platform, as they share the task.
 */
import type { Principal } from '../../access/principal.ts';
import type { Address } from '../../channels/channel.ts';
import { hashText } from '../../lib/files.ts';
import type { Order } from '../../runtime/contract/order.ts';
import { bindingKey } from '../../runtime/conversations/conversations.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { Gateway } from '../gateway.ts';

const KEPT_MS = 24 * 3_600_000;

interface Conversation {
  principal: Principal;
  address: Address;
  isDirect: boolean;
}

const keyOf = ({ principal, address, isDirect }: Conversation): string =>
  `project:${hashText(bindingKey(principal, address, isDirect))}`;

/** @param folder undefined to choose none */
export const chooseNext = (
  conversation: Conversation,
  folder: string | undefined,
  { engine }: Gateway,
): Promise<void> =>
  folder === undefined
    ? engine.state.delete(keyOf(conversation))
    : engine.state.set(keyOf(conversation), folder, KEPT_MS);

export const nextProject = (conversation: Conversation, { engine }: Gateway): Promise<string | undefined> =>
  engine.state.get(keyOf(conversation));

/** Moves the chosen project to the task of a first run. Repeating this after a crash has the same result. */
export async function takeNext(order: Order, gw: Gateway): Promise<TaskRecord> {
  const { task, principal, address, isDirect = false, job, asked } = order;
  if (task.runs > 0 || !address || job || asked) return task;
  const { thread, ...around } = address;
  // A message in a channel may have started the thread of its task.
  const places = thread === undefined ? [address] : [address, around];
  for (const place of places) {
    const conversation = { principal, address: place, isDirect };
    const folder = await nextProject(conversation, gw);
    if (folder === undefined) continue;
    if (task.project === undefined)
      await openTask(gw.home, task.id).update((record) => ({ ...record, project: folder }));
    await chooseNext(conversation, undefined, gw);
    return { ...task, project: task.project ?? folder };
  }
  return task;
}
