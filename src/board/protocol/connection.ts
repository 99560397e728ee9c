/**
 * One reader of events: what it has asked to hear of, what it may, and how far behind it is. Whoever does not read is told less, then is left:
 * above 1 MiB pieces of text are put together and other progress is dropped, and before 4 MiB wait the connection is closed with 1013.
 */
import { type AgentStreamEvent, API } from '../../channels/channel.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { Caller } from '../contract.ts';
import type { Audience, LoggedEvent } from './events.ts';
import type { ConnectedFrame, EventFrame } from './frames.ts';
import type { ProtocolParts } from './parts.ts';

export type LiveChoice = 'off' | 'text' | 'events';

/** The other end, whatever carries it. */
export interface Peer {
  send(text: string): void;
  /** Bytes that were sent and not taken. */
  waiting(): number;
  close(code: number, reason: string): void;
}

/**
 * Whose events come unasked. `client`: those of the client's own tasks and conversation, until it names tasks; then only the tasks it has
 * named or begun here. `named`: nothing but what is of a task that was named.
 */
export type Scope = 'client' | 'named';

export const ALL = '*';
const SLOW_BYTES = 1024 * 1024;
/** All that is remembered (`events.ts`) fits: whoever asks for it is not left for that. */
const STUCK_BYTES = 4 * 1024 * 1024;
/** Text that is held back, of all runs together. */
const MAX_HELD = 64 * 1024;
/** Tasks that one connection follows by name. */
const MAX_FOLLOWED = 10_000;
export const TRY_LATER = 1013;

type Seeing = Pick<ProtocolParts, 'home' | 'maySee' | 'submissions'>;

export class Connection {
  readonly caller: Caller;
  readonly #peer: Peer;
  readonly #to: Seeing;
  readonly #scope: Scope;
  #hearsOwn: boolean;
  /** By task, or `*`. */
  readonly #followed = new Map<string, LiveChoice>();
  /** By run, text that waits for the reader. */
  readonly #held = new Map<string, { frame: Extract<EventFrame, { type: 'task:progress' }>; text: string }>();
  /** What came while a submission was on its way: its acknowledgement goes before. */
  #later: (() => void)[] = [];
  #submitting = 0;
  #isClosed = false;

  constructor(caller: Caller, peer: Peer, to: Seeing, scope: Scope) {
    this.caller = caller;
    this.#peer = peer;
    this.#to = to;
    this.#scope = scope;
    this.#hearsOwn = scope === 'client';
  }

  /** Whether anything of live progress is wanted here at all. */
  get isLive(): boolean {
    return this.#submitting > 0 || [...this.#followed.values()].some((live) => live !== 'off');
  }

  /** Until what it gives back is called nothing is told: it may be about a task whose id the other end does not know yet. */
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

  /** The client has said which tasks it wants to hear of. */
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
    // A frame that alone is larger comes through where nothing else waits.
    if (waiting > 0 && waiting + text.length > STUCK_BYTES) this.close(TRY_LATER, 'too much waits to be read');
    else this.#peer.send(text);
  }

  close(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#held.clear();
    this.#peer.close(code, reason);
  }

  /** Tells of it if it is for this reader. */
  tell(event: LoggedEvent): void {
    if (this.#submitting > 0) {
      this.#later.push(() => this.tell(event));
      return;
    }
    const { frame, audience } = event;
    if (!this.#isFor(audience) || this.#comesAnyway(frame)) return;
    // The answer has all the words.
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
    if (!this.#isFor({ task: taskId })) return;
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

  /** What was held back goes out once the reader has caught up. */
  catchUp(): void {
    if (this.#held.size > 0 && this.#peer.waiting() <= SLOW_BYTES) this.#release();
    if (this.#peer.waiting() > STUCK_BYTES) this.close(TRY_LATER, 'too much waits to be read');
  }

  /** Whether this reader may see a task at all. */
  maySee(task: TaskRecord): boolean {
    return this.#to.maySee(this.caller.principal, task);
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

  /** What is said in the client's own conversations; there, words about a task belong to that task. */
  #isSaidTo({ address, about }: Extract<Audience, { address: object }>): boolean {
    const { channel = API } = this.caller;
    if (address.channel !== channel || address.chat !== this.#to.submissions.chatOf(this.caller)) return false;
    if (about !== undefined) return this.#hearsOwn || this.#isNamed(about);
    return this.#scope === 'client';
  }

  /** How the runs of a hub's own tasks end is told through the outbox, until it is acknowledged. */
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
