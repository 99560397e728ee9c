/**
 * Every event of every channel enters here (DESIGN section 1). Authorise, decide what it is and which task it belongs to, make
 * it durable; only then may the platform be told. Nothing here waits for a model.
 */
import {
  conversationKey,
  type InboundMessage,
  type InboundOutcome,
  type Suggestion,
  type SuggestQuery,
} from '../channels/channel.ts';
import { createKeyedMutex, serialise } from '../lib/locks.ts';
import { createLru } from '../lib/lru.ts';
import type { Visit } from './contract/entry.ts';
import { bindingKey, taskOf } from './conversations/conversations.ts';
import { viberAt } from './conversations/vibers.ts';
import { act } from './intake/act.ts';
import { decide, isStep } from './intake/decide.ts';
import { findOut, noteEdit } from './intake/find-out.ts';
import { type Arrival, authorise, gather, type IntakeState } from './intake/gather.ts';
import type { IntakeServices } from './intake/services.ts';
import { createTooFast } from './intake/too-fast.ts';

export interface Intake {
  /** Resolves when the message is durable, refused or a duplicate. Rejects when it could not be stored, or with what went wrong. */
  accept(message: InboundMessage, raw: unknown, visit?: Visit): Promise<InboundOutcome>;
  /** What fits an argument that is being typed; [] for people who may not ask. Never rejects. */
  suggest(query: SuggestQuery): Promise<Suggestion[]>;
}

interface Decided {
  outcome: Promise<InboundOutcome>;
}

export function createIntake(services: IntakeServices): Intake {
  const { access, lookups, gw } = services;
  const state: IntakeState = {
    ...{ changes: createKeyedMutex(), beginners: createLru<string>(1_000), edits: createLru<string>(5_000) },
    tooFast: createTooFast(),
  };

  /**
   * From the facts to the act nothing is awaited: none acts on what another event has changed meanwhile. Where a fact is missing
   * it is found out, and all are looked at again.
   */
  async function decided(arrival: Arrival, raw: unknown, lock?: IntakeServices['lock']): Promise<Decided> {
    for (;;) {
      const facts = gather(arrival, services, state);
      const { principal, entry } = facts;
      arrival.visit.sender = entry.allow ? principal : 'refused';
      const decision = decide(facts);
      if (isStep(decision)) await findOut(decision, arrival, facts, services, state);
      else if (lock && decision.kind === 'bind' && decision.begins) return begun(lock, arrival, raw, facts.key);
      else return { outcome: noteEdit(arrival.message, act(decision, facts, raw, services, state), state) };
    }
  }

  /** Of several processes one at a time begins something in a conversation; whoever comes next finds it bound. */
  async function begun(lock: NonNullable<IntakeServices['lock']>, arrival: Arrival, raw: unknown, key: string) {
    const outcome = await lock(`begin ${key}`, async () => (await decided(arrival, raw)).outcome);
    return { outcome: Promise.resolve(outcome) };
  }

  return {
    async accept(message, raw, visit = {}) {
      // Events of a conversation begin to act in the order in which they came, whatever had to be found out for one of them.
      const order = `intake ${conversationKey(message.address)}`;
      const { outcome } = await serialise(order, () => decided({ message, visit }, raw, services.lock));
      return outcome;
    },
    async suggest(query) {
      const { address, isDirect } = query;
      const how = { isMention: false, isCommand: true, isButton: false };
      const { principal, entry } = authorise(query, 'command', access, () => how);
      if (!entry.allow) return [];
      try {
        const viber = viberAt({ principal, address, isDirect }, gw.places.vibers, gw.tasks.conversations);
        const here = taskOf(gw.tasks.conversations.get(bindingKey(principal, address, isDirect)), viber);
        return await lookups.suggest(query, { principal, viber }, here);
      } catch (error) {
        gw.log.warn({ err: error }, 'nothing could be suggested');
        return [];
      }
    },
  };
}
