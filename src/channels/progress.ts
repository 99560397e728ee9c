/** Defines what a channel may show of a run while it goes on. Part of the channel interface; types only. */
import type { Button } from './offers.ts';

export type AgentState = 'idle' | 'thinking' | 'tool' | 'waiting-approval';
export type AgentStreamEvent = {
  agentId: string;
  taskId: string;
  runId: string;
} /** `whole`: the whole text so far, in place of all earlier pieces. */ & (
  | { type: 'text-delta'; content: string; whole?: true }
  | { type: 'tool-call'; tool: string; args: unknown; callId?: string }
  | { type: 'tool-result'; tool: string; result: unknown; callId?: string }
  /** `progress`: how far the tool is, in text from outside. */
  | { type: 'state-change'; state: AgentState; progress?: { tool: string; note: string } }
);

/** How much of a running task people see: nothing, one status message, or the answer as it grows. */
export type LiveMode = 'off' | 'status' | 'text';

/** A run as one conversation sees it: one object for all its events there, always current. No member throws. */
export interface LiveView {
  /** The conversation's choice; undefined: the channel's setting applies. */
  readonly mode: LiveMode | undefined;
  readonly state: AgentState;
  /**
   * What the run is doing, in plain words. A title in it comes from a model, so escape it; the same goes for `line`.
   */
  readonly words: string;
  /** `Working (2/5): writing plan.md … 12 s` */
  line(): string;
  /**
   * Waits for the permission to make one call that counts towards the platform's limits; answers go first. False: the
   * run is over.
   */
  turn(): Promise<boolean>;
  /** Reports that the platform said "slow down". */
  limited(retryAfterMs: number): void;
  /** Returns the run's buttons, created on the first call. */
  buttons(): Promise<Button[][]>;
  /** The message that an earlier process passed to `keep` for this run. It becomes the status message or is deleted. */
  readonly kept: string | undefined;
  /** The platform's ID of the message this run answers; absent where people only watch. */
  readonly answers?: string | undefined;
  /** Remembers the status message in case this process ends before the run. */
  keep(message: string): void;
}
