/**
 * One task's conversation: its messages, those that are being sent, and the current run. Invariants: each message
 * appears once, however often it was sent or reported; what was written stays visible until the gateway's list includes
 * it.
 */
import { batch, type Signal, signal } from '@preact/signals';
import type { EventFrame } from '../../../client/client.ts';
import type { Artifact, Message, MessagePage, TaskDetail } from '../../../client/shapes.ts';
import { api } from './api.ts';
import { onBehind, onEvent, sendCommand, watch } from './live.ts';
import { advance, type LiveRun, type Progress } from './live-run.ts';
import { type ShownState, shownState, states } from './states.ts';

/** A message that was written here and is being sent. */
export interface OutgoingMessage {
  id: string;
  text: string;
  at: string;
  files: readonly Artifact[];
  /** `kept`: durable in the gateway; `command`: belongs to no task and is answered beside the conversation. */
  state: 'sending' | 'kept' | 'failed' | 'command';
  problem?: string;
  /** Its ID among the task's messages. */
  message?: string;
  /** The key of the message before it; '' at the beginning, undefined if none was known yet. */
  after: string | undefined;
  /** IDs of the messages that were there before. */
  before: ReadonlySet<string>;
}

export interface Aside {
  id: string;
  /** As in `OutgoingMessage`. */
  after: string | undefined;
  text: string;
  /** Names of its files. */
  files: readonly string[];
  at: string;
}

/** Identifies an answer by its run, so that an event and the list count as one. */
export const messageKey = ({ role, runId, id }: Message): string =>
  `${role} ${runId !== undefined && role === 'assistant' ? runId : id}`;

const MAX_ASIDES = 50;
export const readFileNames = (given: unknown): { name: string }[] =>
  Array.isArray(given)
    ? given.flatMap((one) => (typeof one?.name === 'string' ? [{ name: String(one.name) }] : []))
    : [];

export type Mode = 'steer' | 'collect' | 'followup';

export class Conversation {
  readonly taskId: string;
  readonly detail: Signal<TaskDetail | undefined> = signal(undefined);
  readonly error: Signal<unknown> = signal(undefined);
  readonly messages: Signal<readonly Message[] | undefined> = signal(undefined);
  readonly sent: Signal<readonly OutgoingMessage[]> = signal([]);
  readonly live: Signal<LiveRun | undefined> = signal(undefined);
  /** The cursor for older messages. */
  readonly earlier: Signal<string | undefined> = signal(undefined);
  /** Messages of the viber beside the conversation, such as answers to commands. */
  readonly asides: Signal<readonly Aside[]> = signal([]);
  /** IDs of listed messages that were matched with a sent one. */
  readonly #claimed = new Set<string>();
  /** The run that ended last; later events of it are ignored. */
  #ended: string | undefined;
  #asked = 0;
  #shown = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(taskId: string) {
    this.taskId = taskId;
  }

  get #path(): string {
    return `/api/tasks/${encodeURIComponent(this.taskId)}`;
  }

  /** True from the moment a message is sent until its run has ended. */
  get isBusy(): boolean {
    if (this.sent.value.some(({ state }) => state === 'sending' || state === 'kept')) return true;
    const detail = this.detail.value;
    return detail !== undefined && (detail.state === 'running' || detail.state === 'pending');
  }

  /** The state to show; a sent message whose run has not started is pending. */
  get shownState(): ShownState | undefined {
    const detail = this.detail.value;
    if (detail === undefined) return this.isBusy ? 'pending' : undefined;
    const shown = shownState(detail);
    return this.isBusy && shown !== 'running' && shown !== 'waiting' ? 'pending' : shown;
  }

  /** Keeps the conversation up to date until the returned function is called. */
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
    // Without a task there is nothing to load.
    if (this.taskId === '') return;
    this.#asked += 1;
    const mine = this.#asked;
    try {
      // The state is read last: a listed message has been started by then.
      const page = await api<MessagePage>(`${this.#path}/messages`);
      const detail = await api<TaskDetail>(this.#path);
      if (mine < this.#shown) return;
      this.#shown = mine;
      batch(() => this.#show(detail, page));
    } catch (error) {
      if (mine === this.#asked) this.error.value = error;
    }
  }

  #show(read: TaskDetail, page: MessagePage): void {
    this.error.value = undefined;
    const detail = states.read(read, read.cursor);
    this.detail.value = detail;
    const newest = new Set(page.messages.map(({ id }) => id));
    const known = this.messages.value ?? [];
    const first = page.messages[0];
    const overlap = first === undefined ? -1 : known.findIndex(({ id }) => id === first.id);
    // Keeps older pages only if the newest page continues them; a gap would hide messages.
    const older = overlap > 0 ? known.slice(0, overlap).filter(({ id }) => !newest.has(id)) : [];
    if (older.length === 0) this.earlier.value = page.next;
    this.messages.value = [...older, ...page.messages];
    this.#settle(page.messages);
    const run = this.live.value;
    const ended =
      run !== undefined && page.messages.some(({ role, runId }) => role === 'assistant' && runId === run.runId);
    if (ended || (detail.state !== 'running' && detail.state !== 'pending')) this.live.value = undefined;
  }

  /** Removes sent messages that the gateway's list has. Each listed message accounts for one of them. */
  #settle(messages: readonly Message[]): void {
    this.sent.value = this.sent.value.filter((sent) => {
      const { message } = sent;
      if (sent.state === 'command') return true;
      if (message !== undefined) return !messages.some(({ id, also }) => id === message || also?.includes(message));
      // The gateway has not reported its ID yet.
      const match = messages.find(
        ({ id, role, text }) =>
          role === 'user' && !this.#claimed.has(id) && !sent.before.has(id) && text.trim() === sent.text.trim(),
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

  /** @param frame builds the command: to this task, or to the person's own conversation */
  async say(
    text: string,
    files: readonly Artifact[],
    frame: (text: string, files: readonly string[]) => { type: string },
  ): Promise<{ taskId?: string } | undefined> {
    const id = crypto.randomUUID();
    const before = new Set(this.messages.value?.map((message) => message.id));
    const at = new Date().toISOString();
    this.sent.value = [...this.sent.value, { id, text, files, at, state: 'sending', before, after: this.#last }];
    try {
      const ack = await sendCommand(
        frame(
          text,
          files.map(({ ref }) => ref),
        ),
        id,
      );
      const message = typeof ack.message === 'string' ? ack.message : undefined;
      const isCommand = typeof ack.command === 'string';
      this.#mark(id, { state: isCommand ? 'command' : 'kept', ...(message !== undefined && { message }) });
      this.#settle(this.messages.value ?? []);
      this.#soon();
      return ack.taskId === undefined ? {} : { taskId: ack.taskId };
    } catch (error) {
      this.#mark(id, { state: 'failed', problem: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  }

  /** Takes over messages that were sent before their task was known. */
  adopt(other: Conversation): void {
    this.sent.value = [...this.sent.value, ...other.sent.value.filter(({ state }) => state !== 'command')];
    other.sent.value = other.sent.value.filter(({ state }) => state === 'command');
    this.#settle(this.messages.value ?? []);
  }

  drop(id: string): void {
    this.sent.value = this.sent.value.filter((sent) => sent.id !== id);
  }

  get #last(): string | undefined {
    const messages = this.messages.value;
    const last = messages?.at(-1);
    return last === undefined ? messages && '' : messageKey(last);
  }

  /** Adds a message beside the conversation. */
  aside(text: string, files: readonly { name: string }[]): void {
    const id = crypto.randomUUID();
    const said = { id, text, after: this.#last, files: files.map(({ name }) => name), at: new Date().toISOString() };
    this.asides.value = [...this.asides.value, said].slice(-MAX_ASIDES);
  }

  #mark(id: string, change: Partial<OutgoingMessage>): void {
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
    else if (event.type === 'notice') this.aside(String(event.text ?? ''), readFileNames(event.files));
    else batch(() => this.#happened(event));
  }

  #happened(event: EventFrame): void {
    this.#stand();
    if (event.type === 'task:started') {
      this.live.value = { runId: event.runId, parts: [], state: 'thinking' };
    }
    if (event.type === 'task:completed') {
      const { text, artifactRefs } = event.result;
      this.#answer({
        id: event.runId,
        role: 'assistant',
        text,
        at: new Date().toISOString(),
        runId: event.runId,
        artifactRefs,
      });
      this.#end(event.runId);
    }
    if (event.type === 'task:error') this.#end(event.runId);
    if (event.type === 'task:state' && event.state === 'stopped') this.#end(event.runId ?? this.live.value?.runId);
    this.#soon();
  }

  #end(runId: string | undefined): void {
    this.#ended = runId;
    if (runId === undefined || this.live.value?.runId === runId) this.live.value = undefined;
  }

  /** Applies the newest state. */
  #stand(): void {
    const standing = states.of(this.taskId);
    if (this.detail.value === undefined || standing === undefined) return;
    this.detail.value = { ...this.detail.value, state: standing.state, waiting: standing.waiting };
  }

  /** Shows the answer at once, until the gateway's list replaces it. */
  #answer(message: Message): void {
    const known = this.messages.value ?? [];
    if (known.some(({ role, runId }) => role === 'assistant' && runId === message.runId)) return;
    this.messages.value = [...known, message];
  }

  #progress(runId: string, event: Progress): void {
    const before = this.live.value;
    if (runId !== '' && runId === this.#ended) return;
    const run = before === undefined || (before.runId !== runId && runId !== '') ? { runId, parts: [] } : before;
    this.live.value = { ...run, ...advance(run.parts, event, before?.state ?? 'thinking') };
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
