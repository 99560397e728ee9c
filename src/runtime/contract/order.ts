/** What a run is asked to do, by a message, a scheduled job or another agent, and with what. Types only. */

import type { Principal } from '../../access/principal.ts';
import type { Address, Given } from '../../channels/channel.ts';
import type { Messages } from '../../messages/messages.ts';
import type { SessionEntry, TaskRecord } from '../../workspace/types.ts';
import type { AgentOutcome, Verdict } from './agent.ts';
import type { Entry, JobOrder } from './entry.ts';
import type { Made } from './outcome.ts';
import type { OwnSettings, WorkingMode } from './settings.ts';
import type { RuntimeTool } from './task.ts';
import type { ToolScope } from './tool-scope.ts';
import type { TurnWatch } from './watch.ts';

/** What holds for an agent that was asked, beside what holds for everybody. */
export interface Asked {
  /** The agents that asked each other down to this one, the outermost first. */
  chain: readonly string[];
  /** The outermost run: this one's costs are counted as its, and its progress is shown there. */
  root: string;
  /** Questions to agents in the outermost run so far. */
  calls: { used: number };
  /** Whether the asking side may use a tool; absent: any. */
  may?: (tool: string) => boolean;
  /** The asking side's mode: this one is never asked for less consent. */
  mode?: WorkingMode;
  /** It is not to ask people questions: whoever asked it reads its answer first. What needs their consent waits for it all the same. */
  isAlone: boolean;
}

/** What people decided about calls of a run that waited: the run at hand, or that of an agent which it asked. */
export interface Decided {
  run: string;
  verdicts: ReadonlyMap<string, Verdict>;
}

export interface Order {
  /** Whose files, people and consents they are. */
  task: TaskRecord;
  /** Who works on it, with own settings, memory and session; absent: the task's. */
  viber?: string;
  run: string;
  /** On whose word it runs: rights and costs are theirs. */
  principal: Principal;
  /** Whose messages it answers, beside the principal's: of turns that it goes on from. */
  others?: readonly Principal[];
  /** Whether MEMORY.md, USER.md and the daily logs may stand in its prompt, where its answer is read. */
  tellsMemory: boolean;
  /** The words it is about, and the names of files that came with them. */
  words: readonly string[];
  names: readonly string[];
  /** What relevance is measured against. */
  query: string;
  /** One or two sentences: where the answer is read. */
  place: string;
  /** Where a person asked for it. */
  address?: Address | undefined;
  /** In which whoever asked is spoken to. */
  language?: string | undefined;
  /** That is a conversation with them alone. */
  isDirect?: boolean | undefined;
  /** What a program has given for it, in place of what is on disk. */
  given?: Pick<Given, 'memory' | 'artifacts'> | undefined;
  /** It is the run of a scheduled job. */
  job?: JobOrder | undefined;
  /** Skills that a person has called by their names in this task. */
  called?: readonly string[] | undefined;
  /** The session's lines of this run, when an earlier process began it. */
  earlier: readonly SessionEntry[];
  decided?: Decided | undefined;
  signal: AbortSignal;
  /** Of the turn that it is a part of. */
  watch?: TurnWatch;
  /** Resolves once what it answers is durable; absent: it is. Throws LeaseLost. */
  stored?: () => Promise<void>;
  owner?: Owner;
  /** In place of the viber's own settings, key by key. */
  own?: OwnSettings | undefined;
  asked?: Asked;
  /** Stands after the other instructions. */
  instructions?: string;
}

/** Whose lane the work is of. */
export interface Owner {
  /** Throws LeaseLost once it is somebody else's: asked before each step, tool and line of the session. */
  check(): void;
  /** Stands in the lines that are written; absent where no other process writes them. */
  epoch?: number;
}

export interface Performed {
  outcome: AgentOutcome;
  made: Made;
  tools: readonly RuntimeTool[];
}

/** The agent at work on an order. Throws RunError, or a system error when the disk fails. */
export type RunAgent = (order: Order) => Promise<Performed>;

/** What a run is offered beside the tools of every run: made anew for each, and cheap. */
export type Toolbox = (order: Order, own: OwnSettings, scope: ToolScope) => Promise<Offered>;

export interface Offered {
  tools: RuntimeTool[];
  /** Skills that are read rather than called, as lines for the prompt; '' for none. */
  skills: string;
  /** A skill that the run follows wants other tools alone: this one waits for a person in every mode. */
  isBeyond?(tool: string): boolean;
}

/** A turn that a feature works on in place of the model. */
export interface TakenTurn
  extends Pick<
    Order,
    'task' | 'run' | 'principal' | 'tellsMemory' | 'address' | 'earlier' | 'decided' | 'signal' | 'watch'
  > {
  /** The entry that gave the order, and its id. */
  entry: Entry;
  id: string;
  /** In the language of the person who gave the order. */
  messages: Messages;
  /** What people wrote since. */
  added: string;
}
