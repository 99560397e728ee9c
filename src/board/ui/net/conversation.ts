/**
 * One task's conversation: what was said, what was sent and is not yet there, and the run that is at work. Invariants: a message stands
 * here once, whatever was sent again or told twice; what was written stays in sight until the gateway's own list has it.
 */
import { batch, type Signal, signal } from '@preact/signals';
import type { EventFrame } from '../../../client/client.ts';
import { api } from './api.ts';
import { onBehind, onEvent, send, watch } from './live.ts';
import type { Artifact, Message, MessagePage, TaskDetail } from './shapes.ts';

/** Written here, on its way. */
export interface Sent {
  id: string;
  text: string;
  at: string;
  files: readonly Artifact[];
  /** `kept`: the gateway has it on disk. */
  state: 'sending' | 'kept' | 'failed';
  problem?: string;
  /** The user's messages that were there before. */
  before: ReadonlySet<string>;
}

export type LivePart =
  | { kind: 'text'; text: string }
  | { kind: 'tool'; tool: string; callId?: string; done: boolean; note?: string };

export interface LiveRun {
  runId: string;
  parts: readonly LivePart[];
  state: 'idle' | 'thinking' | 'tool' | 'waiting-approval';
}

export type Mode = 'steer' | 'collect' | 'followup';

export class Conversation {
  readonly taskId: string;
  readonly detail: Signal<TaskDetail | undefined> = signal(undefined);
  readonly error: Signal<unknown> = signal(undefined);
  readonly messages: Signal<readonly Message[] | undefined> = signal(undefined);
  readonly sent: Signal<readonly Sent[]> = signal([]);
  readonly live: Signal<LiveRun | undefined> = signal(undefined);
  /** Where older messages go on. */
  readonly earlier: Signal<string | undefined> = signal(undefined);
  /** Messages of the gateway's list that stand for one that was sent here. */
  readonly #claimed = new Set<string>();
  #asked = 0;
  #shown = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(taskId: string) {
    this.taskId = taskId;
  }

  get #path(): string {
    return `/api/tasks/${encodeURIComponent(this.taskId)}`;
  }

  /** For as long as somebody looks. */
  open(): () => void {
    void this.refresh();
    const ends = [onEvent((event) => this.#take(event)), onBehind(() => void this.refresh()), watch(this.taskId)];
    return () => {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      for (const end of ends) end();
    };
  }

  async refresh(): Promise<void> {
    // One that is not yet about a task has nothing to read.
    if (this.taskId === '') return;
    this.#asked += 1;
    const mine = this.#asked;
    try {
      const [detail, page] = await Promise.all([
        api<TaskDetail>(this.#path),
        api<MessagePage>(`${this.#path}/messages`),
      ]);
      if (mine < this.#shown) return;
      this.#shown = mine;
      batch(() => this.#show(detail, page));
    } catch (error) {
      if (mine === this.#asked) this.error.value = error;
    }
  }

  #show(detail: TaskDetail, page: MessagePage): void {
    this.error.value = undefined;
    this.detail.value = detail;
    const newest = new Set(page.messages.map(({ id }) => id));
    const known = this.messages.value ?? [];
    const first = page.messages[0];
    const overlap = first === undefined ? -1 : known.findIndex(({ id }) => id === first.id);
    // What was paged in before stays where the newest page continues it; a gap would hide messages.
    const older = overlap > 0 ? known.slice(0, overlap).filter(({ id }) => !newest.has(id)) : [];
    if (older.length === 0) this.earlier.value = page.next;
    this.messages.value = [...older, ...page.messages];
    this.#settle(page.messages);
    const run = this.live.value;
    const ended =
      run !== undefined && page.messages.some(({ role, runId }) => role === 'assistant' && runId === run.runId);
    if (ended || (detail.state !== 'running' && detail.state !== 'pending')) this.live.value = undefined;
  }

  /** What the gateway's list has is not shown a second time. Each of its messages stands for one that was sent. */
  #settle(messages: readonly Message[]): void {
    this.sent.value = this.sent.value.filter((sent) => {
      const match = messages.find(
        ({ id, role, text }) =>
          role === 'user' &&
          !this.#claimed.has(id) &&
          (id === sent.id || (!sent.before.has(id) && text.trim() === sent.text.trim())),
      );
      if (match !== undefined) this.#claimed.add(match.id);
      return match === undefined;
    });
  }

  async loadEarlier(): Promise<void> {
    const after = this.earlier.value;
    if (after === undefined) return;
    const page = await api<MessagePage>(`${this.#path}/messages?after=${encodeURIComponent(after)}`);
    if (this.earlier.value !== after) return;
    const known = new Set(this.messages.value?.map(({ id }) => id));
    batch(() => {
      this.messages.value = [...page.messages.filter(({ id }) => !known.has(id)), ...(this.messages.value ?? [])];
      this.earlier.value = page.next;
    });
  }

  /** @param frame how it is said: to this task, or to the person's own conversation */
  async say(
    text: string,
    files: readonly Artifact[],
    frame: (text: string, files: readonly string[]) => { type: string },
  ): Promise<{ taskId?: string } | undefined> {
    const id = crypto.randomUUID();
    const before = new Set(this.messages.value?.map((message) => message.id));
    this.sent.value = [...this.sent.value, { id, text, files, at: new Date().toISOString(), state: 'sending', before }];
    try {
      const ack = await send(
        frame(
          text,
          files.map(({ ref }) => ref),
        ),
        id,
      );
      this.#mark(id, { state: 'kept' });
      this.#soon();
      return ack.taskId === undefined ? {} : { taskId: ack.taskId };
    } catch (error) {
      this.#mark(id, { state: 'failed', problem: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  }

  drop(id: string): void {
    this.sent.value = this.sent.value.filter((sent) => sent.id !== id);
  }

  #mark(id: string, change: Partial<Sent>): void {
    this.sent.value = this.sent.value.map((sent) => (sent.id === id ? { ...sent, ...change } : sent));
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.refresh();
    }, 80);
  }

  #take(event: EventFrame): void {
    if (!('taskId' in event) || event.taskId !== this.taskId) return;
    if (event.type === 'task:progress') this.#progress(event.runId ?? '', event.event as Progress);
    else batch(() => this.#happened(event));
  }

  #happened(event: EventFrame): void {
    if (event.type === 'task:started') {
      this.#state('running');
      this.live.value = { runId: event.runId, parts: [], state: 'thinking' };
    }
    if (event.type === 'task:completed') {
      const { text, artifactRefs } = event.result;
      this.#answer({
        ...{ id: event.runId, role: 'assistant', text, at: new Date().toISOString(), runId: event.runId },
        artifactRefs,
      });
      this.#state('completed');
      this.live.value = undefined;
    }
    if (event.type === 'task:error') {
      this.#state('error');
      this.live.value = undefined;
    }
    if (event.type === 'task:state') {
      this.#state(event.state as TaskDetail['state']);
      if (event.state === 'stopped') this.live.value = undefined;
    }
    this.#soon();
  }

  #state(state: TaskDetail['state']): void {
    if (this.detail.value !== undefined) this.detail.value = { ...this.detail.value, state };
  }

  /** The answer at once; the gateway's own list takes its place. */
  #answer(message: Message): void {
    const known = this.messages.value ?? [];
    if (known.some(({ role, runId }) => role === 'assistant' && runId === message.runId)) return;
    this.messages.value = [...known, message];
  }

  #progress(runId: string, event: Progress): void {
    const before = this.live.value;
    const run = before === undefined || (before.runId !== runId && runId !== '') ? { runId, parts: [] } : before;
    this.live.value = { ...run, ...advance(run.parts, event, before?.state ?? 'thinking') };
  }
}

interface Progress {
  type: string;
  content?: string;
  tool?: string;
  callId?: string;
  state?: LiveRun['state'];
  progress?: { tool: string; note: string };
}

/** What is seen of a run after one more event. */
export function advance(
  parts: readonly LivePart[],
  event: Progress,
  state: LiveRun['state'],
): { parts: readonly LivePart[]; state: LiveRun['state'] } {
  const last = parts.at(-1);
  switch (event.type) {
    case 'text-delta':
      if (last?.kind === 'text')
        return { parts: [...parts.slice(0, -1), { kind: 'text', text: last.text + (event.content ?? '') }], state };
      return { parts: [...parts, { kind: 'text', text: event.content ?? '' }], state };
    case 'tool-call': {
      const call: LivePart = {
        kind: 'tool',
        tool: event.tool ?? '',
        done: false,
        ...(event.callId && { callId: event.callId }),
      };
      return { parts: [...parts, call], state: 'tool' };
    }
    case 'tool-result': {
      const at = parts.findIndex(
        (part) =>
          part.kind === 'tool' &&
          !part.done &&
          (event.callId ? part.callId === event.callId : part.tool === event.tool),
      );
      return { parts: parts.map((part, index) => (index === at ? { ...part, done: true } : part)), state: 'thinking' };
    }
    case 'state-change': {
      const note = event.progress?.note;
      const noted =
        note === undefined
          ? parts
          : parts.map((part) => (part === last && part.kind === 'tool' ? { ...part, note } : part));
      return { parts: noted, state: event.state ?? state };
    }
    default:
      return { parts, state };
  }
}

const MAX_KEPT = 12;
const kept = new Map<string, Conversation>();

export function conversation(taskId: string): Conversation {
  const found = kept.get(taskId) ?? new Conversation(taskId);
  kept.delete(taskId);
  kept.set(taskId, found);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return found;
}
