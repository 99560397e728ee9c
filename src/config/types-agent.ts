/** `agents/{viber}.yaml`: what one viber has of its own. What is absent comes from the global configuration. */
export interface AgentConfig {
  /** One sentence for the agents that may ask it. */
  description?: string;
  /** The folder its scripts work in; absent: the task's own. */
  folder?: string;
  model?: string;
  fallback?: string[];
  maxSteps?: number;
  /** The agent's part of the system prompt (`systemPrompt` in the file means the same). */
  prompt?: string;
  /** Names of the tools it is offered; absent means all. */
  tools?: string[];
  skills?: string[];
  /** What is asked about before it is done: everything with an effect, effects outside the task, nothing. */
  mode?: 'ask' | 'decide' | 'execute';
  plan_approval?: 'on' | 'off';
  /** One sentence for each thing that was wrong with the file; [] when all is well. */
  warnings: string[];
  /** The file says something, but nothing of it is known: what it would forbid is not either. */
  isBroken?: true;
}
