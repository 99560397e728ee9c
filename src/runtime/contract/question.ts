/** A question from one agent to another, and the run that answers it. */

import { createHash } from 'node:crypto';
import type { ArtifactRef, TaskRecord } from '../../workspace/types.ts';
import type { DelegationRules, Order } from './order.ts';

export const ASK_AGENT = 'ask_agent';

export interface Question {
  /** The ID of an agent, or of the viber itself. */
  agent: string;
  message: string;
  /** Distinguishes this question from others of the asking run; the same key means the same question. */
  key: string;
  order: Order;
  /** Aborts the answer; defaults to the signal of the asking run. */
  signal?: AbortSignal;
  /** Rules for the agent in addition to those of the task. */
  asked: DelegationRules;
  /** Appended to the agent's other instructions. */
  instructions: string;
}

export interface AgentAnswer {
  text: string;
  artifactRefs: ArtifactRef[];
}

/**
 * Returns the run that answers a question. It depends only on who asks and what, so that a restart finds the run again.
 */
export const runOfQuestion = (askingRun: string, agent: string, key: string): string =>
  createHash('sha256')
    .update(JSON.stringify([askingRun, agent, key]))
    .digest('hex')
    .slice(0, 12);

export const viberOf = (order: { task: TaskRecord; viber?: string }): string => order.viber ?? order.task.viber;
