/** Which runs are offered a tool, by the facts of the run, and what guests are refused. A tool that says nothing is withheld from guests. */
import { UserError } from '../../errors.ts';
import type { Order } from '../contract/order.ts';
import type { RunFacts, RuntimeTool } from '../contract/tool.ts';

export const factsOf = ({ principal, job, asked, address, tellsMemory }: Pick<Order, FactsFrom>): RunFacts => ({
  role: principal.role,
  isJob: job !== undefined,
  isAsked: asked !== undefined,
  isHere: address !== undefined,
  isAlone: asked?.isAlone === true,
  tellsMemory,
});

type FactsFrom = 'principal' | 'job' | 'asked' | 'address' | 'tellsMemory';

export const toEverybody = (): boolean => true;

/** The plan, and what is remembered, are for the asking side to decide. */
export const unlessAsked = ({ isAsked }: RunFacts): boolean => !isAsked;

/** Somebody is there to answer. */
export const unlessAlone = ({ isAlone }: RunFacts): boolean => !isAlone;

/** The usual: the people of this gateway, and the jobs and agents that work on their word. */
export const toPeople = ({ role }: RunFacts): boolean => role !== 'guest';

export const toPeopleUnlessAsked = (run: RunFacts): boolean => toPeople(run) && unlessAsked(run);

/** People of this gateway ask for it in a conversation, themselves or through an agent. */
export const toPeopleHere = (run: RunFacts): boolean => toPeople(run) && run.isHere && !run.isJob;

/** Somebody of this gateway asks for it in a conversation, in their own words. */
export const inConversation = (run: RunFacts): boolean => toPeopleHere(run) && unlessAsked(run);

/** The same, where what is remembered may be told. */
export const inPrivate = (run: RunFacts): boolean => inConversation(run) && run.tellsMemory;

const REFUSED =
  'This is not done for people who are not on the list of this bot, and there is nobody to ask: do not try it again. Do without it, or say that its owner can let them in.';

/** What a tool refuses a guest, as its result. */
export const refusedToGuest = (): UserError => new UserError(REFUSED);

/**
 * A run on a guest's word has its own task's plan and files, and words. What would need a person's consent is refused: a guest could give
 * it to themselves.
 */
export function forGuest(tools: readonly RuntimeTool[]): RuntimeTool[] {
  return tools.map((tool) => {
    const { asksBefore } = tool;
    // A question in words is theirs to answer: it consents to nothing.
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
