/** A question of one agent to another, and the run that answers it. */
import { createHash } from 'node:crypto';
import type { ArtifactRef } from '../../workspace/types.ts';
import type { Asked, Order } from './order.ts';

/** The tool by which an agent asks another. */
export const ASK_AGENT = 'ask_agent';

export interface Question {
  /** The id of an agent, or of the viber itself. */
  agent: string;
  message: string;
  /** Tells this question from the others of the asking run; the same again is the same question. */
  key: string;
  /** Of the run that asks. */
  order: Order;
  /** Ends the answer; by default the asking run's own. */
  signal?: AbortSignal;
  /** What holds for the agent in addition to the task's own rules. */
  asked: Asked;
  /** Stands after its other instructions. */
  instructions: string;
}

export interface AgentAnswer {
  text: string;
  artifactRefs: ArtifactRef[];
}

/** The run of a question: told by who asks and what, so that a restart finds it again. */
export const runOfQuestion = (askingRun: string, agent: string, key: string): string =>
  createHash('sha256')
    .update(JSON.stringify([askingRun, agent, key]))
    .digest('hex')
    .slice(0, 12);

export const viberOf = (order: Pick<Order, 'task' | 'viber'>): string => order.viber ?? order.task.viber;
