/** A question from one agent to another, and the run that answers it. */

import { hashText } from '../../lib/files.ts';
import type { ArtifactRef, TaskRecord } from '../../workspace/types.ts';
import type { DelegationRules, Order } from './order.ts';

export const ASK_AGENT = 'ask_agent';
export const DELEGATE = 'delegate';

export interface Question {
  agent: string;
  message: string;
  /** The same key means the same question of the asking run. */
  key: string;
  order: Order;
  /** Absent: that of the asking run. */
  signal?: AbortSignal;
  asked: DelegationRules;
  /** Appended to the agent's other instructions. */
  instructions: string;
  /** The limit on its model calls, if it isn't the agent's own. */
  maxSteps?: number;
}

export interface AgentAnswer {
  text: string;
  artifactRefs: ArtifactRef[];
}

/** Depends only on who asks and what, so that a restart finds the run again. */
export const runOfQuestion = (askingRun: string, agent: string, key: string): string =>
  hashText(JSON.stringify([askingRun, agent, key])).slice(0, 12);

export const viberOf = (order: { task: TaskRecord; viber?: string }): string => order.viber ?? order.task.viber;
