/**
 * HTTP paths that act like a frame: the body is the frame without `type` and `id`, and `Idempotency-Key` replaces the
 * `id`.
 */

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { say } from '../../messages/messages.ts';
import type { BoardRequest, BoardRoute } from '../../runtime/contract/board.ts';
import { runCommand } from '../protocol/commands.ts';
import type { ProtocolParts } from '../protocol/parts.ts';
import { refusalOf, seenTask } from '../protocol/refusals.ts';
import type { CommandType } from '../protocol/schemas.ts';
import { RequestError, readBody, sendJson } from '../respond.ts';

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
    async handle(asked) {
      const { id, ...named } = asked.params;
      // A missing task is reported before an invalid body.
      const isDeleted = id !== undefined && parts.deleting.peopleOf(id) !== undefined;
      if (id !== undefined && !(type === 'task:change' && isDeleted)) seenTask(id, asked.caller.principal, parts);
      const given = { ...(await bodyOf(asked)), ...named, ...(id !== undefined && { taskId: id }) };
      sendJson(asked.response, status, await carriedOut(type, given, asked, parts));
    },
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
  const asked = { caller, id: key ?? randomUUID(), parts };
  const { fields = {} } = await runCommand(type, given, asked).catch((error: unknown) => {
    throw refusalOf(error) ?? error;
  });
  return fields;
}
