/**
 * One pure decision for every kind of event (promise 32): gather the facts, ask here, act on the answer. An empty list
 * allows nobody; a right in direct messages grants nothing in a group (promise 31).
 */
import type { Role } from './principal.ts';
import { isOneOf, type Principal } from './principal.ts';

export interface AccessRules {
  dm: 'pairing' | 'allowlist' | 'open' | 'off';
  groups: 'mention' | 'all' | 'off';
  /** IDs of users who may write in direct messages. */
  allow: readonly string[];
  /** IDs of chats (groups, channels) where the viber takes part; `*` for every chat it was added to. */
  chats: readonly string[];
}

export interface EntryFacts {
  rules: AccessRules;
  isDirect: boolean;
  isMention: boolean;
  isCommand: boolean;
  isButton: boolean;
  /** The sender is a bot, a webhook or ourselves. */
  isBot: boolean;
  chat: string;
  /** Listed in `people:`, paired, or the operator's own terminal. */
  isKnown: boolean;
}

export type EntryDecision =
  | { allow: true }
  /** `pair`: an unknown person in direct messages may ask for access. */
  | { allow: false; reason: 'bot' | 'off' | 'stranger' | 'chat-not-listed' | 'not-addressed'; pair: boolean };

const denyEntry = (reason: Extract<EntryDecision, { allow: false }>['reason'], pair = false): EntryDecision => ({
  allow: false,
  reason,
  pair,
});

/** Decides whether an event is accepted at all. */
export function authoriseEntry(principal: Principal, facts: EntryFacts): EntryDecision {
  const { rules } = facts;
  if (facts.isBot) return denyEntry('bot');
  if (facts.isDirect) {
    if (rules.dm === 'off') return denyEntry('off');
    if (rules.dm === 'open' || facts.isKnown || rules.allow.includes(principal.user)) return { allow: true };
    return denyEntry('stranger', rules.dm === 'pairing');
  }
  if (rules.groups === 'off') return denyEntry('off');
  if (!rules.chats.includes(facts.chat) && !rules.chats.includes('*')) return denyEntry('chat-not-listed');
  if (rules.groups === 'all' || facts.isMention || facts.isCommand || facts.isButton) return { allow: true };
  return denyEntry('not-addressed');
}

/**
 * Returns whether MEMORY.md, USER.md and the daily logs may be in a run's prompt: everybody who reads its answer can
 * read what was derived from them. A guest is on no list: open access lets them talk, and nothing more.
 */
export function mayBeTold({ role }: { role: Role }, places: readonly PlaceFacts[]): boolean {
  return role !== 'guest' && places.every(({ isDirect, memory }) => isDirect || memory === 'group');
}

/** A place where an answer is read. */
export interface PlaceFacts {
  isDirect: boolean;
  /** `access.memory` of its channel. */
  memory: 'direct' | 'group';
}

export type Action = 'chat' | 'look' | 'steer' | 'memory' | 'administer';

/**
 * Returns whether the principal may do this; `people` are those of the task (promise 33). Everyone with access may chat
 * and see what belongs to their conversation; steering and stopping requires a person of the task or an owner; memory
 * requires a member, administration an owner.
 */
export function authoriseAction(principal: Principal, action: Action, people: readonly string[]): boolean {
  if (principal.role === 'owner') return true;
  switch (action) {
    case 'chat':
    case 'look':
      return true;
    case 'steer':
      return isOneOf(people, principal);
    case 'memory':
      return principal.role === 'member';
    case 'administer':
      return false;
  }
}
