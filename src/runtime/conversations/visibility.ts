/**
 * Decides which tasks a person sees in a place (promise 34): in direct messages their own, in a group the group's own,
 * and in its threads also their own of that group, each only with the current viber. Owners see every task of every
 * viber in direct messages; in a group the role grants nothing.
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

export type SeenBy = TaskRecord;

export function maySee(view: Viewpoint, task: SeenBy): boolean {
  if (view.isDirect && view.principal.role === 'owner') return true;
  if (wasSentTo(view.address, task)) return true;
  if (task.viber !== view.viber) return false;
  if (view.isDirect) return isOneOf(task.people, view.principal);
  const here = formatAddress(view.address, { account: true });
  return task.conversations.includes(here) || (isOneOf(task.people, view.principal) && isOfChat(view.address, task));
}

/** Returns whether the digest was sent here. The address may be a thread of that chat. */
function wasSentTo(address: Address, { digestAt }: SeenBy): boolean {
  const { thread: _thread, ...chat } = address;
  return digestAt !== undefined && [address, chat].some((place) => conversationKey(place) === digestAt);
}

/** Matches threads of this chat, also former ones. */
function isOfChat({ thread: _thread, ...chat }: Address, task: SeenBy): boolean {
  const text = formatAddress(chat, { account: true });
  return task.conversations.some((place) => place === text || place.startsWith(`${text}:`));
}

export const isOwnTask = (view: Viewpoint, task: TaskRecord): boolean => isOneOf(task.people, view.principal);

/** Returns whether a list of a person's tasks with the current viber includes it. Nobody started the runs of jobs. */
export const isListedFor = (view: Viewpoint, task: TaskRecord): boolean =>
  task.job === undefined &&
  task.viber === view.viber &&
  maySee(view, task) &&
  (!view.isDirect || isOwnTask(view, task));

/**
 * A person may also show their own tasks from elsewhere to a group, by typing the ID. The owner's role
 * alone isn't enough for that.
 */
export function mayOpen(view: Viewpoint, task: TaskRecord): boolean {
  const isWithin = task.viber === view.viber || view.principal.role === 'owner';
  return maySee(view, task) || (isWithin && isOwnTask(view, task));
}

/** Finds the one allowed task that an ID, or its beginning or end, matches. */
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
