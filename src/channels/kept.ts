/** Defines what is kept on disk for a channel: which parts of an answer were sent, and how far each chat was read. */

/** The state of a part before it is sent. */
export interface PartAttempt {
  /** A key for nonces and metadata: the same for every attempt at this part, and for no other part. */
  key: string;
  /** The time of the first attempt with an unknown outcome, in ms since the epoch; absent if there was none. */
  uncertainSince?: number;
}

/**
 * The delivery ledger as a channel sees it. `part(index, post)` writes a durable intent, runs `post`, records the
 * platform ID it resolves to and returns it; a part that is known to be sent returns its ID without calling `post`.
 */
export interface PartLedger {
  part(index: number, post: (attempt: PartAttempt) => Promise<string>): Promise<string>;
  /**
   * Reports that the part with all the buttons was sent, and its ID; reported again after a crash. Required for a later
   * `edits`.
   */
  hasButtons?(id: string): void;
}

/** How far each chat was read, so that a channel can fetch what was posted while the gateway was down (promise 14). */
export interface ReadCursors {
  /** Returns each chat's mark: the platform's ID or time of the last accepted event. */
  all(): ReadonlyMap<string, string>;
  /** Called after `onMessage` has resolved. Losing a mark in a crash costs a repeated read, not a message. */
  set(chat: string, mark: string): void;
  /** Reads the marks again, because another process may have advanced them; `all` then returns those. Never rejects. */
  reread?(): Promise<void>;
}

/** Kept with each part of a job's message: the task that a reply to it continues. */
export interface DigestMark {
  taskId: string;
  viber: string;
  /** The job's name. */
  name: string;
  /** The names of the job's files. */
  files: string[];
}
