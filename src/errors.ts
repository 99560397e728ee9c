/** The few error classes of the gateway. Each says which side failed and carries its `cause`. */
import { messagesIn, type Said, say } from './messages/messages.ts';

/** One wrong key of the configuration: where it is and what was expected there. */
export interface ConfigProblem {
  /** Dotted path, for example `channels.telegram.token`. */
  path: string;
  message: string;
  /** The variable of the environment that would give what is missing there. */
  variable?: string;
  /** The whole of it for a chat, where it is told in one. */
  said?: Said;
}

/** The person who runs the gateway can mend this: each problem names a setting. Ends the process with exit code 2. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[], options?: ErrorOptions) {
    super(problems.map((p) => (p.path ? `${p.path}: ${p.message}` : p.message)).join('\n'), options);
    this.problems = problems;
  }
}

/** Another gateway holds this home. Ends the process with exit code 3. */
export class LockedError extends Error {
  override name = 'LockedError';
}

/** The work was given to somebody else meanwhile: whatever its earlier owner still makes of it counts for nothing. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/**
 * A platform did not take what we sent. `retryAfterMs` says when to try again; without it the refusal is permanent.
 * `ambiguous` means that the platform may have taken it all the same (the answer to our request was lost).
 */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  readonly retryAfterMs: number | undefined;
  readonly ambiguous: boolean;
  /** True when the platform said "slow down" (429), as opposed to being unreachable. */
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
 * The spool or the ledger could not be written: what was to be stored is not, and whoever gave it keeps it and tries again.
 * `code` is the system's, where it gave one.
 */
export class StorageError extends Error {
  override name = 'StorageError';
  readonly code: string | undefined;
  constructor(message: string, options: { code?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
  }
}

/** Whatever the disk has thrown, as an error of storing. */
export const toStorageError = (error: unknown): StorageError =>
  error instanceof StorageError
    ? error
    : new StorageError(errorMessage(error), { code: errorCode(error), cause: error });

/**
 * A person asked for something that cannot be done. Its message is one plain sentence in English; what `said` names is the same for
 * a chat, in the language of whoever reads it.
 */
export class UserError extends Error {
  override name = 'UserError';
  readonly said: Said;
  constructor(said: Said | string, options?: ErrorOptions) {
    const message = typeof said === 'string' ? said : messagesIn('en').said(said);
    super(message, options);
    this.said = typeof said === 'string' ? say('common.asItIs', { text: said }) : said;
  }
}

/** A file or folder of the home is not what it should be; the message names it. */
export class WorkspaceError extends Error {
  override name = 'WorkspaceError';
}

/** The code of a Node system error (`ENOENT`, `EEXIST`, ...), or undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** What the whole machine lacks, whichever file met it first: it passes, and no event is to blame. */
const SHORTAGES = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Whether storing itself failed, as opposed to something that is wrong with one event or one file. */
export function isStorageFailure(error: unknown): boolean {
  return error instanceof StorageError || SHORTAGES.has(errorCode(error) ?? '') || outOfHandles(error) !== undefined;
}

/** The error among `error` and its causes that says that no file or socket can be opened any more. */
export function outOfHandles(error: unknown): Error | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 6; current = current.cause, depth++) {
    if (['EMFILE', 'ENFILE'].includes(errorCode(current) ?? '')) return current;
  }
  return undefined;
}

/** A short text for logs, whatever was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
