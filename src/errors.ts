/** The gateway's error classes. Each says which side failed and carries its `cause`. */
import { messagesIn, say, type Wording } from './messages/messages.ts';

/** One wrong setting: its path, and what was expected. */
export interface ConfigProblem {
  /** Dotted path, for example `channels.telegram.token`. */
  path: string;
  message: string;
  /** The environment variable that would provide the missing value. */
  variable?: string;
  /** Whether it is no error in itself, but may explain another problem. */
  isWarning?: true;
  /** The whole message, if it is shown in a chat. */
  said?: Wording;
  /** Where it is in the file, both from 1. */
  at?: { line: number; column: number };
}

/** Returns a problem with its message in English and for its reader. */
export const problemWith = (path: string, said: Wording): ConfigProblem => ({
  path,
  message: messagesIn('en').said(said),
  said,
});

/** Returns a problem as one sentence: the setting, what is wrong with it, and where that is. */
export function problemSaid({ path, message, said, at }: ConfigProblem): Wording {
  const what = said ?? say('common.asItIs', { text: message });
  // The sentence about a file's own form names the line itself.
  if (path === '') return at ? say('config.column', { what, column: String(at.column) }) : what;
  const placed = at ? say('config.at', { what, line: String(at.line), column: String(at.column) }) : what;
  return say('doctor.setting', { path, what: placed });
}

/** Thrown when a person must fix the configuration: each problem names a setting. Ends the process with exit code 2. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];
  /** The file that the settings were read from. */
  file?: string | undefined;
  constructor(problems: readonly ConfigProblem[], options?: ErrorOptions) {
    super(problems.map((p) => (p.path ? `${p.path}: ${p.message}` : p.message)).join('\n'), options);
    this.problems = problems;
  }
}

/** Thrown when another gateway holds this home. Ends the process with exit code 3. */
export class LockedError extends Error {
  override name = 'LockedError';
  /** The file that its holder has locked, if this is about a whole home. */
  readonly file: string | undefined;
  constructor(message: string, options: ErrorOptions & { file?: string } = {}) {
    super(message, options);
    this.file = options.file;
  }
}

/** Thrown when somebody else owns the work now: whatever the earlier owner still does has no effect. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/**
 * Thrown when a platform refused what we sent. `retryAfterMs` says when to retry; without it the refusal is permanent.
 * `ambiguous` means that the platform may have accepted it anyway (the answer to our request was lost).
 */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  readonly retryAfterMs: number | undefined;
  readonly ambiguous: boolean;
  /** True when the platform said "slow down" (429), false when it was unreachable. */
  readonly rateLimited: boolean;
  constructor(
    message: string,
    options: { retryAfterMs?: number; ambiguous?: boolean; rateLimited?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
    this.ambiguous = options.ambiguous ?? false;
    this.rateLimited = options.rateLimited ?? false;
  }
}

/**
 * Thrown when the spool or ledger couldn't be written: nothing was stored, and the caller keeps the data and retries.
 * `code` is the system's, if any.
 */
export class StorageError extends Error {
  override name = 'StorageError';
  readonly code: string | undefined;
  constructor(message: string, options: { code?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
  }
}

/** Wraps an error from the disk. */
export const toStorageError = (error: unknown): StorageError =>
  error instanceof StorageError
    ? error
    : new StorageError(errorMessage(error), { code: errorCode(error), cause: error });

/**
 * Thrown when a person asked for something that can't be done. The message is one plain sentence in English; `said` is
 * the same for a chat, in the reader's language.
 */
export class UserError extends Error {
  override name = 'UserError';
  readonly said: Wording;
  constructor(said: Wording | string, options?: ErrorOptions) {
    const message = typeof said === 'string' ? said : messagesIn('en').said(said);
    super(message, options);
    this.said = typeof said === 'string' ? say('common.asItIs', { text: said }) : said;
  }
}

/** Thrown when a file or folder of the home is unusable; the message names it. */
export class WorkspaceError extends Error {
  override name = 'WorkspaceError';
}

/** Returns the code of a Node system error (`ENOENT`, `EEXIST`, ...), or undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Shortages that affect the whole machine, whichever file meets them first. They pass, and no single event is to blame.
 */
const SHORTAGES = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Returns whether storing itself failed, as opposed to a problem with one event or one file. */
export function isStorageFailure(error: unknown): boolean {
  return error instanceof StorageError || SHORTAGES.has(errorCode(error) ?? '') || outOfHandles(error) !== undefined;
}

/** Finds an error, among `error` and its causes, which says that no more files or sockets can be opened. */
export function outOfHandles(error: unknown): Error | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 6; current = current.cause, depth++) {
    if (['EMFILE', 'ENFILE'].includes(errorCode(current) ?? '')) return current;
  }
  return undefined;
}

/** Returns a short text for logs, for anything thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
