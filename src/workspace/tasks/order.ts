/**
 * All tasks by their last change, the newest first; those of one moment by their ids, the newest first. The files are the truth: each look
 * asks every record's file whether it has changed (about 5 µs), and reads only those that have. Nothing is kept before the first look.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Home } from '../home.ts';
import type { TaskRecord } from '../types.ts';
import { readTask, taskIds } from './record.ts';

/** What lists are ordered and filtered by. */
export type ListedTask = Pick<
  TaskRecord,
  'id' | 'viber' | 'state' | 'people' | 'conversations' | 'job' | 'digestAt' | 'updatedAt'
>;

interface Known {
  stamp: number;
  size: number;
  task: ListedTask | undefined;
}

/** Looked at in one go: the event loop must not stand still for thousands of files. */
const AT_ONCE = 500;
/** A file written twice within one tick of the kernel's clock keeps its time. */
const SETTLED_MS = 50;

export class TaskOrder {
  readonly #home: Home;
  readonly #known = new Map<string, Known>();
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

  /** Whether it is another than it was. */
  #look(id: string): boolean {
    const stat = fs.statSync(path.join(this.#home.taskDir(id), 'task.json'), { throwIfNoEntry: false });
    const [stamp, size] = [stat?.ctimeMs ?? 0, stat?.size ?? 0];
    const before = this.#known.get(id);
    if (before?.stamp === stamp && before.size === size) return false;
    const isSettled = Math.abs(Date.now() - stamp) > SETTLED_MS;
    this.#known.set(id, { stamp: isSettled ? stamp : Number.NaN, size, task: listed(readTask(this.#home, id)) });
    return true;
  }
}

function listed(task: TaskRecord | undefined): ListedTask | undefined {
  if (!task) return undefined;
  const { id, viber, state, people, conversations, job, digestAt, updatedAt } = task;
  return {
    id,
    viber,
    state,
    people,
    conversations,
    updatedAt,
    ...(job !== undefined && { job }),
    ...(digestAt !== undefined && { digestAt }),
  };
}

/** Before zero: `one` stands first. */
export function byChange(
  one: Pick<ListedTask, 'id' | 'updatedAt'>,
  other: Pick<ListedTask, 'id' | 'updatedAt'>,
): number {
  if (one.updatedAt !== other.updatedAt) return one.updatedAt < other.updatedAt ? 1 : -1;
  return one.id < other.id ? 1 : -1;
}
