/**
 * Implements each command, for frames and HTTP bodies alike. Throws RequestError, or UserError with a message for the
 * caller.
 */
import type { Address } from '../../channels/channel.ts';
import type { Caller } from '../../runtime/contract/board.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import { ownersOnly, parsedBy } from '../respond.ts';
import { readArtifact } from './artifact.ts';
import { changeTask } from './changes.ts';
import type { Connection } from './connection.ts';
import { decideApproval } from './decisions.ts';
import { writeFile, writePlanText } from './edits.ts';
import type { Exchange } from './exchange.ts';
import type { ProtocolParts } from './parts.ts';
import { noTask, steeredTask } from './refusals.ts';
import { COMMANDS, type CommandOf, type CommandType } from './schemas.ts';

export interface CommandCall {
  caller: Caller;
  /** The command's ID. With the caller it is the idempotency key: a repeated command runs once. */
  id: string;
  parts: ProtocolParts;
  /** Set for commands from a socket. */
  exchange?: Exchange;
  connection?: Connection;
}

export interface Answer {
  fields?: object;
  afterwards?: () => Promise<void>;
}

/** Subscribes the connection to what it has started. */
async function followed(
  { exchange, connection }: CommandCall,
  taskId: string | undefined,
  live?: 'off' | 'text' | 'events',
) {
  if (exchange && connection && taskId !== undefined) await exchange.follow(connection, [taskId], { live });
}

/** Nobody reads results of jobs at this address: a program names where they go, or they go nowhere. */
const FROM: Address = { channel: 'local', account: 'api', chat: 'api' };

/** Commands in progress that must not run twice. A duplicate waits for the first. */
const underWay = new Map<string, Promise<object>>();

async function once({ caller, id, parts }: CommandCall, work: () => Promise<object>): Promise<Answer> {
  const key = JSON.stringify([parts.home.root, caller.kind, caller.id, id]);
  const known = id === '' ? undefined : await parts.answered.get(key);
  if (known !== undefined) return { fields: JSON.parse(known) };
  const running = underWay.get(key) ?? work();
  underWay.set(key, running);
  try {
    const fields = await running;
    if (id !== '') await parts.answered.set(key, JSON.stringify(fields));
    return { fields };
  } finally {
    underWay.delete(key);
  }
}

const HANDLERS: { readonly [T in CommandType]: (given: CommandOf<T>, asked: CommandCall) => Promise<Answer> } = {
  async 'task:submit'(task, asked) {
    const { taskId } = await asked.parts.submissions.submit(asked.caller, asked.id, task);
    await followed(asked, taskId, task.live);
    return { fields: { taskId } };
  },
  async 'task:message'(said, asked) {
    steeredTask(said.taskId, asked.caller.principal, asked.parts);
    const fields = await asked.parts.submissions.tell(asked.caller, asked.id, said);
    await followed(asked, fields.taskId);
    return { fields };
  },
  async message(said, asked) {
    const fields = await asked.parts.submissions.say(asked.caller, asked.id, said);
    await followed(asked, fields.taskId);
    return { fields };
  },
  async 'task:stop'({ taskId }, { caller, parts }) {
    const before = steeredTask(taskId, caller.principal, parts);
    const { taskIds, ...ended } = await parts.stopping.task(taskId, caller);
    const state = taskIds.length > 0 ? 'stopped' : (openTask(parts.home, taskId).record()?.state ?? before.state);
    return { fields: { taskId, state, ...ended } };
  },
  'task:change': async (change, { caller, parts }) => ({ fields: await changeTask(change, caller, parts) }),
  interrupt: async ({ targetAgentId, reason }, { caller, parts }) => ({
    fields: await parts.stopping.agent(targetAgentId, reason, caller),
  }),
  async 'job:create'({ job }, asked) {
    const { caller, parts } = asked;
    const service = await parts.jobs();
    if (caller.principal.role !== 'owner') throw ownersOnly();
    return once(asked, async () => ({ job: await service.create({ deliver: [], ...job }, caller.principal, FROM) }));
  },
  async 'task:subscribe'({ taskIds, after, live }, { exchange, connection }) {
    if (!exchange || !connection) throw noTask();
    if (taskIds !== '*') connection.choose();
    await exchange.attend(connection, taskIds);
    return { afterwards: () => exchange.follow(connection, taskIds, { after, live }) };
  },
  async 'task:unsubscribe'({ taskIds }, { exchange, connection }) {
    connection?.choose();
    if (exchange && connection) exchange.unfollow(connection, taskIds);
    return {};
  },
  'approval:decide': async (decision, { caller, parts }) => ({
    fields: await decideApproval(decision, caller, parts),
  }),
  'memory:decide': (decision, asked) => once(asked, () => asked.parts.decideMemory(asked.caller, decision)),
  'plan:write': async (write, { caller, parts }) => ({ fields: await writePlanText(write, caller.principal, parts) }),
  'file:write': async (write, { caller, parts }) => ({ fields: await writeFile(write, caller.principal, parts) }),
  ping: async () => ({}),
  upload: async (piece, { caller, parts }) => ({ fields: await parts.pieces.take(caller.id, piece) }),
  'artifact:get': async ({ ref, offset }, { caller, parts }) => ({
    fields: await readArtifact(ref, offset, caller, parts),
  }),
};

/** @throws {RequestError} for a command of another shape, and as its handler does */
export function runCommand(type: CommandType, given: unknown, asked: CommandCall): Promise<Answer> {
  // The table pairs each handler with the schema of its type.
  const handle = HANDLERS[type] as (given: unknown, asked: CommandCall) => Promise<Answer>;
  return handle(parsedBy<unknown>(COMMANDS[type], given), asked);
}
