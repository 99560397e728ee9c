/**
 * The runs that a tool may be offered to, by their facts, and what guests are refused. A tool that says nothing is
 * withheld from guests.
 */
import { UserError } from '../../errors.ts';
import type { Order } from '../contract/order.ts';
import type { RunFacts, RuntimeTool } from '../contract/tool.ts';
import type { Values } from '../contract/when.ts';

export const factsOf = ({ principal, job, asked, address, tellsMemory }: Pick<Order, FactsFrom>): RunFacts => ({
  role: principal.role,
  isJob: job !== undefined,
  isAsked: asked !== undefined,
  isHere: address !== undefined,
  isAlone: asked?.isAlone === true,
  tellsMemory,
});

type FactsFrom = 'principal' | 'job' | 'asked' | 'address' | 'tellsMemory';

type Offer = Values<RunFacts>;

export const toEverybody: Offer = {};

/** Withholds a tool from asked agents: the plan and the memory belong to the agent that asks. */
export const unlessAsked: Offer = { isAsked: false };

/** Requires someone who can answer. */
export const unlessAlone: Offer = { isAlone: false };

/** The default: offers a tool to this gateway's people, and to jobs and agents that work for them. */
export const toPeople: Offer = { role: ['owner', 'member'] };

export const toPeopleUnlessAsked: Offer = { ...toPeople, ...unlessAsked };

/** Requires one of this gateway's people in a conversation, in person or through an agent. */
export const toPeopleHere: Offer = { ...toPeople, isHere: true, isJob: false };

/** Requires one of this gateway's people in a conversation, in person. */
export const inConversation: Offer = { ...toPeopleHere, ...unlessAsked };

/** Requires the same, in a place where the memory may be shown. */
export const inPrivate: Offer = { ...inConversation, tellsMemory: true };

const REFUSED =
  'This is not done for people who are not on the list of this bot, and there is nobody to ask: do not try it again. Do without it, or say that its owner can let them in.';

export const refusedToGuest = (): UserError => new UserError(REFUSED);

/**
 * Limits a guest's run to text and its own task's plan and files. Calls that would need consent are refused, because
 * guests could consent to them themselves.
 */
export function forGuest(tools: readonly RuntimeTool[]): RuntimeTool[] {
  return tools.map((tool) => {
    const { asksBefore } = tool;
    // Guests may answer a plain question, which consents to nothing.
    if (!asksBefore || tool.isQuestion) return tool;
    return {
      ...tool,
      async asksBefore(input, callId) {
        if (await asksBefore(input, callId)) throw refusedToGuest();
        return false;
      },
    };
  });
}
