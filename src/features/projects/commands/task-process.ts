/** Tracks a task's commands in this gateway process, and reports them to runs. */
import type { TaskNetwork } from './networks.ts';
import { oneLine } from './output.ts';
import type { Owner, ProcessRecord } from './record.ts';
import type { CommandEnd, RunningCommand } from './run.ts';

export interface TaskProcess extends ProcessRecord {
  /** The project's folder. */
  readonly folder: string;
  readonly running: RunningCommand;
  /** The folder of its cache. */
  readonly cache?: string | undefined;
  /** Set once it has ended. */
  end?: CommandEnd;
  /** Returns the hosts that the task's network refused while it ran. */
  refused(): string[];
  /** Ends it and everything that it started. */
  stop(): void;
  /** Detaches it from the signal that it was started with. */
  keep(): void;
}

export interface TaskState {
  /** In the foreground and in the background. */
  running: Set<TaskProcess>;
  /** Background processes, oldest first, including ended ones whose output can still be read. */
  background: TaskProcess[];
  /** Commands of gateway processes that have ended. */
  lost: ProcessRecord[];
  /** The gateway processes that recorded those, until this one has recorded them. */
  adopted: Owner[];
  next: number;
  network?: TaskNetwork | undefined;
}

export const newTaskState = (): TaskState => ({
  running: new Set(),
  background: [],
  lost: [],
  adopted: [],
  next: 1,
});

/** Takes over the records of a gateway process that has ended. */
export function adopt(state: TaskState, owner: Owner): void {
  const { processes } = owner;
  state.adopted.push(owner);
  state.lost.push(...processes.filter(({ hasEnded }) => !hasEnded));
  state.next = Math.max(state.next, ...processes.map(({ id }) => Number(id.slice(1)) + 1));
}

/** Moves a command to the background: nobody waits for it any more, and it ends with its task. */
export function toBackground({ background }: TaskState, process: TaskProcess): void {
  process.keep();
  delete process.callId;
  process.running.output.forget();
  background.push(process);
}

export const countRunning = ({ background }: TaskState): number => background.filter(({ end }) => !end).length;

/** Returns the tasks that can be forgotten; first those for which a run knows every end. */
export function idleTasks(tasks: ReadonlyMap<string, TaskState>): string[] {
  const rank = ({ background }: TaskState) => (background.every(({ toldTo }) => toldTo !== undefined) ? 0 : 1);
  const idle = [...tasks].filter(([, { running, lost }]) => running.size === 0 && lost.length === 0);
  return idle.sort(([, one], [, other]) => rank(one) - rank(other)).map(([taskId]) => taskId);
}

/**
 * Reports to a run which processes have ended, each to one run only, and which are running. `hasChanged` if that must
 * be recorded.
 */
export function tellRun(state: TaskState, run: string): { lines: string[]; hasChanged: boolean } {
  const isNew = ({ toldTo = run }: ProcessRecord) => toldTo === run;
  const lost = state.lost.filter(isNew);
  const shown = state.background.filter((process) => !process.end || isNew(process));
  const hasChanged = state.lost.some(({ toldTo }) => toldTo !== run);
  state.lost = lost;
  for (const process of [...lost, ...shown.filter(({ end }) => end)]) process.toldTo = run;
  const lines = [
    ...lost.map(
      (one) => `${nameOf(one)} ended when the gateway restarted: check what it did before you start it again`,
    ),
    ...shown.map((process) => `${nameOf(process)} ${process.end ? `ended ${endText(process.end)}` : 'is running'}`),
  ];
  return { lines, hasChanged };
}

export async function endAll(processes: readonly TaskProcess[]): Promise<void> {
  for (const { stop } of processes) stop();
  await Promise.allSettled(processes.map(({ running }) => running.ended));
}

const nameOf = ({ id, command }: ProcessRecord): string => `${id} \`${oneLine(command)}\``;

function endText({ exit, why }: CommandEnd): string {
  return why === undefined ? `with exit code ${exit}` : `(${why.replace(/[;.].*$/s, '')})`;
}
