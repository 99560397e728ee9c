/**
 * Reports plans that people save in an editor while somebody looks, like the store's own writes (`changes.ts`). Watches
 * at most the folders of the newest few hundred tasks.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { readTextSync } from '../../lib/files.ts';
import { exclusively } from '../../lib/locks.ts';
import { type Home, listVibers } from '../home.ts';
import { tellChange } from './changes.ts';
import { currentTask, isBeingSaved, planFile, settleEdits } from './current.ts';
import { TaskPlan } from './plan.ts';
import { readTask } from './record.ts';

const MAX_TASKS = 256;
const QUIET_MS = 60;
/** An emptied file is about to be written; it counts as empty once it is unchanged for this long, in ms. */
const EMPTY_MS = 1_500;

interface FileWatch {
  watcher: fs.FSWatcher;
  timer?: NodeJS.Timeout;
}

export class PlanWatch {
  readonly #home: Home;
  readonly #onError: (error: unknown) => void;
  readonly #watched = new Map<string, FileWatch>();
  /** The hash that was reported last, by task; '' where there is no plan. */
  readonly #known = new Map<string, string>();
  #hasFailed = false;

  constructor(home: Home, onError: (error: unknown) => void) {
    this.#home = home;
    this.#onError = onError;
  }

  /** Watches these tasks, and those that the vibers' folders show. */
  async attend(taskIds: readonly string[]): Promise<void> {
    for (const viber of listVibers(this.#home)) {
      const folder = this.#home.viberDir(viber);
      this.#watch(folder, (name) => name === 'task.md' && this.#soon(folder, QUIET_MS, () => this.#settle(viber)));
      const shown = currentTask(this.#home, viber);
      if (shown !== undefined) await this.#attendTo(shown);
    }
    for (const id of taskIds) await this.#attendTo(id);
  }

  heard({ taskId, hash }: { taskId: string; hash: string }): void {
    if (this.#known.has(taskId)) this.#known.set(taskId, hash);
  }

  rest(): void {
    for (const folder of this.#watched.keys()) this.#leave(folder);
    this.#known.clear();
  }

  async #attendTo(taskId: string): Promise<void> {
    const folder = this.#home.taskDir(taskId);
    if (this.#known.has(taskId) || !fs.existsSync(folder)) return;
    this.#known.set(taskId, '');
    this.#watch(folder, (name) => name === 'task.md' && this.#soon(folder, QUIET_MS, () => this.#look(taskId)));
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_TASKS && oldest !== undefined) {
      this.#known.delete(oldest);
      this.#leave(this.#home.taskDir(oldest));
    }
    this.#known.set(taskId, (await new TaskPlan(this.#home, taskId).read())?.hash ?? '');
  }

  #watch(folder: string, onName: (name: string | null) => void): void {
    if (this.#watched.has(folder)) return;
    try {
      const watcher = fs.watch(folder, (_event, name) => onName(name)).unref();
      watcher.on('error', () => this.#leave(folder));
      this.#watched.set(folder, { watcher });
    } catch (error) {
      // A missing folder has no plan. When the system is out of watches, hand edits are seen on the next read.
      if (errorCode(error) !== 'ENOENT' && !this.#hasFailed) this.#onError(error);
      this.#hasFailed ||= errorCode(error) !== 'ENOENT';
    }
  }

  #leave(folder: string): void {
    const watched = this.#watched.get(folder);
    clearTimeout(watched?.timer);
    watched?.watcher.close();
    this.#watched.delete(folder);
  }

  #soon(folder: string, ms: number, work: () => Promise<void>): void {
    const watched = this.#watched.get(folder);
    if (!watched) return;
    clearTimeout(watched.timer);
    watched.timer = setTimeout(() => void work().catch(this.#onError), ms).unref();
  }

  /** The store reports what it adopts. */
  async #settle(viber: string): Promise<void> {
    await settleEdits(this.#home, '', viber);
    const shown = currentTask(this.#home, viber);
    if (shown !== undefined) await (this.#known.has(shown) ? this.#look(shown) : this.#attendTo(shown));
  }

  /** The store reports a pending write itself. */
  #look(taskId: string): Promise<void> {
    const file = planFile(this.#home, taskId);
    return exclusively(file, async () => {
      const plan = new TaskPlan(this.#home, taskId, readTask(this.#home, taskId)?.viber).readHeld();
      const folder = path.dirname(file);
      if (isBeingSaved(file, readTextSync(file))) return this.#soon(folder, EMPTY_MS, () => this.#look(taskId));
      const hash = plan?.hash ?? '';
      if (!this.#known.has(taskId) || this.#known.get(taskId) === hash) return;
      this.#known.set(taskId, hash);
      tellChange(this.#home, { kind: 'plan', taskId, hash });
    });
  }
}
