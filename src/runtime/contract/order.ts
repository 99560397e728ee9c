/** The order of a run: what a message, a scheduled job or another agent asks it to do, and its context. Types only. */

import type { Principal } from '../../access/principal.ts';
import type { Address } from '../../channels/channel.ts';
import type { GivenArtifact } from '../../channels/programs.ts';
import type { Messages } from '../../messages/messages.ts';
import type { SessionEntry, TaskRecord } from '../../workspace/types.ts';
import type { AgentOutcome, Verdict } from './agent.ts';
import type { Entry, JobOrder } from './entry.ts';
import type { RunResults } from './outcome.ts';
import type { OwnSettings, WorkingMode } from './settings.ts';
import type { RuntimeTool } from './task.ts';
import type { TurnWatch } from './watch.ts';

/** Rules for an agent that another agent asked, in addition to the general ones. */
export interface DelegationRules {
  /** The agents that asked each other down to this one, the outermost first. */
  chain: readonly string[];
  /** The outermost run, which is charged for this one and shows its progress. */
  root: string;
  /** The number of questions to agents in the outermost run so far. */
  calls: { used: number };
  /** Whether the asking side may use a tool; absent: any. */
  may?: (tool: string) => boolean;
  /** The asking side's mode; this agent never needs less consent. */
  mode?: WorkingMode;
  /**
   * It must not ask people questions, since the asking agent reads its answer first. Calls that need people's consent
   * still wait for it.
   */
  isAlone: boolean;
}

/** People's decisions about pending calls of this run, or of an agent that it asked. */
export interface RunVerdicts {
  run: string;
  verdicts: ReadonlyMap<string, Verdict>;
}

export interface Order {
  /** The task whose files, people and consents apply. */
  task: TaskRecord;
  /** The viber that works on it, with its own settings, memory and session; absent: the task's. */
  viber?: string;
  run: string;
  /** The person for whom it runs; their rights apply, and they are charged. */
  principal: Principal;
  /** The senders of messages from earlier turns that it continues, in addition to the principal. */
  others?: readonly Principal[];
  /** Whether its prompt may contain MEMORY.md, USER.md and the daily logs, given the readers of its answer. */
  tellsMemory: boolean;
  /** The words that it is about, and the names of files that came with them. */
  words: readonly string[];
  names: readonly string[];
  /** The text that relevance is measured against. */
  query: string;
  /** One or two sentences about where the answer is read. */
  place: string;
  /** The conversation where a person asked for it. */
  address?: Address | undefined;
  language?: string | undefined;
  /** The conversation is with this person alone. */
  isDirect?: boolean | undefined;
  /** Memory and artifacts that a program provided in place of those on disk. */
  given?: { memory?: string; artifacts?: readonly GivenArtifact[] } | undefined;
  job?: JobOrder | undefined;
  /** Skills that a person has called by name in this task. */
  called?: readonly string[] | undefined;
  /** The session's lines of this run, if an earlier process began it. */
  earlier: readonly SessionEntry[];
  decided?: RunVerdicts | undefined;
  signal: AbortSignal;
  watch?: TurnWatch;
  /**
   * Resolves once the messages that it answers are durable; absent: they are.
   * @throws LeaseLost
   */
  stored?: () => Promise<void>;
  owner?: Owner;
  /** Overrides the viber's own settings, key by key. */
  own?: OwnSettings | undefined;
  asked?: DelegationRules;
  /** Appended to the other instructions. */
  instructions?: string;
}

export interface Owner {
  /**
   * Called before each step, tool and line of the session.
   * @throws LeaseLost once somebody else owns the lane
   */
  check(): void;
  /** Recorded in the lines that are written; absent if no other process writes them. */
  epoch?: number;
}

export interface AgentResult {
  outcome: AgentOutcome;
  made: RunResults;
  tools: readonly RuntimeTool[];
}

/**
 * Runs the agent on an order.
 * @throws RunError, or a system error if the disk fails
 */
export type RunAgent = (order: Order) => Promise<AgentResult>;

/** What a feature offers a run beside its tools of the table. */
export interface FeatureOffer {
  tools: RuntimeTool[];
  /** Skills that are read rather than called, as lines for the prompt; absent or empty if there are none. */
  skills?: string;
  /** Whether the skill that the run follows doesn't list this tool, which then waits for a person in every mode. */
  isBeyond?(tool: string): boolean;
}

/** A turn that a feature handles in place of the model. */
export interface TakenTurn
  extends Pick<
    Order,
    'task' | 'run' | 'principal' | 'tellsMemory' | 'address' | 'earlier' | 'decided' | 'signal' | 'watch'
  > {
  /** The entry that gave the order, and its ID. */
  entry: Entry;
  id: string;
  /** Texts in the language of the person who gave the order. */
  messages: Messages;
  /** The text that people have written since. */
  added: string;
}
