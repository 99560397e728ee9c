/**
 * Every event of every channel enters here (DESIGN section 1). Authorise, decide what it is and which task it belongs to, make
 * it durable; only then may the platform be told. Nothing here waits for a model.
 */
import { principalText } from '../access/principal.ts';
import type { InboundMessage, InboundOutcome, Suggestion, SuggestQuery } from '../channels/channel.ts';

import { createKeyedMutex } from '../lib/keyed-mutex.ts';
import { createLru } from '../lib/lru.ts';
import type { Visit } from './contract/entry.ts';
import { bindingKey } from './conversations/conversations.ts';
import { act } from './intake/act.ts';
import { decide } from './intake/decide.ts';
import { type Arrival, authorise, gather, type IntakeState } from './intake/gather.ts';
import type { GatewayServices } from './intake/services.ts';

export interface Gateway {
  /** Resolves when the message is durable, refused or a duplicate. Rejects when it could not be stored, or with what went wrong. */
  accept(message: InboundMessage, raw: unknown, visit?: Visit): Promise<InboundOutcome>;
  /** What fits an argument that is being typed; [] for people who may not ask. Never rejects. */
  suggest(query: SuggestQuery): Promise<Suggestion[]>;
}

export function createGateway(services: GatewayServices): Gateway {
  const { access, conversations, lookups, log } = services;
  const state: IntakeState = { changes: createKeyedMutex(), beginners: createLru<string>(1_000) };
  return {
    async accept(message, raw, visit = {}) {
      const arrival: Arrival = { message, visit };
      // From the facts to the act nothing is awaited: none acts on what another event has changed meanwhile, and events of one
      // tick keep their order. Where a fact is missing it is found out, and all are looked at again.
      for (;;) {
        const facts = gather(arrival, services, state);
        const { principal, key, entry } = facts;
        visit.sender = entry.allow ? principal : 'refused';
        const decision = decide(facts);
        if (decision.kind === 'count')
          visit.rate = access.take(principalText(principal), Math.min(message.sentAt, Date.now()), message.group);
        else if (decision.kind === 'press')
          arrival.pressed = (await lookups.press(decision.id, message.address)) ?? 'gone';
        else if (decision.kind === 'wait') await state.changes.pending(key);
        else return act(decision, facts, raw, services, state);
      }
    },
    async suggest(query) {
      const { address, isDirect } = query;
      const how = { isMention: false, isCommand: true, isButton: false };
      const { principal, entry } = authorise(query, 'command', access, () => how);
      if (!entry.allow) return [];
      try {
        const here = conversations.get(bindingKey(principal, address, isDirect));
        return await lookups.suggest(query, principal, here?.taskId);
      } catch (error) {
        log.warn({ err: error }, 'nothing could be suggested');
        return [];
      }
    },
  };
}
