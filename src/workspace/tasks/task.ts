/** A task: its record, session, plan and artifacts. Opening one reads nothing; the stores cache unchanged files. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { namesIn } from '../../lib/damage.ts';
import { DEFAULT_VIBER, type Home } from '../home.ts';
import type { TaskRecord } from '../types.ts';
import { Artifacts } from './artifacts.ts';
import { linkCurrentTask } from './current.ts';
import { TaskPlan } from './plan.ts';
import { readStored, syncTask, updateTask } from './record.ts';
import { Session } from './session.ts';

/** @param viber whose session it is, and whose folder shows the plan; by default the one in the record */
export const openTask = (home: Home, of: string | { id: string; viber: string }, viber?: string): Task =>
  typeof of === 'string' ? new Task(home, of, viber) : new Task(home, of.id, viber ?? of.viber);

export class Task {
  readonly id: string;
  readonly #home: Home;
  readonly #viber: string | undefined;

  constructor(home: Home, id: string, viber?: string) {
    this.#home = home;
    this.id = id;
    this.#viber = viber;
  }

  /** A damaged record is set aside and rebuilt from the session. */
  record(): TaskRecord | undefined {
    return readStored(this.#home, this.id)?.record;
  }

  /** As `updateTask`. */
  update(change: (record: TaskRecord) => TaskRecord, options?: { sync?: boolean }): Promise<TaskRecord> {
    return updateTask(this.#home, this.id, change, options);
  }

  /** Makes a record that was saved without `sync` survive a power cut. */
  sync(): Promise<void> {
    return syncTask(this.#home, this.id);
  }

  async show(): Promise<void> {
    await linkCurrentTask(this.#home, this.#viber ?? this.record()?.viber ?? DEFAULT_VIBER, this.id);
  }

  /** The record goes last, so that an interrupted removal can be repeated. */
  async remove(): Promise<void> {
    for (const viber of namesIn(this.#home.agents))
      for (const name of [this.id, `${this.id}.jsonl`])
        await rm(path.join(this.#home.agents, viber, 'sessions', name), { recursive: true, force: true });
    for (const name of namesIn(this.folder).filter((each) => each !== 'task.json'))
      await rm(this.fileAt(name), { recursive: true, force: true });
    await rm(this.folder, { recursive: true, force: true });
  }

  get folder(): string {
    return this.#home.taskDir(this.id);
  }

  /** A file beside the artifacts: an unfinished download, the state of a playbook, the text of a document. */
  fileAt(name: string): string {
    return path.join(this.folder, name);
  }

  /** The session of a run that works on a part of another one. */
  partOf(run: string): Session {
    return new Session(this.#home, this.id, this.#viber ?? this.record()?.viber ?? DEFAULT_VIBER, run);
  }

  get session(): Session {
    return new Session(this.#home, this.id, this.#viber ?? this.record()?.viber ?? DEFAULT_VIBER);
  }

  get plan(): TaskPlan {
    return new TaskPlan(this.#home, this.id, this.#viber);
  }

  get artifacts(): Artifacts {
    return new Artifacts(this.#home, this.id);
  }
}
