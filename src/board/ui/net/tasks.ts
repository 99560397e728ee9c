/**
 * The task list: waiting tasks first, then pages of 100, most recently changed first, in the gateway's order.
 * Invariants: each task appears once, in its newest known state; events show at once, and the task is loaded if the
 * event is incomplete.
 */
import { batch, type Signal, signal } from '@preact/signals';
import type { EventFrame } from '../../../client/client.ts';
import type { TaskDetail, TaskPage, TaskRow } from '../../../client/shapes.ts';
import { api } from './api.ts';
import { gather } from './gather.ts';
import { onBehind, onEvent } from './live.ts';
import { type ShownState, shownState, states } from './states.ts';

export interface Filter {
  state: '' | Exclude<ShownState, 'open'> | 'archived';
  channel: string;
  project: string;
}

const query = ({ state, channel, project }: Filter, after?: string): string => {
  const asked = new URLSearchParams();
  if (state === 'archived') asked.set('archived', 'true');
  else if (state !== '') asked.set('state', state);
  if (channel !== '') asked.set('channel', channel);
  if (project !== '') asked.set('project', project);
  if (after !== undefined) asked.set('after', after);
  return asked.size === 0 ? '/api/tasks' : `/api/tasks?${asked}`;
};

/** Negative if `one` comes first. */
const byTime = (one: TaskRow, other: TaskRow): number =>
  compare(other.updatedAt, one.updatedAt) || compare(other.taskId, one.taskId);
const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);
const waits = (task: TaskRow): number => (shownState(task) === 'waiting' ? 1 : 0);
const byPlace = (one: TaskRow, other: TaskRow): number => waits(other) - waits(one) || byTime(one, other);

/** Events are visible earlier; this delay is for the reload that confirms them. */
const GATHER_MS = 1_000;

export class TaskList {
  readonly filter: Filter;
  readonly tasks: Signal<readonly TaskRow[] | undefined> = signal(undefined);
  readonly next: Signal<string | undefined> = signal(undefined);
  readonly error: Signal<unknown> = signal(undefined);
  #isLoading = false;
  #asked = 0;
  #shown = 0;
  readonly #finding = new Set<string>();
  readonly #gather = gather(() => void this.refresh(), GATHER_MS);

  constructor(filter: Filter) {
    this.filter = filter;
  }

  open(): () => void {
    void this.refresh();
    const ends = [onEvent((event) => this.#take(event)), onBehind(() => void this.refresh())];
    return () => {
      this.#gather.end();
      for (const end of ends) end();
    };
  }

  /** Reloads the newest page; the pages below stay. */
  async refresh(): Promise<void> {
    this.#asked += 1;
    const mine = this.#asked;
    try {
      const isAll = this.filter.state === '';
      const [page, waiting] = await Promise.all([
        api<TaskPage>(query(this.filter)),
        isAll ? api<TaskPage>(query({ ...this.filter, state: 'waiting' })) : undefined,
      ]);
      if (mine < this.#shown) return;
      this.#shown = mine;
      batch(() => this.#show(page, waiting));
    } catch (error) {
      if (mine === this.#asked) this.error.value = error;
    }
  }

  #show({ tasks, next, cursor }: TaskPage, waiting: TaskPage | undefined): void {
    this.error.value = undefined;
    const read = [
      ...tasks.map((task) => states.read(task, cursor)),
      ...(waiting?.tasks ?? []).map((task) => states.read(task, waiting?.cursor)),
    ];
    const fresh = new Map(read.map((task) => [task.taskId, task]));
    const known = this.tasks.value ?? [];
    const last = tasks.at(-1);
    const isBelow = (task: TaskRow) =>
      last !== undefined && !fresh.has(task.taskId) && waits(task) === 0 && byTime(last, task) < 0;
    const below = next === undefined ? [] : known.filter(isBelow);
    if (below.length === 0) this.next.value = next;
    this.tasks.value = [...fresh.values(), ...below].filter((task) => this.#fits(task)).sort(byPlace);
  }

  #fits(task: TaskRow): boolean {
    const { state, channel, project } = this.filter;
    const isMeantPlace = (channel === '' || task.channel === channel) && (project === '' || task.project === project);
    if ((state === 'archived') !== (task.archived === true)) return false;
    // The gateway lists a task with open steps among the completed ones.
    const shown = shownState({ ...task, open: false });
    return isMeantPlace && (state === '' || state === 'archived' || shown === state);
  }

  async more(): Promise<void> {
    const after = this.next.value;
    if (after === undefined || this.#isLoading) return;
    this.#isLoading = true;
    try {
      const page = await api<TaskPage>(query(this.filter, after));
      if (this.next.value !== after) return;
      const known = new Set(this.tasks.value?.map(({ taskId }) => taskId));
      batch(() => {
        const older = page.tasks
          .filter(({ taskId }) => !known.has(taskId))
          .map((task) => states.read(task, page.cursor))
          .filter((task) => this.#fits(task));
        this.tasks.value = [...(this.tasks.value ?? []), ...older].sort(byPlace);
        this.next.value = page.next;
      });
    } catch (error) {
      this.error.value = error;
    } finally {
      this.#isLoading = false;
    }
  }

  #take(event: EventFrame): void {
    if (!CHANGES.has(event.type) || !('taskId' in event) || typeof event.taskId !== 'string') return;
    const { taskId } = event;
    if ('deleted' in event && event.deleted === true) this.#remove(taskId);
    const known = this.tasks.value?.find((task) => task.taskId === taskId);
    if (event.type === 'task:changed' || event.type === 'plan:changed') {
      // Neither its place nor its time changes.
      if (known) this.#put({ ...known, ...changeIn(event) });
      this.#gather.soon();
      return;
    }
    const standing = states.of(taskId);
    if (known && standing) {
      const { state, waiting } = standing;
      this.#put({ ...known, state, waiting, updatedAt: new Date().toISOString() });
    } else void this.#find(taskId);
    this.#gather.soon();
  }

  /** Loads a task that has just started on its own, since a long list takes longer. */
  async #find(taskId: string): Promise<void> {
    if (this.#finding.has(taskId)) return;
    this.#finding.add(taskId);
    try {
      const found = await api<TaskDetail>(`/api/tasks/${encodeURIComponent(taskId)}`);
      this.#put(states.read(found, found.cursor));
    } catch {
      // The list shows whether it exists.
      this.#gather.soon();
    } finally {
      this.#finding.delete(taskId);
    }
  }

  #remove(taskId: string): void {
    this.tasks.value = this.tasks.value?.filter((task) => task.taskId !== taskId);
  }

  /** Moves the task to its place, or removes it if the filter no longer matches. */
  #put(task: TaskRow): void {
    if (this.tasks.value === undefined) return;
    const others = this.tasks.value.filter(({ taskId }) => taskId !== task.taskId);
    this.tasks.value = this.#fits(task) ? [task, ...others].sort(byPlace) : others;
  }
}

const changeIn = ({ title, archived }: { [field: string]: unknown }): Partial<TaskRow> => ({
  ...(typeof title === 'string' && { title }),
  ...(typeof archived === 'boolean' && { archived }),
});

const CHANGES: ReadonlySet<string> = new Set([
  ...[
    'task:started',
    'task:completed',
    'task:error',
    'task:state',
    'task:changed',
    'plan:changed',
    'approval:asked',
    'approval:decided',
  ],
]);

const lists = new Map<string, TaskList>();

export function taskList(filter: Filter): TaskList {
  const key = query(filter);
  const found = lists.get(key) ?? new TaskList(filter);
  lists.set(key, found);
  return found;
}
