/**
 * What is told of a turn while it goes on, for times and traces. Nothing here throws, and nothing waits for it. What only traces ask for
 * is absent where there are none. Types only.
 */
import type { CallUsage } from './call-usage.ts';

export interface TurnWatch {
  /** A word of the answer has come. */
  word(): void;
  /** Gives what is to be called at its end, here and below. */
  stage?: (name: 'context' | 'record') => () => void;
  /** One try of a model. */
  model?: (name: string) => (ended: ModelTry) => void;
  /** `error`: in a word, where it failed. */
  tool?: (name: string, callId: string) => (error?: string) => void;
  /** The turn is over. */
  end?: (state: string, error?: string) => void;
}

export interface ModelTry {
  usage?: CallUsage;
  /** Why it ended. */
  finish?: string;
  /** In a word, where it failed. */
  error?: string;
}
