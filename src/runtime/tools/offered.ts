/**
 * Decides by the facts of a run which tools it is offered, and refuses calls of guests. A tool that says nothing is
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

/** The plan and the memory belong to the agent that asks. */
export const unlessAsked: Offer = { isAsked: false };

/** Somebody can answer. */
export const unlessAlone: Offer = { isAlone: false };

/** The default: this gateway's people, and jobs and agents that work for them. */
export const toPeople: Offer = { role: ['owner', 'member'] };

export const toPeopleUnlessAsked: Offer = { ...toPeople, ...unlessAsked };

/** Somebody is there, in person or through an agent. */
export const toPeopleHere: Offer = { ...toPeople, isHere: true, isJob: false };

/** Somebody is there in person. */
export const inConversation: Offer = { ...toPeopleHere, ...unlessAsked };

/** Memory may be shown there. */
export const inPrivate: Offer = { ...inConversation, tellsMemory: true };

const REFUSED =
  "This isn't available to people who aren't on this bot's list, and there is nobody to ask: don't try it again. Do without it, or say that its owner can let them in.";

export const refusedToGuest = (): UserError => new UserError(REFUSED);

const REFUSED_TO_PART =
  'This needs the consent of a person, and nobody is asked in a part of a run: do not try it again. Do without it, and say in your report what is left to do.';

export const refusedToPart = (): UserError => new UserError(REFUSED_TO_PART);

/**
 * Refuses calls that would need consent: guests could consent to them themselves.
 * @param refusal the model's error
 */
export function withRefusal(tools: readonly RuntimeTool[], refusal: () => UserError): RuntimeTool[] {
  return tools.map((tool) => {
    const { asksBefore } = tool;
    // Guests may answer a plain question, which consents to nothing.
    if (!asksBefore || tool.isQuestion) return tool;
    return {
      ...tool,
      async asksBefore(input, callId) {
        if (await asksBefore(input, callId)) throw refusal();
        return false;
      },
    };
  });
}
