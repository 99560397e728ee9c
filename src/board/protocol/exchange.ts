/**
 * Distributes events to connections. Listens to the news from its creation on, and to live progress only while a
 * connection wants it.
 */
import type { AgentStreamEvent } from '../../channels/channel.ts';
import type { ApprovalRequest } from '../../runtime/contract/approval.ts';
import type { Caller } from '../../runtime/contract/board.ts';
import type { News } from '../../runtime/contract/news.ts';
import { listTasks, openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import { ALL, Connection, type LiveChoice, type Peer, type Scope } from './connection.ts';
import { answerOptions } from './decisions.ts';
import { type Audience, EventLog, type LoggedEvent } from './events.ts';
import { type ApprovalFrame, type EndFrame, type EventFrame, endFrame, noticeFrame } from './frames.ts';
import type { ProtocolParts } from './parts.ts';
import { type Standings, standingsOf } from './standings.ts';

/** The number of tasks in a resync if the client has named none. */
const MAX_TOLD = 100;
/** How far back ends of runs are searched. */
const TAIL = { maxBytes: 512 * 1024, maxEntries: 400 };
const MAX_ENDS = 10;
/** The result of a run that continued with newer messages; it is not an end. */
const STEERED = 'steered';

export class Exchange {
  readonly log: EventLog;
  readonly #parts: ProtocolParts;
  readonly #connections = new Set<Connection>();
  readonly #unsubscribe: () => void;
  #stopProgress: (() => void) | undefined;
  /** Tasks with a run that has started and not ended, according to the events. */
  readonly #atWork = new Set<string>();

  constructor(parts: ProtocolParts) {
    this.#parts = parts;
    this.log = new EventLog(parts.epoch);
    this.#unsubscribe = parts.onNews((news) => this.#hear(news));
  }

  connect(caller: Caller, peer: Peer, scope: Scope): Connection {
    const connection = new Connection(caller, peer, this.#parts, scope);
    this.#connections.add(connection);
    this.#attendTo([]);
    return connection;
  }

  leave(connection: Connection): void {
    this.#connections.delete(connection);
    this.#attend();
    if (this.#connections.size === 0) this.#parts.plans.rest();
  }

  /** Resolves once manual edits of these plans are watched. */
  async attend(connection: Connection, taskIds: readonly string[] | '*'): Promise<void> {
    const tasks = await this.#meant(connection, taskIds);
    await this.#parts.plans.attend(tasks.map(({ id }) => id).reverse());
  }

  /** Subscribes; events missed since `after` are sent before any new one. */
  async follow(
    connection: Connection,
    taskIds: readonly string[] | '*',
    { after, live }: { after?: string | undefined; live?: LiveChoice | undefined },
  ): Promise<void> {
    const ids = taskIds === ALL ? [ALL] : taskIds;
    connection.follow(ids, live);
    this.#attend();
    if (after !== undefined) await this.catchUp(connection, after, taskIds);
    if (live !== undefined && live !== 'off') this.#tellSoFar(connection, taskIds);
    await this.attend(connection, taskIds);
  }

  #tellSoFar(connection: Connection, taskIds: readonly string[] | '*'): void {
    for (const taskId of taskIds === ALL ? this.#parts.runningTasks() : taskIds)
      for (const event of this.#parts.soFar(taskId)) connection.progress(event, this.log.cursor);
  }

  /** Holds back events until the returned function is called; see `Connection.hold`. */
  hold(connection: Connection): () => void {
    const release = connection.hold();
    this.#attend();
    return () => {
      release();
      this.#attend();
    };
  }

  unfollow(connection: Connection, taskIds: readonly string[] | '*'): void {
    connection.unfollow(taskIds === ALL ? [ALL] : taskIds);
    this.#attend();
  }

  /**
   * Sends the events since a cursor, or, if it is unknown, the state of the tasks. `own`: those of the client itself.
   */
  async catchUp(connection: Connection, after: string, taskIds: readonly string[] | '*' | 'own'): Promise<void> {
    const missed = this.log.after(after);
    if (missed) {
      const named = typeof taskIds === 'string' ? undefined : new Set(taskIds);
      for (const event of missed) if (!named || named.has(taskOf(event) ?? '')) connection.tell(event);
      return;
    }
    const release = this.hold(connection);
    try {
      connection.send({ type: 'resync', cursor: this.log.cursor });
      for (const task of await this.#meant(connection, taskIds)) await this.stand(connection, task);
    } finally {
      release();
    }
  }

  /** Returns whether nothing has happened to a task since a cursor. */
  isUpToDate(taskId: string, cursor: string): boolean {
    return this.log.after(cursor)?.every((event) => taskOf(event) !== taskId) === true;
  }

  async stand(connection: Connection, task: TaskRecord): Promise<void> {
    const { cursor } = this.log;
    for (const frame of await this.standing(connection, task)) connection.send({ ...frame, cursor });
  }

  standings(): Standings {
    const { approvals, runningTasks } = this.#parts;
    return standingsOf(
      new Set(approvals.all().map(({ taskId }) => taskId)),
      new Set([...this.#atWork, ...runningTasks()]),
    );
  }

  /**
   * Returns frames with the state of a task: the ends of its latest runs from the session, its state and its pending
   * approvals, without those of runs that are hidden from the reader.
   */
  async standing(connection: Connection, task: TaskRecord): Promise<EventFrame[]> {
    const { id: taskId, viber } = task;
    const state = this.standings().stateOf(task);
    const tail = openTask(this.#parts.home, taskId, viber).session.tail(TAIL);
    const ends: EndFrame[] = tail.flatMap((entry) => {
      if (entry.type !== 'result' || entry.error === STEERED || connection.isHidden(taskId, entry.run)) return [];
      const { run: runId, text, summary, artifactRefs } = entry;
      return [endFrame({ taskId, runId, state: entry.state, text, summary, artifactRefs })];
    });
    const latest = tail.findLast((entry) => 'run' in entry);
    const runId = latest && 'run' in latest ? latest.run : undefined;
    // The state comes after the ends, which belong to earlier runs if the task is running again.
    return [
      ...ends.filter((frame) => frame.type !== 'task:state').slice(-MAX_ENDS),
      { type: 'task:state', taskId, state, ...(runId !== undefined && { runId }) },
      ...this.#parts.approvals
        .all()
        .flatMap((request) =>
          request.taskId === taskId && !connection.isHidden(taskId, request.run) ? [approvalFrame(request)] : [],
        ),
    ];
  }

  close(code: number, reason: string): void {
    this.#unsubscribe();
    this.#stopProgress?.();
    this.#parts.plans.rest();
    for (const connection of this.#connections) connection.close(code, reason);
  }

  /** Subscribes to live progress only while a connection wants it. */
  #attend(): void {
    const isWanted = [...this.#connections].some(({ isLive }) => isLive);
    if (isWanted) this.#stopProgress ??= this.#parts.onProgress((event) => this.#progress(event));
    else {
      this.#stopProgress?.();
      this.#stopProgress = undefined;
    }
  }

  #progress(event: AgentStreamEvent): void {
    for (const connection of this.#connections) connection.progress(event, this.log.cursor);
  }

  #attendTo(taskIds: readonly string[]): void {
    this.#parts.plans.attend(taskIds).catch((error: unknown) => this.#parts.onError(error));
  }

  #hear(news: News): void {
    if (news.type === 'task:started') this.#atWork.add(news.taskId);
    if (news.type === 'run:ended') this.#atWork.delete(news.end.taskId);
    if (news.type === 'task:state') this.#atWork.delete(news.taskId);
    for (const [frame, audience] of framesOf(news)) {
      // People edit plans of tasks that are being worked on.
      const isAtWork = frame.type === 'task:started' || frame.type === 'plan:changed';
      if (isAtWork && this.#connections.size > 0) this.#attendTo([frame.taskId]);
      const event = this.log.add(frame, audience);
      for (const connection of this.#connections) connection.tell(event);
    }
  }

  async #meant(connection: Connection, taskIds: readonly string[] | '*' | 'own'): Promise<TaskRecord[]> {
    const { home, submissions } = this.#parts;
    const isSeen = (task: TaskRecord) => connection.maySee(task);
    if (typeof taskIds !== 'string') return taskIds.flatMap((id) => openTask(home, id).record() ?? []).filter(isSeen);
    const isOwn = (task: TaskRecord) => submissions.isOwn(connection.caller, task);
    const match = (task: TaskRecord) => isSeen(task) && (taskIds === ALL || isOwn(task));
    return listTasks(home, { limit: MAX_TOLD, maxRead: 2_000, match });
  }
}

const taskOf = ({ audience }: LoggedEvent): string | undefined => {
  if (audience === 'owners') return undefined;
  return 'task' in audience ? audience.task : audience.about;
};

function framesOf(news: News): [EventFrame, Audience][] {
  switch (news.type) {
    case 'run:ended':
      return [[endFrame(news.end), { task: news.end.taskId }]];
    case 'approval:asked':
      return [[approvalFrame(news.request), { task: news.request.taskId }]];
    case 'approval:decided': {
      const { request, decision } = news;
      const { verdict, name, answer } = decision;
      const about = { taskId: request.taskId, approval: request.id, verdict, by: name };
      return [[{ type: news.type, ...about, ...(answer !== undefined && { answer }) }, { task: request.taskId }]];
    }
    case 'memory:suggested': {
      const { viber: viberId, suggestion } = news;
      const { id, section, text } = suggestion;
      return [
        [{ type: news.type, viberId, suggestion: id, ...(section !== undefined && { section }), text }, 'owners'],
      ];
    }
    case 'memory:decided':
      return [[{ type: news.type, viberId: news.viber, suggestion: news.suggestion }, 'owners']];
    case 'job:changed':
      return [[news, 'owners']];
    case 'channel:status':
      return [[{ type: news.type, channel: news.channel, ...news.status }, 'owners']];
    case 'notice': {
      const { message, taskId } = news;
      const { channel, chat } = message.address;
      const audience = { address: { channel, chat }, ...(taskId !== undefined && { about: taskId }) };
      return [[noticeFrame(message, taskId), audience]];
    }
    default:
      return [[news, { task: news.taskId }]];
  }
}

export function approvalFrame(request: ApprovalRequest): ApprovalFrame {
  const { id: approval, taskId, run: runId, digest, kind, tool, sentence = '', details, expiresAt, labels } = request;
  const options = answerOptions(request);
  return {
    type: 'approval:asked',
    taskId,
    runId,
    approval,
    digest,
    kind,
    tool,
    question: sentence,
    ...(details !== undefined && { details }),
    ...(options && { options }),
    ...(labels && { labels }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}
