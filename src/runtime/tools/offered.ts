/** Which runs are offered a tool, by the facts of the run. A tool that says nothing is withheld from guests. Pure. */
import type { Order } from '../contract/order.ts';
import type { RunFacts } from '../contract/tool.ts';

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
