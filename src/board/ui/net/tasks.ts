/**
 * The list of tasks: pages of 100, the last changed first, as the gateway orders them. Invariants: a task stands in it once; what an event says of a task is shown at once,
 * and asked for again where it is not known whole.
 */
import { batch, type Signal, signal } from '@preact/signals';
import type { EventFrame } from '../../../client/client.ts';
import { api } from './api.ts';
import { gather } from './gather.ts';
import { onBehind, onEvent } from './live.ts';
import type { TaskDetail, TaskPage, TaskRow, TaskState } from './shapes.ts';

export interface Filter {
  state: '' | TaskState;
  channel: string;
}

const query = ({ state, channel }: Filter, after?: string): string => {
  const asked = new URLSearchParams();
  if (state !== '') asked.set('state', state);
  if (channel !== '') asked.set('channel', channel);
  if (after !== undefined) asked.set('after', after);
  return asked.size === 0 ? '/api/tasks' : `/api/tasks?${asked}`;
};

/** Before zero: `one` stands first. */
const byTime = (one: TaskRow, other: TaskRow): number =>
  compare(other.updatedAt, one.updatedAt) || compare(other.taskId, one.taskId);
const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/** What an event says is in sight before; the list is asked for to be sure. */
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

  /** The newest page again; the pages below it stay. */
  async refresh(): Promise<void> {
    this.#asked += 1;
    const mine = this.#asked;
    try {
      const page = await api<TaskPage>(query(this.filter));
      if (mine < this.#shown) return;
      this.#shown = mine;
      batch(() => this.#show(page));
    } catch (error) {
      if (mine === this.#asked) this.error.value = error;
    }
  }

  #show({ tasks, next }: TaskPage): void {
    this.error.value = undefined;
    const fresh = new Set(tasks.map(({ taskId }) => taskId));
    const known = this.tasks.value ?? [];
    const last = tasks.at(-1);
    const isBelow = (task: TaskRow) => last !== undefined && !fresh.has(task.taskId) && byTime(last, task) < 0;
    const below = next === undefined ? [] : known.filter(isBelow);
    if (below.length === 0) this.next.value = next;
    this.tasks.value = [...tasks, ...below].sort(byTime);
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
        const older = page.tasks.filter(({ taskId }) => !known.has(taskId));
        this.tasks.value = [...(this.tasks.value ?? []), ...older].sort(byTime);
        this.next.value = page.next;
      });
    } catch (error) {
      this.error.value = error;
    } finally {
      this.#isLoading = false;
    }
  }

  #take(event: EventFrame): void {
    const state = stateAfter(event);
    if (state === undefined || !('taskId' in event)) return;
    const { taskId } = event;
    const known = this.tasks.value?.find((task) => task.taskId === taskId);
    if (known) this.#put({ ...known, state, updatedAt: new Date().toISOString() });
    else void this.#find(taskId);
    this.#gather.soon();
  }

  /** One that begins is asked for alone: all of a long list takes longer. */
  async #find(taskId: string): Promise<void> {
    if (this.#finding.has(taskId)) return;
    this.#finding.add(taskId);
    try {
      this.#put(await api<TaskDetail>(`/api/tasks/${encodeURIComponent(taskId)}`));
    } catch {
      // Whether it is there the list says.
      this.#gather.soon();
    } finally {
      this.#finding.delete(taskId);
    }
  }

  /** In its place among those of the list, or out of it when it does not belong there any more. */
  #put(task: TaskRow): void {
    if (this.tasks.value === undefined) return;
    const { state, channel } = this.filter;
    const others = this.tasks.value.filter(({ taskId }) => taskId !== task.taskId);
    const fits = (state === '' || task.state === state) && (channel === '' || task.channel === channel);
    this.tasks.value = fits ? [task, ...others].sort(byTime) : others;
  }
}

function stateAfter(event: EventFrame): TaskState | undefined {
  if (event.type === 'task:started') return 'running';
  if (event.type === 'task:completed') return 'completed';
  if (event.type === 'task:error') return 'error';
  return event.type === 'task:state' ? (event.state as TaskState) : undefined;
}

const lists = new Map<string, TaskList>();

export function taskList(filter: Filter): TaskList {
  const key = query(filter);
  const found = lists.get(key) ?? new TaskList(filter);
  lists.set(key, found);
  return found;
}
