/** Errors of refused commands, worded alike for frames and HTTP. */

import { authoriseAction } from '../../access/authorise.ts';
import type { Principal } from '../../access/principal.ts';
import { DeliveryError, StorageError, UserError } from '../../errors.ts';
import { messagesIn } from '../../messages/messages.ts';
import type { BoardError } from '../../runtime/contract/board.ts';
import { isId } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import { UploadRefused } from '../../workspace/uploads.ts';
import { RequestError } from '../respond.ts';
import type { ErrorFields } from './frames.ts';
import type { ProtocolParts } from './parts.ts';

/** The content has changed since the edit was begun. */
export class Conflict extends RequestError {
  readonly current: { text: string; hash: string };

  constructor(current: { text: string; hash: string }) {
    super(409, 'conflict', 'It was changed meanwhile; look at what stands there now, and save again.', 'baseHash');
    this.current = current;
  }
}

export const noTask = () => new RequestError(404, 'not_found', 'There is no such task.', 'taskId');

/**
 * Returns a task that the principal may see. Others don't learn whether it exists.
 * @throws {RequestError}
 */
export function seenTask(taskId: string, by: Principal, { home, maySee }: ProtocolParts): TaskRecord {
  const task = isId(taskId) ? openTask(home, taskId).record() : undefined;
  if (!task || !maySee(by, task)) throw noTask();
  return task;
}

/**
 * Returns a task that the principal may also steer.
 * @throws {RequestError}
 */
export function steeredTask(taskId: string, by: Principal, to: ProtocolParts): TaskRecord {
  const task = seenTask(taskId, by, to);
  if (!authoriseAction(by, 'steer', task.people))
    throw new RequestError(403, 'forbidden', 'This is for the people of the task and for owners.');
  return task;
}

const UPLOADS = { too_large: 413, too_many: 429 } as const;

/** Prefixes the reason of a refused upload with the file's name; returns other errors unchanged. */
export function namedRefusal(error: unknown, name: string, field?: string): unknown {
  if (error instanceof UploadRefused)
    return new RequestError(UPLOADS[error.why], error.why, `${name}: ${error.message}`, field);
  if (error instanceof StorageError) return new RequestError(503, 'unavailable', `${name}: ${error.message}`, field);
  return error;
}

/** Converts an error for bodies and frames in the caller's language; returns undefined for an unexpected one. */
export function toldError(error: unknown, language: string | undefined): BoardError | undefined {
  if (error instanceof RequestError) return error.errorIn(language);
  if (error instanceof UserError)
    return { status: 400, code: 'bad_request', message: messagesIn(language).said(error.said) };
  if (error instanceof DeliveryError)
    return { status: 503, code: 'busy', message: 'A place cannot be reached now; try again later.' };
  return undefined;
}

export const INTERNAL: ErrorFields = {
  code: 'internal',
  message: 'Something went wrong here; the log of the gateway says what.',
};
