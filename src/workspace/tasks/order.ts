/**
 * All tasks by last change, newest first. Each call checks every record's file for changes (about 5 µs) and reads only
 * changed ones.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Home } from '../home.ts';
import type { TaskRecord } from '../types.ts';
import { readTask, taskIds } from './record.ts';

/** The fields that lists are ordered and filtered by. */
export type ListedTask = Pick<
  TaskRecord,
  'id' | 'viber' | 'state' | 'people' | 'conversations' | 'job' | 'digestAt' | 'updatedAt' | 'project' | 'archived'
> & {
  /** The title and, in the second line, how the goal begins, in lower case. */
  about: string;
};

interface KnownTask {
  stamp: number;
  size: number;
  task: ListedTask | undefined;
}

/** Files checked per turn: the event loop must not stall for thousands of files. */
const AT_ONCE = 500;
/** A file written twice within one tick of the kernel's clock keeps its timestamp. */
const SETTLED_MS = 50;
/** Characters of a goal that are searched. */
const ABOUT_GOAL = 300;

export class TaskOrder {
  readonly #home: Home;
  readonly #known = new Map<string, KnownTask>();
  #ordered: readonly ListedTask[] = [];

  constructor(home: Home) {
    this.#home = home;
  }

  async list(): Promise<readonly ListedTask[]> {
    const ids = taskIds(this.#home);
    let isChanged = this.#forget(ids);
    for (const [index, id] of ids.entries()) {
      if (index % AT_ONCE === AT_ONCE - 1) await nextTurn();
      isChanged = this.#look(id) || isChanged;
    }
    if (isChanged) this.#ordered = [...this.#known.values()].flatMap(({ task }) => task ?? []).sort(byChange);
    return this.#ordered;
  }

  #forget(ids: readonly string[]): boolean {
    if (this.#known.size === 0) return false;
    const there = new Set(ids);
    const gone = [...this.#known.keys()].filter((id) => !there.has(id));
    for (const id of gone) this.#known.delete(id);
    return gone.length > 0;
  }

  #look(id: string): boolean {
    const stat = fs.statSync(path.join(this.#home.taskDir(id), 'task.json'), { throwIfNoEntry: false });
    const [stamp, size] = [stat?.ctimeMs ?? 0, stat?.size ?? 0];
    const before = this.#known.get(id);
    if (before?.stamp === stamp && before.size === size) return false;
    const isSettled = Math.abs(Date.now() - stamp) > SETTLED_MS;
    const task = listedTask(readTask(this.#home, id, stat));
    this.#known.set(id, { stamp: isSettled ? stamp : Number.NaN, size, task });
    return true;
  }
}

function listedTask(task: TaskRecord | undefined): ListedTask | undefined {
  if (!task) return undefined;
  const { id, viber, state, people, conversations, job, digestAt, updatedAt, project, archived } = task;
  return {
    id,
    viber,
    state,
    people,
    conversations,
    updatedAt,
    about: `${task.title}\n${task.goal.slice(0, ABOUT_GOAL)}`.toLowerCase(),
    ...(project !== undefined && { project }),
    ...(archived !== undefined && { archived }),
    ...(job !== undefined && { job }),
    ...(digestAt !== undefined && { digestAt }),
  };
}

/** Returns a negative number when `one` comes first. */
export function byChange(one: { id: string; updatedAt: string }, other: { id: string; updatedAt: string }): number {
  if (one.updatedAt !== other.updatedAt) return one.updatedAt < other.updatedAt ? 1 : -1;
  return one.id < other.id ? 1 : -1;
}
