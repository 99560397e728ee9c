/** `ask` asks about everything that has an effect, `decide` about effects outside the task, `execute` about nothing. */
export type WorkingMode = 'ask' | 'decide' | 'execute';

/** Settings of one viber (`agents/{viber}.yaml`) or of an order, which override the configuration. */
export interface OwnSettings {
  model?: string | undefined;
  fallback?: string[] | undefined;
  maxSteps?: number | undefined;
  prompt?: string | undefined;
  tools?: readonly string[] | undefined;
  skills?: readonly string[] | undefined;
  mode?: WorkingMode | undefined;
  planApproval?: 'on' | 'off' | undefined;
  /** Scripts work there; absent: the task's folder. */
  folder?: string | undefined;
}

/** How long a model thinks before it answers. */
export const THINKING = ['off', 'low', 'medium', 'high'] as const;
export type Thinking = (typeof THINKING)[number];

export const isThinking = (word: string): word is Thinking => THINKING.some((level) => level === word);
