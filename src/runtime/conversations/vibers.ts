/**
 * Decides which viber a conversation is with, and which others a person may choose there. A person's choice overrides
 * the configuration; a thread keeps the viber that works in it. Several vibers in one conversation have a task each.
 */
import type { Principal } from '../../access/principal.ts';
import { type Address, conversationKey } from '../../channels/channel.ts';
import { bindingAt, bindingKey, type Conversations, taskOf } from './conversations.ts';

/** The configured rules, regardless of choices. */
export interface ViberRules {
  /** Returns all IDs, the default one first. */
  ids(): string[];
  has(id: string): boolean;
  /** Returns who answers a person there if nobody has chosen. */
  configured(principal: Principal, address: Address, isDirect: boolean): string;
  /** The vibers that members may choose everywhere. */
  forMembers: readonly string[];
  /** Returns what a viber's file says it is for. */
  about(id: string): Promise<string | undefined>;
}

/** A person and the place where they write. */
export interface Standing {
  principal: Principal;
  address: Address;
  isDirect: boolean;
}

/**
 * Returns the viber that answers there.
 * @param named the viber that the person who opened the conversation has named
 */
export function viberAt(
  { principal, address, isDirect }: Standing,
  rules: ViberRules,
  conversations: Conversations,
  named?: string,
): string {
  if (named !== undefined) return named;
  const bound = conversations.get(bindingKey(principal, address, isDirect));
  const { thread, ...chat } = address;
  const isOwnThread = thread !== undefined && !isDirect;
  if (bound && (bound.isChosen || isOwnThread)) return bound.viber;
  const around = !bound && thread !== undefined ? conversations.get(conversationKey(chat)) : undefined;
  return around?.isChosen ? around.viber : rules.configured(principal, address, isDirect);
}

/**
 * Returns whether a person may choose a viber: owners any, members the listed ones and the one configured where they
 * are.
 */
export function mayChoose({ principal, address, isDirect }: Standing, id: string, rules: ViberRules): boolean {
  if (principal.role === 'guest' || !rules.has(id)) return false;
  if (principal.role === 'owner') return true;
  return rules.forMembers.includes(id) || rules.configured(principal, address, isDirect) === id;
}

export const choosable = (standing: Standing, rules: ViberRules): string[] =>
  rules.ids().filter((id) => mayChoose(standing, id, rules));

/** Switches the conversation to this viber from the next message on, at its own task there. Takes effect at once. */
export function choose(
  { principal, address, isDirect }: Standing,
  viber: string,
  conversations: Conversations,
  newTaskId: () => string,
): { taskId: string; bound: Promise<void> } {
  const place = bindingAt(principal, address, isDirect);
  const taskId = taskOf(conversations.get(place.key), viber) ?? newTaskId();
  return { taskId, bound: conversations.bind({ ...place, taskId, viber, isChosen: true }) };
}
