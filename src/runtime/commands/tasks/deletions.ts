/**
 * Deletes tasks, and lets people undo it for a while. A deleted task's conversations begin another one and are told.
 * Each step is on disk before it is acknowledged, and an interrupted deletion is finished after a restart.
 */
import type { Principal } from '../../../access/principal.ts';
import { principalText } from '../../../access/principal.ts';
import { API } from '../../../channels/channel.ts';
import { UserError } from '../../../errors.ts';
import { exclusively } from '../../../lib/locks.ts';
import { say, type Wording } from '../../../messages/messages.ts';
import {
  type DeletedTask,
  deletedTask,
  deletedTasks,
  forgetDeleted,
  hasDeleted,
  moveFromDeleted,
  moveToDeleted,
  newTaskId,
  openTask,
  recordDeletion,
} from '../../../workspace/tasks/index.ts';
import { taskLane } from '../../contract/entry.ts';
import type { Binding } from '../../conversations/conversations.ts';
import type { Gateway } from '../../run/gateway.ts';

/** How long a deletion can be undone. */
export const UNDO_MS = 5 * 60_000;
/** How long a stopped run may take to end, and the interval of checks. */
const [END_MS, LOOK_MS] = [10_000, 50];

const timers = new WeakMap<Gateway, Set<NodeJS.Timeout>>();

/** Finishes interrupted deletions, and removes tasks whose time to undo is over. Returns a function that stops this. */
export async function keepDeletions(gw: Gateway): Promise<() => void> {
  const own = timersOf(gw);
  if (hasDeleted(gw.home))
    for (const note of deletedTasks(gw.home)) {
      if (note.way === 'back') await moveFromDeleted(gw.home, note);
      else {
        await bindElsewhere(note, gw);
        await moveToDeleted(gw.home, note);
        endLater(note, gw);
      }
    }
  return () => {
    for (const timer of own) clearTimeout(timer);
    own.clear();
  };
}

function timersOf(gw: Gateway): Set<NodeJS.Timeout> {
  const own = timers.get(gw) ?? new Set<NodeJS.Timeout>();
  timers.set(gw, own);
  return own;
}

const undoEnd = ({ at }: DeletedTask): number => Date.parse(at) + UNDO_MS;

function endLater(note: DeletedTask, gw: Gateway): void {
  const own = timersOf(gw);
  const timer = setTimeout(
    () => {
      own.delete(timer);
      removeForGood(note.id, gw).catch((error: unknown) =>
        gw.log.error({ err: error, task: note.id }, 'a deleted task could not be removed; the next start tries again'),
      );
    },
    Math.max(0, undoEnd(note) - Date.now()),
  );
  timer.unref();
  own.add(timer);
}

const lockOf = (id: string, { home }: Gateway): string => `${home.taskDir(id)}.deleted`;

const removeForGood = (id: string, gw: Gateway): Promise<void> =>
  exclusively(lockOf(id, gw), async () => {
    const note = deletedTask(gw.home, id);
    if (note?.way === 'out' && undoEnd(note) <= Date.now()) await forgetDeleted(gw.home, id);
  });

/**
 * Deletes a stopped task. Deleting it again has no effect.
 * @returns until when it can be undone
 * @throws {UserError} while a run of it goes on
 */
export function deleteTask(id: string, by: Principal, gw: Gateway): Promise<string> {
  return exclusively(lockOf(id, gw), async () => {
    const { home, tasks } = gw;
    const known = deletedTask(home, id);
    const task = openTask(home, id).record();
    if (known && !task) return new Date(undoEnd(known)).toISOString();
    if (!task) throw new UserError(say('requests.noTask'));
    await untilIdle(id, gw);
    const bound = tasks.conversations.bound(id);
    const now = new Date();
    const places = bound.map(({ key }) => ({ key, instead: newTaskId(now) }));
    const { title, people } = task;
    const note: DeletedTask = { id, title, people, by: principalText(by), at: now.toISOString(), way: 'out', places };
    await recordDeletion(home, note);
    await bindElsewhere(note, gw);
    await moveToDeleted(home, note);
    endLater(note, gw);
    await tellPlaces(bound, `deleted-${id}-${now.getTime()}`, say('tasks.deleted', { title }), gw);
    return new Date(undoEnd(note)).toISOString();
  });
}

/**
 * Restores a deleted task, also in those of its conversations that have no other task by now.
 * @throws {UserError} once the window has ended
 */
export function restoreTask(id: string, gw: Gateway): Promise<void> {
  return exclusively(lockOf(id, gw), async () => {
    const { home, tasks } = gw;
    const note = deletedTask(home, id);
    if (!note) {
      if (openTask(home, id).record()) return;
      throw new UserError(say('requests.noTask'));
    }
    if (undoEnd(note) <= Date.now()) throw new UserError(say('requests.noTask'));
    await moveFromDeleted(home, note);
    const returned: Binding[] = [];
    for (const { key, instead } of note.places) {
      const binding = tasks.conversations.get(key);
      if (binding?.taskId !== instead || openTask(home, instead).record()) continue;
      await tasks.conversations.bind({ ...withoutTime(binding), taskId: id });
      returned.push(binding);
    }
    const { title } = note;
    await tellPlaces(returned, `restored-${id}-${Date.parse(note.at)}`, say('tasks.restored', { title }), gw);
  });
}

/** Detaches its conversations, so that the next message there begins another task. */
async function bindElsewhere({ id, places }: DeletedTask, { tasks: { conversations } }: Gateway): Promise<void> {
  for (const { key, instead } of places) {
    const binding = conversations.get(key);
    if (binding?.taskId === id) await conversations.bind({ ...withoutTime(binding), taskId: instead });
  }
}

const withoutTime = ({ boundAt: _boundAt, ...binding }: Binding): Omit<Binding, 'boundAt'> => binding;

/** @throws {UserError} if it doesn't end */
async function untilIdle(id: string, { engine }: Gateway): Promise<void> {
  const end = Date.now() + END_MS;
  for (;;) {
    const { view, depth } = await engine.queue.look(taskLane(id));
    if (!view && depth === 0) return;
    if (Date.now() > end) throw new UserError(say('tasks.stillWorks'));
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Tells the chats; the Board's page shows it anyway. */
async function tellPlaces(bound: readonly Binding[], id: string, said: Wording, gw: Gateway): Promise<void> {
  for (const [index, { address }] of bound.entries()) {
    if (address.channel === API || gw.places.channelOf(address) === undefined) continue;
    const text = gw.say(address).said(said);
    await gw.delivery.add({ id: `${id}-${index}`, address, text, files: [] }, id);
  }
}
