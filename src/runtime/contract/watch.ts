/** What is told of a turn while it goes on, for times and traces. Nothing here throws, and nothing waits for it. Types only. */

export interface TurnWatch {
  /** A word of the answer has come. */
  word(): void;
}
