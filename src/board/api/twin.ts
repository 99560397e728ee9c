/**
 * HTTP paths that act like a frame: the body is the frame without `type` and `id`, and `Idempotency-Key` replaces the
 * `id`.
 */

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { say } from '../../messages/messages.ts';
import type { BoardRequest, BoardRoute } from '../../runtime/contract/board.ts';
import { commandTable } from '../protocol/commands.ts';
import type { ProtocolParts } from '../protocol/parts.ts';
import { Conflict, seenTask, toldError } from '../protocol/refusals.ts';
import type { CommandType } from '../protocol/schemas.ts';
import { errorBody, RequestError, readBody, sendJson } from '../respond.ts';

const anyBody = z.looseObject({});
const MAX_KEY = 128;

export const bodyOf = (asked: BoardRequest): Promise<object> => readBody(asked, anyBody);

/** Path parameters need not be repeated in the body, and override it. */
export function twin(
  parts: ProtocolParts,
  [method, path]: readonly [BoardRoute['method'], string],
  type: CommandType,
  status: number,
): BoardRoute {
  return {
    method,
    path,
    asks: 'caller',
    handle: (asked) =>
      answered(asked, async () => {
        const { id, ...named } = asked.params;
        // A missing task is reported before an invalid body.
        if (id !== undefined) seenTask(id, asked.caller.principal, parts);
        const given = { ...(await bodyOf(asked)), ...named, ...(id !== undefined && { taskId: id }) };
        sendJson(asked.response, status, await carriedOut(type, given, asked, parts));
      }),
  };
}

/** Runs the command and returns the fields of its acknowledgement. */
export async function carriedOut(
  type: CommandType,
  given: object,
  { request, caller }: BoardRequest,
  parts: ProtocolParts,
): Promise<object> {
  const key = request.headers['idempotency-key'];
  if (key !== undefined && (typeof key !== 'string' || key === '' || key.length > MAX_KEY))
    throw new RequestError(400, 'bad_request', say('requests.key', { n: MAX_KEY }));
  const { fields = {} } = await commandTable[type](given, { caller, id: key ?? randomUUID(), parts });
  return fields;
}

/** Answers a conflict with the current content, and passes other errors on in the usual form. */
export async function answered({ response, caller }: BoardRequest, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Conflict) {
      sendJson(response, 409, { ...errorBody(error.error), current: error.current });
      return;
    }
    const told = toldError(error, caller.language);
    if (!told) throw error;
    throw new RequestError(told.status, told.code, told.message, told.field);
  }
}
