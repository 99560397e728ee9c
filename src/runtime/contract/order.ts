/** The order of a run, by a message, a job or another agent, with its context. Types only. */

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

/** Further rules for an agent that another agent asked. */
export interface DelegationRules {
  /** The agents that asked each other, the outermost first. */
  chain: readonly string[];
  /** The outermost run, which is charged for this one and shows its progress. */
  root: string;
  /** Questions to agents in the outermost run so far. */
  calls: { used: number };
  /** Whether the asking side may use a tool; absent: any. */
  may?: (tool: string) => boolean;
  /** This agent never needs less consent. */
  mode?: WorkingMode;
  /** It must not ask people questions: the asking agent reads its answer first. Consent is still asked for. */
  isAlone: boolean;
  /** It is a part of the asking run: nobody is asked for consent either. */
  part?: PartRules;
}

/** Rules for a part of a run, which the same viber works on with a context and a session of its own. */
export interface PartRules {
  /** Tools that do more than read, which the run allows it. */
  tools: ReadonlySet<string>;
  /** Characters of tools' results so far, of the run and all its parts. */
  told: ResultCount;
}

/** Characters of tools' results that a run has received; absent until it calls its first tool. */
export interface ResultCount {
  characters?: number;
}

/** What a run has used up of its limits. */
export interface RunBudget {
  /** Model calls, those before a restart included. */
  calls: number;
  maxCalls: number;
  /** Model calls of its parts, which count towards the same limit. */
  ofParts: number;
  told: ResultCount;
}

/** Decisions about pending calls of this run, or of an agent that it asked. */
export interface RunVerdicts {
  run: string;
  verdicts: ReadonlyMap<string, Verdict>;
}

export interface Order {
  task: TaskRecord;
  /** A viber with its own settings, memory and session; absent: the task's. */
  viber?: string;
  run: string;
  /** Their rights apply, and they are charged. */
  principal: Principal;
  /** Senders of messages from earlier turns that it continues. */
  others?: readonly Principal[];
  /** Whether its prompt may contain MEMORY.md, USER.md and the daily logs, given who reads its answer. */
  tellsMemory: boolean;
  /** The words of the request, and the names of files that came with it. */
  words: readonly string[];
  names: readonly string[];
  /** The text that relevance is measured against. */
  query: string;
  /** One or two sentences about where the answer is read. */
  place: string;
  address?: Address | undefined;
  language?: string | undefined;
  isDirect?: boolean | undefined;
  /** Memory and artifacts that a program provided in place of those on disk. */
  given?: { memory?: string; instructions?: string; artifacts?: readonly GivenArtifact[] } | undefined;
  job?: JobOrder | undefined;
  /** Skills that a person has called in this task. */
  called?: readonly string[] | undefined;
  /** Its lines in the session, if an earlier process began it. */
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
  /** Called before each step, tool and line of the session. | @throws LeaseLost once somebody else owns the lane */
  check(): void;
  /** Written with each line; absent if no other process writes. */
  epoch?: number;
}

export interface AgentResult {
  outcome: AgentOutcome;
  made: RunResults;
  tools: readonly RuntimeTool[];
}

export type RunAgent = (order: Order) => Promise<AgentResult>;

export interface FeatureOffer {
  tools: RuntimeTool[];
  /** Skills that are read rather than called, as lines for the prompt. */
  skills?: string;
  /** Added to the instructions; changes seldom. */
  instructions?: string;
  /** The current state, which comes with the plan and the time. */
  standing?: string;
  /** Replaces the usual limit on model calls, unless a setting has one. */
  maxSteps?: number;
  /** Whether the skill that the run follows doesn't list this tool, which then waits for a person. */
  isBeyond?(tool: string): boolean;
}

export interface TakenTurn
  extends Pick<
    Order,
    'task' | 'run' | 'principal' | 'tellsMemory' | 'address' | 'earlier' | 'decided' | 'signal' | 'watch'
  > {
  /** The entry that gave the order, and its ID. */
  entry: Entry;
  id: string;
  messages: Messages;
  added: string;
}
