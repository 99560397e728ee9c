/**
 * One subscriber: what it follows, what it may see and how far it lags. A slow reader gets less and is then
 * disconnected: above 1 MiB unread, pieces of text are merged and other progress is dropped; before 4 MiB are unread,
 * the connection is closed with 1013.
 */
import { type AgentStreamEvent, API } from '../../channels/channel.ts';
import type { Caller } from '../../runtime/contract/board.ts';
import { hiddenRuns } from '../../runtime/contract/hearing.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { Audience, LoggedEvent } from './events.ts';
import type { ConnectedFrame, EventFrame } from './frames.ts';
import type { ProtocolParts } from './parts.ts';

export type LiveChoice = 'off' | 'text' | 'events';

/** The other end, whatever the transport. */
export interface Peer {
  send(text: string): void;
  /** Bytes that were sent and not yet read. */
  waiting(): number;
  close(code: number, reason: string): void;
}

/**
 * Which events are sent without a subscription. `client`: those of the client's own tasks and conversation, until it
 * names tasks; from then on only tasks that it has named or started here. `named`: only those of named tasks.
 */
export type Scope = 'client' | 'named';

export const ALL = '*';
const SLOW_BYTES = 1024 * 1024;
/** Larger than the whole event log (`events.ts`), so replaying it never disconnects a reader. */
const STUCK_BYTES = 4 * 1024 * 1024;
/** Bytes of text held back, across all runs. */
const MAX_HELD = 64 * 1024;
/** How far back the messages of a run are searched, once for each run. */
const TAIL = { maxBytes: 8 * 1024 * 1024 };
const MAX_RUNS = 1_000;
/** Tasks that one connection can follow by name. */
const MAX_FOLLOWED = 10_000;
export const TRY_LATER = 1013;

export class Connection {
  readonly caller: Caller;
  readonly #peer: Peer;
  readonly #to: ProtocolParts;
  readonly #scope: Scope;
  #hearsOwn: boolean;
  /** Keys are task IDs, or `*`. */
  readonly #followed = new Map<string, LiveChoice>();
  /** Text held back for a slow reader, by run. */
  readonly #held = new Map<string, { frame: Extract<EventFrame, { type: 'task:progress' }>; text: string }>();
  /** Runs, and whether they answer a message that this reader may not read. */
  readonly #hidden = new Map<string, boolean>();
  /** Events that arrived during a submission; its acknowledgement is sent first. */
  #later: (() => void)[] = [];
  #submitting = 0;
  #isClosed = false;

  constructor(caller: Caller, peer: Peer, to: ProtocolParts, scope: Scope) {
    this.caller = caller;
    this.#peer = peer;
    this.#to = to;
    this.#scope = scope;
    this.#hearsOwn = scope === 'client';
  }

  /** Whether this reader wants any live progress. */
  get isLive(): boolean {
    return this.#submitting > 0 || [...this.#followed.values()].some((live) => live !== 'off');
  }

  /**
   * Holds back events until the returned function is called: they may concern a task whose ID the client does not know
   * yet.
   */
  hold(): () => void {
    this.#submitting += 1;
    return () => {
      this.#submitting -= 1;
      if (this.#submitting > 0) return;
      const later = this.#later;
      this.#later = [];
      for (const tell of later) tell();
    };
  }

  /** Called once the client has named the tasks to follow. */
  choose(): void {
    this.#hearsOwn = false;
  }

  follow(taskIds: readonly string[], live: LiveChoice | undefined): void {
    for (const id of taskIds) {
      this.#followed.set(id, live ?? this.#followed.get(id) ?? 'off');
      const [oldest] = this.#followed.keys();
      if (this.#followed.size > MAX_FOLLOWED && oldest !== undefined) this.#followed.delete(oldest);
    }
  }

  unfollow(taskIds: readonly string[]): void {
    for (const id of taskIds) this.#followed.delete(id);
  }

  send(frame: EventFrame | ConnectedFrame | object): void {
    if (this.#isClosed) return;
    const text = JSON.stringify(frame);
    const waiting = this.#peer.waiting();
    // A single larger frame is sent if nothing else is waiting.
    if (waiting > 0 && waiting + text.length > STUCK_BYTES) this.close(TRY_LATER, 'too much is unread');
    else this.#peer.send(text);
  }

  close(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#held.clear();
    this.#peer.close(code, reason);
  }

  /** Sends the event if it is for this reader. */
  tell(event: LoggedEvent): void {
    if (this.#submitting > 0) {
      this.#later.push(() => this.tell(event));
      return;
    }
    const { frame: whole, audience } = event;
    if (!this.#isFor(audience) || this.#comesAnyway(whole)) return;
    const frame = this.#shown(whole);
    if (!frame) return;
    // The final answer contains all the text.
    if ('runId' in frame && frame.type !== 'task:started' && frame.runId !== undefined) this.#held.delete(frame.runId);
    this.send(frame);
  }

  progress(given: AgentStreamEvent, cursor: string): void {
    if (this.#submitting > 0) {
      this.#later.push(() => this.progress(given, cursor));
      return;
    }
    const { taskId, runId, ...event } = given;
    const live = this.#followed.get(taskId) ?? this.#followed.get(ALL) ?? 'off';
    if (live === 'off' || (live === 'text' && event.type !== 'text-delta')) return;
    if (!this.#isFor({ task: taskId }) || this.isHidden(taskId, runId)) return;
    const frame: Extract<EventFrame, { type: 'task:progress' }> = {
      type: 'task:progress',
      taskId,
      runId,
      event,
      cursor,
    };
    const isSlow = this.#peer.waiting() > SLOW_BYTES;
    if (!isSlow) this.#release();
    if (!isSlow) this.send(frame);
    else if (event.type === 'text-delta') this.#hold(frame, event.content);
  }

  /** Sends the held-back text once the reader has caught up. */
  catchUp(): void {
    if (this.#held.size > 0 && this.#peer.waiting() <= SLOW_BYTES) this.#release();
    if (this.#peer.waiting() > STUCK_BYTES) this.close(TRY_LATER, 'too much is unread');
  }

  maySee(task: TaskRecord): boolean {
    return this.#to.maySee(this.caller.principal, task);
  }

  /** Returns whether a run answers a message that this reader may not read (promise 34). */
  isHidden(taskId: string, runId: string): boolean {
    const { principal } = this.caller;
    if (principal.role === 'owner') return false;
    const known = this.#hidden.get(runId);
    if (known !== undefined) return known;
    const tail = openTask(this.#to.home, taskId).session.tail(TAIL);
    const isHidden = hiddenRuns(tail, { principal, isDirect: true }).has(runId);
    // A run writes its messages first; one that has written nothing yet is looked up again.
    if (tail.some((entry) => 'run' in entry && entry.run === runId)) this.#hidden.set(runId, isHidden);
    const [oldest] = this.#hidden.keys();
    if (this.#hidden.size > MAX_RUNS && oldest !== undefined) this.#hidden.delete(oldest);
    return isHidden;
  }

  /** Of a hidden run, a reader learns that it began and how it ended. */
  #shown(frame: EventFrame): EventFrame | undefined {
    const runId =
      frame.type === 'approval:decided' ? this.#to.approvals.get(frame.approval)?.run : 'runId' in frame && frame.runId;
    if (!runId || !('taskId' in frame) || frame.taskId === undefined || !this.isHidden(frame.taskId, runId))
      return frame;
    const { taskId, cursor } = frame;
    const ended = { taskId, runId, ...(cursor !== undefined && { cursor }) };
    switch (frame.type) {
      case 'task:completed':
        return { type: 'task:state', state: 'completed', ...ended };
      case 'task:error':
        return { type: 'task:state', state: 'error', ...ended };
      case 'approval:asked':
      case 'approval:decided':
        return undefined;
      default:
        return frame;
    }
  }

  #isFor(audience: Audience): boolean {
    if (audience === 'owners') return this.#followed.has(ALL) && this.caller.principal.role === 'owner';
    if ('address' in audience) return this.#isSaidTo(audience);
    const task = openTask(this.#to.home, audience.task).record();
    if (!task) return false;
    return (
      (this.#isNamed(task.id) || (this.#hearsOwn && this.#to.submissions.isOwn(this.caller, task))) && this.maySee(task)
    );
  }

  #isNamed(taskId: string): boolean {
    return this.#followed.has(ALL) || this.#followed.has(taskId);
  }

  /** Returns whether it belongs to the client's own conversations; a message about a task belongs to that task. */
  #isSaidTo({ address, about }: Extract<Audience, { address: object }>): boolean {
    const { channel = API } = this.caller;
    if (address.channel !== channel || address.chat !== this.#to.submissions.chatOf(this.caller)) return false;
    if (about !== undefined) return this.#hearsOwn || this.#isNamed(about);
    return this.#scope === 'client';
  }

  /** Returns whether the outbox delivers the event: the ends of a hub's own tasks are sent until acknowledged. */
  #comesAnyway(frame: EventFrame): boolean {
    if (this.caller.channel === undefined || (frame.type !== 'task:completed' && frame.type !== 'task:error'))
      return false;
    const task = openTask(this.#to.home, frame.taskId).record();
    return task !== undefined && this.#to.submissions.isOwn(this.caller, task);
  }

  #hold(frame: Extract<EventFrame, { type: 'task:progress' }>, text: string): void {
    const known = this.#held.get(frame.runId);
    const all = (known?.text ?? '') + text;
    if (frame.event.type === 'text-delta' && frame.event.whole) this.#held.set(frame.runId, { frame, text });
    else if (this.#heldLength() + text.length <= MAX_HELD)
      this.#held.set(frame.runId, { frame: known?.frame ?? frame, text: all });
  }

  #heldLength(): number {
    return [...this.#held.values()].reduce((sum, { text }) => sum + text.length, 0);
  }

  #release(): void {
    for (const { frame, text } of this.#held.values())
      this.send({ ...frame, event: { ...frame.event, content: text } });
    this.#held.clear();
  }
}
