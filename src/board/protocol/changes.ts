/** Names a task, archives it, deletes it and takes that back: for its people and owners. */
import { authoriseAction } from '../../access/authorise.ts';
import { isOneOf } from '../../access/principal.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { say } from '../../messages/messages.ts';
import type { Caller } from '../../runtime/contract/board.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import { wrongField } from '../respond.ts';
import type { ProtocolParts } from './parts.ts';
import { noTask, notTheirs, steeredTask } from './refusals.ts';
import type { CommandOf } from './schemas.ts';

const MAX_TITLE = 100;

interface TaskChange {
  taskId: string;
  title: string;
  archived: boolean;
  deleted: boolean;
  undoUntil?: string;
}

/** Each change is a state, so that repeating it is safe. */
export async function changeTask(
  { taskId, title, archived, deleted }: CommandOf<'task:change'>,
  caller: Caller,
  parts: ProtocolParts,
): Promise<TaskChange> {
  if (deleted === false) await undelete(taskId, caller, parts);
  if (deleted === true) {
    const gone = alreadyDeleted(taskId, caller, parts);
    if (gone === undefined) steeredTask(taskId, caller.principal, parts);
    const name = openTask(parts.home, taskId).record()?.title ?? '';
    // Told while the record still says who may know.
    if (gone === undefined) parts.changed({ taskId, deleted: true });
    const undoUntil = await parts.deleting.remove(taskId, caller);
    return { taskId, title: name, archived: false, deleted: true, undoUntil };
  }
  const before = steeredTask(taskId, caller.principal, parts);
  const named = title === undefined ? undefined : cutText(plainLine(title), MAX_TITLE);
  if (named === '') throw wrongField('title', say('requests.empty'));
  const task = await openTask(parts.home, taskId).update(({ archived: since, ...record }) => {
    const isAway = archived ?? since !== undefined;
    return {
      ...record,
      ...(named !== undefined && { title: named, named: true as const }),
      ...(isAway && { archived: since ?? new Date().toISOString() }),
      // Neither moves it in lists.
      updatedAt: before.updatedAt,
    };
  });
  const now = { title: task.title, archived: task.archived !== undefined };
  parts.changed({ taskId, ...now, ...(deleted === false && { deleted }) });
  return { taskId, ...now, deleted: false };
}

/** Returns the people of a task that this caller has deleted already, or may put back. */
function alreadyDeleted(taskId: string, { principal }: Caller, { deleting }: ProtocolParts) {
  const people = deleting.peopleOf(taskId);
  if (people === undefined) return undefined;
  if (principal.role !== 'owner' && !isOneOf(people, principal)) throw noTask();
  if (!authoriseAction(principal, 'steer', people)) throw notTheirs();
  return people;
}

async function undelete(taskId: string, caller: Caller, parts: ProtocolParts): Promise<void> {
  if (alreadyDeleted(taskId, caller, parts) !== undefined) await parts.deleting.restore(taskId);
}
