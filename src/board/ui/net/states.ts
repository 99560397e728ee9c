/**
 * States of tasks, from events and answers. Each event has a position in the log, and each answer names the position it
 * was read at: an answer never replaces a newer event, and a repeated or late event changes nothing.
 */
import type { EventFrame } from '../../../client/client.ts';
import type { TaskRow, TaskState } from '../../../client/shapes.ts';

interface Place {
  epoch: string;
  seq: number;
}

export interface Standing {
  state: TaskState;
  /** A question or approval is pending, and nothing continues before it is answered. */
  waiting: boolean;
}

interface TaskStanding extends Standing {
  at: Place | undefined;
  /** The pending approvals that events have reported. */
  asked: ReadonlySet<string>;
}

const MAX_KNOWN = 20_000;
const OVER: ReadonlySet<TaskState> = new Set(['completed', 'error', 'stopped']);

function placeIn(cursor: string | undefined): Place | undefined {
  const [, epoch, seq] = /^(.+)\.(\d+)$/.exec(cursor ?? '') ?? [];
  return epoch === undefined ? undefined : { epoch, seq: Number(seq) };
}

/** Positions of different processes can't be compared; then the later arrival wins. */
const isBefore = (one: Place | undefined, other: Place | undefined): boolean =>
  one !== undefined && other !== undefined && one.epoch === other.epoch && one.seq < other.seq;

export class TaskStates {
  readonly #known = new Map<string, TaskStanding>();

  /** Applies an event; returns whether it changed anything. */
  happened(event: EventFrame): boolean {
    if (!('taskId' in event) || typeof event.taskId !== 'string') return false;
    const change = changeBy(event);
    if (change === undefined) return false;
    const { taskId } = event;
    const before = this.#known.get(taskId);
    const at = placeIn(event.cursor);
    if (before !== undefined && isBefore(at, before.at)) {
      // A decided approval isn't pending anymore, however late the event is.
      if (event.type === 'approval:decided') this.#set(taskId, { ...before, asked: dropAsked(before.asked, event) });
      return false;
    }
    this.#set(taskId, { ...change(before ?? UNKNOWN), at: at ?? before?.at });
    return true;
  }

  /** Returns the row with its newest known state, from the row itself or a later event. */
  read<T extends TaskRow>(row: T, cursor: string | undefined): T {
    const before = this.#known.get(row.taskId);
    const at = placeIn(cursor);
    if (before !== undefined && isBefore(at, before.at))
      return { ...row, state: before.state, waiting: before.waiting };
    const waiting = row.waiting ?? false;
    const asked = waiting ? (before?.asked ?? UNKNOWN.asked) : UNKNOWN.asked;
    this.#set(row.taskId, { state: row.state, waiting, asked, at });
    return row;
  }

  of(taskId: string): Standing | undefined {
    return this.#known.get(taskId);
  }

  #set(taskId: string, known: TaskStanding): void {
    this.#known.delete(taskId);
    this.#known.set(taskId, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

const UNKNOWN: TaskStanding = { state: 'pending', waiting: false, asked: new Set(), at: undefined };

function changeBy(event: EventFrame): ((before: TaskStanding) => TaskStanding) | undefined {
  const state = stateAfter(event);
  if (state !== undefined)
    return (before) =>
      OVER.has(state) ? { ...before, state, waiting: false, asked: new Set() } : { ...before, state };
  const approval = 'approval' in event ? String(event.approval) : undefined;
  if (approval === undefined) return undefined;
  if (event.type === 'approval:asked')
    return (before) => ({ ...before, state: 'running', waiting: true, asked: new Set([...before.asked, approval]) });
  if (event.type !== 'approval:decided') return undefined;
  return (before) => {
    const asked = dropAsked(before.asked, event);
    return { ...before, asked, waiting: asked.size > 0 };
  };
}

function dropAsked(asked: ReadonlySet<string>, event: EventFrame): ReadonlySet<string> {
  const approval = 'approval' in event ? String(event.approval) : undefined;
  return new Set([...asked].filter((one) => one !== approval));
}

function stateAfter(event: EventFrame): TaskState | undefined {
  if (event.type === 'task:started') return 'running';
  if (event.type === 'task:completed') return 'completed';
  if (event.type === 'task:error') return 'error';
  return event.type === 'task:state' ? (event.state as TaskState) : undefined;
}

export type ShownState = TaskState | 'waiting' | 'open';

interface RowStanding {
  state: TaskState;
  waiting?: boolean | undefined;
  /** Steps of its plan are left. */
  open?: boolean;
}

export function shownState({ state, waiting, open }: RowStanding): ShownState {
  if (open === true && state === 'completed') return 'open';
  return waiting === true && !OVER.has(state) ? 'waiting' : state;
}

export const states = new TaskStates();
