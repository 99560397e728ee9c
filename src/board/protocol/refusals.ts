/** Errors of refused commands, alike for frames and HTTP. */

import { authoriseAction } from '../../access/authorise.ts';
import type { Principal } from '../../access/principal.ts';
import { DeliveryError, StorageError, UserError } from '../../errors.ts';
import { say } from '../../messages/messages.ts';
import { isId } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import { UploadRefused } from '../../workspace/uploads.ts';
import { RequestError } from '../respond.ts';
import type { ProtocolParts } from './parts.ts';

export const noTask = () => new RequestError(404, 'not_found', say('requests.noTask'), 'taskId');

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
  if (!authoriseAction(by, 'steer', task.people)) throw notTheirs();
  return task;
}

export const notTheirs = () => new RequestError(403, 'forbidden', say('requests.notTheirs'));

const UPLOADS = { too_large: 413, too_many: 429 } as const;

/** Prefixes the reason of a refused upload with the file's name; returns other errors unchanged. */
export function namedRefusal(error: unknown, name: string, field?: string): unknown {
  if (error instanceof UploadRefused)
    return new RequestError(
      UPLOADS[error.why],
      error.why,
      say('requests.field', { field: name, what: error.said }),
      field,
    );
  if (error instanceof StorageError)
    return new RequestError(503, 'unavailable', say('requests.notStored', { name }), field);
  return error;
}

/** Returns the error to answer a command with, or undefined for an unexpected one. */
export function refusalOf(error: unknown): RequestError | undefined {
  if (error instanceof RequestError) return error;
  if (error instanceof UserError) return new RequestError(400, 'bad_request', error.said);
  return error instanceof DeliveryError ? new RequestError(503, 'busy', say('requests.unreachable')) : undefined;
}
