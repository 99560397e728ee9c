/** Maintains the record of a task across its runs: created with its first message, then its state, people and chats. */
import { isOneOf, principalText } from '../../access/principal.ts';
import { filesAround, formatAddress } from '../../channels/channel.ts';
import type { Logger } from '../../log.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask, saveTask, saysNothing, titleOf } from '../../workspace/tasks/index.ts';
import type { TaskRecord, TaskState, Usage } from '../../workspace/types.ts';
import { withRun } from '../../workspace/usage.ts';
import type { Entry } from '../contract/entry.ts';
import { canBecome } from '../contract/task.ts';
import { bindingAt, type Conversations } from './conversations.ts';

const SHOW_RUNNING_MS = 250;

/** Once a person continues what a job began, it is a regular task and kept like one. */
const takenOver = ({ job: _job, ...record }: TaskRecord): TaskRecord => record;

export interface TaskRecordsOptions {
  home: Home;
  conversations: Conversations;
  used: (run: string) => Usage | undefined;
  hasOwner: () => boolean;
  /** Called when a task was accepted, when it won't be worked on, and when its message was given up. */
  onState?: (taskId: string, state: TaskState) => void;
  log: Logger;
}

export class TaskRecords {
  readonly #options: TaskRecordsOptions;
  readonly #home: Home;
  /** Records being synced. The message that began a task must not finish before, since it would create them again. */
  readonly #syncing = new Map<string, Promise<void>>();
  /** The gateway that accepted a message, or its run, creates the record, whichever comes first. */
  readonly #beginning = new Map<string, Promise<TaskRecord>>();
  readonly #shown = new Map<string, string>();

  constructor(options: TaskRecordsOptions) {
    this.#options = options;
    this.#home = options.home;
  }

  /** Creates the record of an accepted task, which is visible as `pending` from now on. Never rejects. */
  async note(entry: Entry): Promise<void> {
    try {
      // The run may have come first; what it has recorded since must stay.
      if (!openTask(this.#home, entry.taskId).record()) await this.#beginOnce(entry);
    } catch (error) {
      this.#options.log.warn(
        { task: entry.taskId, err: error },
        'could not create the record of a pending task; its run will',
      );
    }
  }

  /** The first message won't be worked on. */
  async drop(taskId: string): Promise<void> {
    if (openTask(this.#home, taskId).record()?.state !== 'pending') return;
    await openTask(this.#home, taskId).update((record) =>
      record.state === 'pending' ? { ...record, state: 'stopped' } : record,
    );
    this.#options.onState?.(taskId, 'stopped');
  }

  /** The message was given up. Never rejects. */
  async fail(taskId: string): Promise<void> {
    try {
      if (!openTask(this.#home, taskId).record()) return;
      const updatedAt = new Date().toISOString();
      await openTask(this.#home, taskId).update((record) => ({ ...record, state: 'error', updatedAt }));
      this.#options.onState?.(taskId, 'error');
    } catch (error) {
      this.#options.log.warn({ task: taskId, err: error }, 'could not record that a task has failed');
    }
  }

  /** Finds the task of a message, or creates one with it as the goal. */
  async open(entry: Entry): Promise<TaskRecord> {
    await this.#beginning.get(entry.taskId)?.catch(() => 'tried again below');
    const found = openTask(this.#home, entry.taskId).record();
    const record = found ? await this.#join(entry, found) : await this.#beginOnce(entry);
    await this.#follow(entry, record);
    return record;
  }

  /** Passes through `running`, as the state machine requires. Also records what `run` has used, if given. */
  async setState(taskId: string, state: TaskState, run?: string): Promise<void> {
    await this.#syncing.get(taskId);
    await openTask(this.#home, taskId).update((before) => {
      const used = run === undefined ? undefined : this.#options.used(run);
      const record = used && run !== undefined ? withRun(before, run, used) : before;
      const passes = state === 'running' ? record.state !== 'running' : canBecome('running', state);
      // After a crash between this record and the end of its message, the same run is recorded again.
      const isNoted = run !== undefined && before.counted?.run === run && before.state === state;
      const runs = state === 'running' || isNoted ? record.runs : record.runs + 1;
      const answered = record.answered === false && state === 'completed' ? { answered: true } : {};
      return passes ? { ...record, ...answered, state, runs, updatedAt: new Date().toISOString() } : record;
    });
  }

  /** Records the usage of a run without an answer. Never rejects. */
  async endRun(run: string, task: string): Promise<void> {
    const used = this.#options.used(run);
    if (!used) return;
    try {
      if (openTask(this.#home, task).record())
        await openTask(this.#home, task).update((record) => withRun(record, run, used));
    } catch (error) {
      this.#options.log.warn({ task, err: error }, 'the usage of a task could not be written');
    }
  }

  /** Shows `running` once the run has lasted a moment, then calls `onShown`; clear the timer when it ends. */
  showRunning(taskId: string, onShown: () => void): NodeJS.Timeout {
    return setTimeout(() => {
      this.setState(taskId, 'running').then(onShown, (error: unknown) =>
        this.#options.log.warn({ err: error }, 'a state could not be written'),
      );
    }, SHOW_RUNNING_MS);
  }

  #beginOnce(entry: Entry): Promise<TaskRecord> {
    const known = this.#beginning.get(entry.taskId);
    if (known) return known;
    const begun = this.#begin(entry).finally(() => this.#beginning.delete(entry.taskId));
    this.#beginning.set(entry.taskId, begun);
    return begun;
  }

  async #begin(entry: Entry): Promise<TaskRecord> {
    const { taskId, viber, principal, message, job } = entry;
    // A crash may have come between the commit of the message and the binding of its conversation.
    const place = bindingAt(principal, message.address, message.isDirect);
    const isToCome = message.opensThread === true && message.address.thread === undefined;
    if (!entry.job && !isToCome && !this.#options.conversations.get(place.key))
      await this.#options.conversations.bind({ ...place, taskId, viber });
    const at = new Date().toISOString();
    const places = job || isToCome ? [] : [formatAddress(message.address, { account: true })];
    const goal = message.given?.goal?.trim() || message.text.trim() || filesAround(message)[0]?.name || 'Untitled';
    const record: TaskRecord = {
      id: taskId,
      viber,
      goal: goal.slice(0, 4000),
      title: titleOf(job?.name ?? goal),
      state: 'pending',
      runs: 0,
      answered: false,
      people: [principalText(principal)],
      conversations: places,
      ...(job ? { job: job.id } : {}),
      ...(message.given?.project !== undefined && { project: message.given.project }),
      createdAt: at,
      updatedAt: at,
    };
    await saveTask(this.#home, record, { sync: false });
    this.#syncMeanwhile(taskId);
    this.#options.onState?.(taskId, 'pending');
    return record;
  }

  async #join(entry: Entry, found: TaskRecord): Promise<TaskRecord> {
    const { taskId, principal, message } = entry;
    if (entry.job) return found;
    const known = found.job === undefined ? found : await openTask(this.#home, taskId).update(takenOver);
    const person = principalText(principal);
    const conversation = formatAddress(message.address, { account: true });
    // Everyone admitted may speak in a group; only those who began the task may steer it (promise 33).
    const isNewPerson = message.isDirect && !known.people.includes(person);
    const isNewChat = !known.conversations.includes(conversation);
    const isAway = known.archived !== undefined;
    // Neither a greeting nor a request that failed stays the title once there is a subject.
    const isOver = known.state === 'error' || known.state === 'stopped';
    const hasFailed = known.answered === false && isOver && known.title === titleOf(known.goal);
    const isSubject = (saysNothing(known.title) || hasFailed) && !saysNothing(message.text);
    if (!isNewPerson && !isNewChat && !isSubject && !isAway) return known;
    const added = ({ archived: _archived, ...record }: TaskRecord): TaskRecord => ({
      ...record,
      ...(hasFailed && isSubject && record.goal === known.goal ? { goal: message.text.slice(0, 4000) } : {}),
      title: isSubject && record.title === known.title ? titleOf(message.text) : record.title,
      people: isNewPerson ? [...record.people, person] : record.people,
      conversations: isNewChat ? [...record.conversations, conversation] : record.conversations,
    });
    if (known.conversations.length > 0) return openTask(this.#home, taskId).update(added);
    // The thread that the first message was to open exists now. It must be on disk before the run ends, like the
    // earlier records.
    const placed = await openTask(this.#home, taskId).update(added, { sync: false });
    this.#syncMeanwhile(taskId);
    return placed;
  }

  /** Shows the person's current task in the viber's folder; with several people, an owner's. */
  async #follow({ viber, taskId, principal, job }: Entry, { people }: TaskRecord): Promise<void> {
    if (job || this.#shown.get(viber) === taskId) return;
    const leads = principal.role === 'owner' || (principal.role === 'member' && !this.#options.hasOwner());
    if (!leads || !isOneOf(people, principal)) return;
    await openTask(this.#home, taskId, viber).show();
    this.#shown.set(viber, taskId);
  }

  #syncMeanwhile(taskId: string): void {
    const synced = openTask(this.#home, taskId)
      .sync()
      .finally(() => this.#syncing.delete(taskId));
    // The end of the run awaits this promise and reports a failure.
    synced.catch(() => undefined);
    this.#syncing.set(taskId, synced);
  }
}
