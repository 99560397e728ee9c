/** Counts what model calls use. Without the feature of costs nothing is counted, and no cap ends a run. */
import type { Logger } from '../../log.ts';
import type { Messages, Text, Wording } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import type { TaskRecord, Usage } from '../../workspace/types.ts';
import type { CallUsage, MeteredRun } from './call-usage.ts';

export interface SpentCall extends MeteredRun, CallUsage {
  model: string;
  ms: number;
}

/** Prices per million tokens, in the configured currency. */
export interface Price {
  input: number;
  output: number;
  /** Absent: `input`. */
  cachedInput?: number | undefined;
}

export interface Meter {
  /** @throws RunError at a daily cap */
  beforeCall(): void;
  onUsage(model: string, usage: CallUsage, ms: number): void;
}

export interface Metering {
  hooks(run: MeteredRun): Meter;
}

export interface Spending extends Metering {
  /** Returns the setting of a daily cap that is reached; without a person, only caps for everybody count. */
  overCap(person?: string): string | undefined;
  /** Never throws. */
  add(call: SpentCall): void;
  /** Includes what it used before a restart. */
  ofRun(run: string): Usage | undefined;
  /** Adds usage that belongs to no run to the task's record, once per `run`. Never rejects. */
  addToTask(run: string, task: string): Promise<void>;
  priceOf(model: string): Price | undefined;
  /** Lines of `/status`. */
  lines(task: TaskRecord, run: string | undefined, person: string, messages: Messages): Text[];
}

export interface SpendingAt {
  home: Home;
  config: object;
  log: Logger;
  onCall?: (call: { model: string; ms: number }, usage: Usage) => void;
  /** The same ID again has no effect. Must not throw. */
  tellOwners: (id: string, said: Wording) => void;
}

export const UNCOUNTED: Spending = {
  hooks: () => ({ beforeCall: () => undefined, onUsage: () => undefined }),
  overCap: () => undefined,
  add: () => undefined,
  ofRun: () => undefined,
  addToTask: () => Promise.resolve(),
  priceOf: () => undefined,
  lines: () => [],
};
