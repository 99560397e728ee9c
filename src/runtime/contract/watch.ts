/** Observes a turn, for timings and traces: never throws, and nothing waits for it. Types only. */
import type { CallUsage } from './call-usage.ts';

export interface TurnWatch {
  word(): void;
  /** The result is called at the end; so are those below. Absent if tracing is off. */
  stage?: (name: 'context' | 'record') => () => void;
  model?: (name: string) => (ended: ModelTry) => void;
  /** `error` is a word for the failure, if it failed. */
  tool?: (name: string, callId: string) => (error?: string) => void;
  end?: (state: string, error?: string) => void;
}

export interface ModelTry {
  usage?: CallUsage;
  finish?: string;
  error?: string;
}
