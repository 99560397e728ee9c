/**
 * Callbacks that observe a turn, for timings and traces. They never throw, and nothing waits for them. Those that only
 * traces use are absent if tracing is off. Types only.
 */
import type { CallUsage } from './call-usage.ts';

export interface TurnWatch {
  /** Called for each piece of the answer. */
  word(): void;
  /** Returns a function to call at the stage's end; so do those below. */
  stage?: (name: 'context' | 'record') => () => void;
  model?: (name: string) => (ended: ModelTry) => void;
  /** `error` is a word for the failure, if it failed. */
  tool?: (name: string, callId: string) => (error?: string) => void;
  end?: (state: string, error?: string) => void;
}

export interface ModelTry {
  usage?: CallUsage;
  finish?: string;
  /** A word for the failure, if it failed. */
  error?: string;
}
