/**
 * Which tasks a person sees from where they stand (promise 34): their own in direct messages, a group's own in the group (and in
 * its threads their own of that group), each with the viber they are with there. Owners see every task of every viber in direct
 * messages; the role opens nothing in a group.
 */
import { isOneOf, type Principal } from '../../access/principal.ts';
import { type Address, conversationKey, formatAddress } from '../../channels/channel.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask, resolveTaskId } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';

export interface Viewpoint {
  principal: Principal;
  address: Address;
  isDirect: boolean;
  viber: string;
}

/** What of a task says who sees it. */
export type SeenBy = Pick<TaskRecord, 'viber' | 'people' | 'conversations' | 'digestAt'>;

export function maySee(view: Viewpoint, task: SeenBy): boolean {
  if (view.isDirect && view.principal.role === 'owner') return true;
  if (wasSentTo(view.address, task)) return true;
  if (task.viber !== view.viber) return false;
  if (view.isDirect) return isOneOf(task.people, view.principal);
  const here = formatAddress(view.address, { account: true });
  return task.conversations.includes(here) || (isOneOf(task.people, view.principal) && isOfChat(view.address, task));
}

/** A digest is for whoever it was sent to, there and in the threads below. */
function wasSentTo(address: Address, { digestAt }: SeenBy): boolean {
  const { thread: _thread, ...chat } = address;
  return digestAt !== undefined && [address, chat].some((place) => conversationKey(place) === digestAt);
}

/** Whether the task is or was in a thread of this chat. */
function isOfChat({ thread: _thread, ...chat }: Address, task: SeenBy): boolean {
  const text = formatAddress(chat, { account: true });
  return task.conversations.some((place) => place === text || place.startsWith(`${text}:`));
}

/** Whether the person is one of the task's people, with whatever account it was begun. */
export const isOwnTask = (view: Viewpoint, task: TaskRecord): boolean => isOneOf(task.people, view.principal);

/**
 * As `maySee`, and in a group also the person's own tasks from elsewhere: typing the id there is showing the task to everyone
 * in it. The owner's role alone is not enough for that.
 */
export function mayOpen(view: Viewpoint, task: TaskRecord): boolean {
  const isWithin = task.viber === view.viber || view.principal.role === 'owner';
  return maySee(view, task) || (isWithin && isOwnTask(view, task));
}

/** The one task that an id typed by a person (or its beginning or end) means among those `may` lets through. */
export async function findTask(
  home: Home,
  text: string,
  may: (task: TaskRecord) => boolean,
): Promise<TaskRecord | undefined> {
  const ids = await resolveTaskId(home, text);
  const tasks = await Promise.all(ids.map((id) => openTask(home, id).record()));
  const seen = tasks.filter((task) => task !== undefined && may(task));
  return seen.length === 1 ? seen[0] : undefined;
}
