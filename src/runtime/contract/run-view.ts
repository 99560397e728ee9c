/** What a running task looks like from outside. */
export interface RunView {
  runId: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** The tool in use, if any. */
  tool?: string;
  /** It was stopped, or has its outcome: what is put into the lane now begins after it. */
  isEnding?: true;
}
