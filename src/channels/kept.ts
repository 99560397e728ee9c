/** What is remembered on disk for a channel: which parts of an answer were sent, and how far each chat has been read. */

/** What is known of a part when it is about to be sent. */
export interface PartAttempt {
  /** The same for every attempt at this part, and for no other: for nonces and metadata. */
  key: string;
  /** Milliseconds since the epoch of the first attempt whose outcome nobody knows; absent when there was none. */
  uncertainSince?: number;
}

/**
 * The delivery ledger as a channel sees it. `part(index, post)` writes a durable intent, runs `post`, records the
 * platform id it resolves to and returns it; a part that is known to be sent returns its id without calling `post`.
 */
export interface PartLedger {
  part(index: number, post: (attempt: PartAttempt) => Promise<string>): Promise<string>;
  /** The part that carries all the buttons was sent, and has this id; again after a crash. Whoever tells is later sent `edits`. */
  hasButtons?(id: string): void;
}

/** How far each chat has been read, so that a channel can fetch what was said while we were away (promise 14). */
export interface ReadCursors {
  /** Chats with their marks: the platform's id or time of the last event taken in. */
  all(): ReadonlyMap<string, string>;
  /** Called after `onMessage` has resolved. A mark that is lost in a crash costs a repeated look, not a message. */
  set(chat: string, mark: string): void;
  /** Another process may have read on meanwhile: `all` then has its marks. Never rejects. */
  reread?(): Promise<void>;
}

/** Kept with each part of what a job has said: the task in which it goes on. */
export interface DigestMark {
  taskId: string;
  viber: string;
  /** Of the job. */
  name: string;
  /** Names of its files. */
  files: string[];
}
