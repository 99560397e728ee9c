/**
 * Runs the commands of all tasks. A task's commands share a network while any of them is running, so that one can reach
 * a server that another runs. A command that nobody waits for is a process in the background; it ends with its task or
 * the gateway.
 */
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import type { Json } from '../../../lib/json.ts';
import type { Reach } from '../../../skills/script-proxy.ts';
import type { Home } from '../../../workspace/home.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import { Neighbours, type Question, type SharedBy } from './neighbours.ts';
import {
  isRunningHere,
  newInstance,
  type Owner,
  type ProcessRecord,
  readOwners,
  removeRecords,
  writeRecords,
} from './record.ts';
import { type ProcessOrder, startTaskProcess } from './start-process.ts';
import {
  adopt,
  countRunning,
  endAll,
  idleTasks,
  newTaskState,
  type TaskProcess,
  type TaskState,
  tellRun,
  toBackground,
} from './task-process.ts';
import { type ProcessCall, processCall, useProcess, waitMs } from './use.ts';

const MAX_OF_TASK = 8;
const MAX_OF_ALL = 32;
const MAX_ENDED = 8;
/** Beyond this number, tasks without running commands are forgotten. */
const MAX_TASKS = 200;
/** How long another gateway process may take to answer; below, to end commands. */
const ANSWER_MS = 3_000;
const STOP_MS = 10_000;

export class Processes {
  readonly #home: Home;
  readonly #near: Reach;
  /** Caches that commands have used since they were last tidied, by folder. */
  readonly #usedCaches = new Set<string>();
  readonly #tasks = new Map<string, TaskState>();
  readonly #instance = newInstance();
  readonly #neighbours: Neighbours | undefined;
  #isClosed = false;

  /**
   * @param by what the home's gateway processes share; undefined if there is only one
   * @param near replaces how hosts are found, for tests
   */
  constructor(home: Home, { by, near = {} }: { by?: SharedBy | undefined; near?: Reach } = {}) {
    this.#home = home;
    this.#near = near;
    this.#neighbours = by && new Neighbours(this.#instance, by, (question) => this.#answer(question));
  }

  /** The number of tasks kept in memory. */
  get size(): number {
    return this.#tasks.size;
  }

  /** Returns whether this call was interrupted because its gateway process ended or lost the task. */
  async wasCut(taskId: string, callId: string): Promise<boolean> {
    const state = await this.#current(taskId);
    const others = this.#neighbours ? this.#owners(taskId).flatMap(({ processes }) => processes) : [];
    return [...state.lost, ...others].some((one) => one.callId === callId);
  }

  /**
   * Starts a command. The order's signal ends it; in the background, only while it starts.
   * @throws UserError if it can't be started, or too many are in the background
   */
  async start(taskId: string, order: ProcessOrder, isBackground = false): Promise<TaskProcess> {
    const state = await this.#current(taskId);
    if (isBackground) this.#refuseMore(taskId, state);
    const { command, names, callId } = order;
    await this.#neighbours?.begin();
    const id = `p${(await this.#neighbours?.next(taskId)) ?? state.next++}`;
    const record = { id, command, cwd: names.join('/'), startedAt: new Date().toISOString(), callId };
    this.#write(taskId, state, record);
    try {
      if (this.#isClosed) throw new UserError('The gateway is stopping.');
      const left = (process: TaskProcess) => this.#left(taskId, state, process);
      const process = await startTaskProcess(record, order, { home: this.#home, near: this.#near, state, left });
      if (isBackground) toBackground(state, process);
      return process;
    } finally {
      this.#write(taskId, state);
    }
  }

  /**
   * Moves a running command to the background.
   * @throws UserError if too many are there
   */
  detach(taskId: string, process: TaskProcess): void {
    const state = this.#state(taskId);
    this.#refuseMore(taskId, state);
    toBackground(state, process);
    this.#write(taskId, state);
  }

  /** Lists a task's running background processes, in all gateway processes of the home. */
  running(taskId: string): readonly { id: string; command: string }[] {
    const own = this.#background(taskId).filter(({ end }) => !end);
    return [...own, ...this.#elsewhere(taskId).filter(({ hasEnded }) => !hasEnded)];
  }

  /** Lists a task's background processes, including ended ones whose output can still be read. */
  known(taskId: string): readonly { id: string; command: string }[] {
    return [...this.#background(taskId), ...this.#elsewhere(taskId)];
  }

  /**
   * Reads from a background process, writes to it, or ends it, in whichever gateway process it runs.
   * @throws UserError
   */
  async use(taskId: string, call: ProcessCall, signal: AbortSignal): Promise<{ [key: string]: Json }> {
    const own = this.#background(taskId).find(({ id }) => id === call.id);
    if (own) return useProcess(own, call, signal);
    const owner = this.#owners(taskId).find(({ processes }) => processes.some(({ id }) => id === call.id));
    const asked = { what: 'use' as const, taskId, call };
    const answer = owner && (await this.#neighbours?.ask(owner.instance, asked, waitMs(call) + STOP_MS));
    const { data } = answered.safeParse(answer);
    if (!data) throw new UserError(`${call.id} runs in another process of the gateway, which isn't answering.`);
    if ('error' in data) throw new UserError(data.error);
    return data.result;
  }

  /** Returns the tasks that have running commands, with their projects. */
  places(): { taskId: string; folder: string }[] {
    return [...this.#tasks].flatMap(([taskId, { running }]) => [...running].map(({ folder }) => ({ taskId, folder })));
  }

  /** Returns whether a command is using the cache in this folder. */
  usesCache(folder: string): boolean {
    return [...this.#tasks.values()].some(({ running }) => [...running].some(({ cache }) => cache === folder));
  }

  /** Takes the caches that were used and are now idle, if it is time to tidy them. */
  takeUsedCaches(isDue: (folder: string) => boolean): string[] {
    const free = [...this.#usedCaches].filter((folder) => !this.usesCache(folder) && isDue(folder));
    for (const folder of free) this.#usedCaches.delete(folder);
    return free;
  }

  /** Ends all of a task's commands in this process. Returns how many were in the background. */
  async end(taskId: string): Promise<number> {
    const state = this.#tasks.get(taskId);
    if (!state) return 0;
    const count = countRunning(state);
    await endAll([...state.running]);
    return count;
  }

  /** Ends all of a task's commands in all processes. Returns how many were in the background. */
  async endEverywhere(taskId: string): Promise<number> {
    const others = this.#neighbours ? this.#owners(taskId) : [];
    const counts = others.map((owner) => this.#neighbours?.ask(owner.instance, { what: 'end', taskId }, STOP_MS));
    const ended = await Promise.all([this.end(taskId), ...counts]);
    return ended.reduce((sum: number, count) => sum + (typeof count === 'number' ? count : 0), 0);
  }

  /** Ends all commands. Their records stay on disk, so that their tasks learn that they have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await endAll([...this.#tasks.values()].flatMap(({ running }) => [...running]));
    await this.#neighbours?.close();
  }

  /** Returns sentences for a run about the task's processes. Each end is reported to one run only. */
  async tell(taskId: string, run: string): Promise<string[]> {
    const state = await this.#current(taskId);
    const others = this.#neighbours ? this.#owners(taskId) : [];
    const asked = others.map((owner) =>
      this.#neighbours?.ask(owner.instance, { what: 'tell', taskId, run }, ANSWER_MS),
    );
    const told = (await Promise.all(asked)).map((lines) => z.array(z.string()).safeParse(lines).data ?? []);
    return [...this.#tell(taskId, state, run), ...told.flat().map((line) => `${line}${ELSEWHERE}`)];
  }

  #tell(taskId: string, state: TaskState, run: string): string[] {
    const { lines, hasChanged } = tellRun(state, run);
    if (hasChanged || this.#neighbours) this.#write(taskId, state);
    return lines;
  }

  #background(taskId: string): readonly TaskProcess[] {
    return this.#tasks.get(taskId)?.background ?? [];
  }

  /** Returns the other gateway processes with commands of this task, unless their records were taken over. */
  #owners(taskId: string): Owner[] {
    return readOwners(openTask(this.#home, taskId).folder, this.#instance);
  }

  #elsewhere(taskId: string): ProcessRecord[] {
    const owners = this.#neighbours ? this.#owners(taskId) : [];
    return owners.flatMap(({ processes }) => processes.filter(({ callId }) => callId === undefined));
  }

  /** Answers another process of the home. */
  async #answer(question: Question): Promise<Json> {
    const { taskId } = question;
    if (question.what === 'end') return this.end(taskId);
    if (question.what === 'tell') return this.#tell(taskId, this.#state(taskId), question.run);
    const call = processCall.parse(question.call);
    const own = this.#background(taskId).find(({ id }) => id === call.id);
    if (!own) return { error: `This task has no process ${call.id.slice(0, 20)}.` };
    try {
      return { result: await useProcess(own, call, new AbortController().signal) };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { error: error.message };
    }
  }

  /** Returns the task's state, after taking over the records of gateway processes that have ended. */
  async #current(taskId: string): Promise<TaskState> {
    const state = this.#state(taskId);
    if (!this.#neighbours) return state;
    for (const owner of this.#owners(taskId)) {
      if (state.adopted.some(({ file }) => file === owner.file) || !(await this.#neighbours.isGone(owner))) continue;
      adopt(state, owner);
    }
    return state;
  }

  #state(taskId: string): TaskState {
    const known = this.#tasks.get(taskId);
    if (known) return known;
    if (this.#tasks.size >= MAX_TASKS) this.#forgetIdle();
    const state = newTaskState();
    // Without neighbours, an earlier gateway process can only have ended.
    if (!this.#neighbours) for (const owner of this.#owners(taskId)) if (!isRunningHere(owner)) adopt(state, owner);
    this.#tasks.set(taskId, state);
    return state;
  }

  #forgetIdle(): void {
    for (const taskId of idleTasks(this.#tasks).slice(0, Math.ceil(MAX_TASKS / 10))) this.#tasks.delete(taskId);
  }

  #left(taskId: string, state: TaskState, process: TaskProcess): void {
    state.running.delete(process);
    if (process.cache !== undefined) this.#usedCaches.add(process.cache);
    const old = new Set(state.background.filter(({ end }) => end).slice(0, -MAX_ENDED));
    state.background = state.background.filter((each) => !old.has(each));
    if (!this.#isClosed) this.#write(taskId, state);
  }

  #refuseMore(taskId: string, state: TaskState): void {
    const elsewhere = this.#elsewhere(taskId).filter(({ hasEnded }) => !hasEnded).length;
    if (countRunning(state) + elsewhere >= MAX_OF_TASK)
      throw new UserError(`This task has ${MAX_OF_TASK} processes in the background: stop one first.`);
    if ([...this.#tasks.values()].reduce((sum, each) => sum + countRunning(each), 0) >= MAX_OF_ALL)
      throw new UserError('Too many processes are running in the background on this machine: stop one first.');
  }

  #write(taskId: string, state: TaskState, ...starting: ProcessRecord[]): void {
    const { folder } = openTask(this.#home, taskId);
    const isShared = this.#neighbours !== undefined;
    const ended = isShared ? state.background.filter(({ end }) => end).map((one) => ({ ...one, hasEnded: true })) : [];
    const all = [...state.lost, ...state.running, ...ended, ...starting];
    writeRecords(folder, all, { instance: this.#instance, isShared });
    if (isShared) for (const owner of state.adopted) removeRecords(folder, owner);
    state.adopted = [];
  }
}

const answered = z.union([z.object({ error: z.string() }), z.object({ result: z.record(z.string(), z.json()) })]);

const ELSEWHERE = ', in another process of the gateway: its ports may be unreachable';
