/** Checks, runs and acknowledges a command from a socket. Nothing is acknowledged before it is durable. */
import { say } from '../../messages/messages.ts';
import { Conflict, errorFields, internalError, RequestError } from '../respond.ts';
import { runCommand } from './commands.ts';
import type { Connection } from './connection.ts';
import type { Exchange } from './exchange.ts';
import type { AckFrame } from './frames.ts';
import type { ProtocolParts } from './parts.ts';
import { refusalOf } from './refusals.ts';
import { type Frame, isCommandType } from './schemas.ts';

/** Never rejects: an unexpected error is logged and answered as `internal`. */
export async function answerCommand(
  frame: Frame,
  connection: Connection,
  exchange: Exchange,
  parts: ProtocolParts,
): Promise<void> {
  const { type, id } = frame;
  // An interrupt without an ID gets no answer.
  const acknowledge = (ack: AckFrame) => {
    if (id !== undefined || type !== 'interrupt') connection.send(ack);
  };
  const release = type === 'task:submit' ? exchange.hold(connection) : undefined;
  try {
    if (!isCommandType(type))
      throw new RequestError(400, 'unknown_type', say('requests.unknownType', { type }), 'type');
    if (id === undefined && type !== 'interrupt')
      throw new RequestError(400, 'bad_request', say('requests.commandId'), 'id');
    const asked = { caller: connection.caller, id: id ?? '', parts, exchange, connection };
    const { fields = {}, afterwards } = await runCommand(type, frame, asked);
    acknowledge({ type: 'ack', id: id ?? '', ok: true, ...fields });
    await afterwards?.();
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) parts.onError(error);
    const fields = errorFields(refusal ?? internalError(), connection.caller.language);
    const current = error instanceof Conflict ? { current: error.current } : {};
    // The ack says the same; the frame is for clients that wait for it alone.
    if (error instanceof Conflict) connection.send({ type: 'conflict', id: id ?? '', ...current });
    acknowledge({ type: 'ack', id: id ?? '', ok: false, error: fields, ...current });
  } finally {
    release?.();
  }
}
