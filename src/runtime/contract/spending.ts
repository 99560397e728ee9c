/**
 * Counts what model calls use. The feature of costs provides it; without that feature nothing is counted, and no cap
 * ends a run.
 */
import type { Logger } from '../../log.ts';
import type { Messages, Text, Wording } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import type { TaskRecord, Usage } from '../../workspace/types.ts';
import type { CallUsage, MeteredRun } from './call-usage.ts';

/** One model call that has ended, successfully or not. */
export interface SpentCall extends MeteredRun, CallUsage {
  model: string;
  ms: number;
}

/** Prices per million tokens, in the configured currency. */
export interface Price {
  input: number;
  output: number;
  /** The price of input that the provider had cached; absent: `input`. */
  cachedInput?: number | undefined;
}

export interface Meter {
  /** @throws RunError at a daily cap */
  beforeCall(): void;
  onUsage(model: string, usage: CallUsage, ms: number): void;
}

export interface Metering {
  /** Returns the hooks for the calls of a run. */
  hooks(run: MeteredRun): Meter;
}

export interface Spending extends Metering {
  /**
   * Returns the setting of a daily cap that is reached.
   * @param person a principal as text; without one, only caps for everybody count
   */
  overCap(person?: string): string | undefined;
  /** Counts a call. Never throws. */
  add(call: SpentCall): void;
  /** Returns what a run has used so far, including before a restart; undefined if nothing is known about it. */
  ofRun(run: string): Usage | undefined;
  /** Adds usage that belongs to no run of the task to its record. Must be called once per `run`. Never rejects. */
  addToTask(run: string, task: string): Promise<void>;
  priceOf(model: string): Price | undefined;
  /** Returns lines for `/status`: what a task and its run have used, and how close a person's caps are. */
  lines(task: TaskRecord, run: string | undefined, person: string, messages: Messages): Text[];
}

export interface SpendingAt {
  home: Home;
  /** The whole configuration. */
  config: object;
  log: Logger;
  /** Receives each call with its price, if known. */
  onCall?: (call: { model: string; ms: number }, usage: Usage) => void;
  /** Sends a message to all owners who can be reached; the same ID again has no effect. Must not throw. */
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
