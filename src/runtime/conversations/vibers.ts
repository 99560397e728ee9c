/**
 * Which viber a conversation is with, and which others a person may have there. What somebody has chosen holds before the
 * configuration; a thread stays with the viber that works in it. Several vibers in one conversation keep a task each.
 */
import type { Principal } from '../../access/principal.ts';
import { type Address, conversationKey } from '../../channels/channel.ts';
import { bindingAt, bindingKey, type Conversations, taskOf } from './conversations.ts';

/** What holds in a place, whatever was chosen there. */
export interface ViberRules {
  /** Ids, the usual one first. */
  ids(): string[];
  has(id: string): boolean;
  /** Who answers somebody there where nobody has chosen. */
  configured(principal: Principal, address: Address, isDirect: boolean): string;
  /** Those that members may choose everywhere. */
  forMembers: readonly string[];
  /** What a viber's file says it is for. */
  about(id: string): Promise<string | undefined>;
}

/** Who writes, and where. */
export interface Standing {
  principal: Principal;
  address: Address;
  isDirect: boolean;
}

/** The viber that answers there. `named`: whoever opened the conversation has said which. */
export function viberAt(
  { principal, address, isDirect }: Standing,
  rules: Pick<ViberRules, 'configured'>,
  conversations: Pick<Conversations, 'get'>,
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

/** Owners choose among all; members among those that are listed for them and the one that is configured where they are. */
export function mayChoose({ principal, address, isDirect }: Standing, id: string, rules: ViberRules): boolean {
  if (principal.role === 'guest' || !rules.has(id)) return false;
  if (principal.role === 'owner') return true;
  return rules.forMembers.includes(id) || rules.configured(principal, address, isDirect) === id;
}

export const choosable = (standing: Standing, rules: ViberRules): string[] =>
  rules.ids().filter((id) => mayChoose(standing, id, rules));

/** From the next message on the conversation is with this viber, at the task it was at there. In force at once. */
export function choose(
  { principal, address, isDirect }: Standing,
  viber: string,
  conversations: Pick<Conversations, 'get' | 'bind'>,
  newTaskId: () => string,
): { taskId: string; bound: Promise<void> } {
  const place = bindingAt(principal, address, isDirect);
  const taskId = taskOf(conversations.get(place.key), viber) ?? newTaskId();
  return { taskId, bound: conversations.bind({ ...place, taskId, viber, isChosen: true }) };
}
