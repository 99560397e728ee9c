/**
 * One task's conversation: its messages, those that are being sent, and the current run. Invariants: each message
 * appears once, however often it was sent or reported; what was written stays visible until the gateway's list includes
 * it.
 */
import { batch, type Signal, signal } from '@preact/signals';
import type { CommandFrame, EventFrame } from '../../../client/client.ts';
import type { Artifact, Message, MessagePage, TaskDetail } from '../../../client/shapes.ts';
import { api } from './api.ts';
import { gather } from './gather.ts';
import { onBehind, onEvent, sendCommand, watch } from './live.ts';
import { type LiveRun, type Progress, RunInProgress } from './live-run.ts';
import { type ShownState, shownState, states } from './states.ts';
import { type Aside, asksAgain, messageKey, type OutgoingMessage, readFileNames, unlisted } from './talk-lines.ts';
import { forgetUnsent, keepUnsent, onForgotten, unsentIn } from './unsent.ts';

const MAX_ASIDES = 50;
/** How often a new task is looked for, and the interval in ms. */
const [MAX_LOOKS, LOOK_MS] = [20, 300];
/** In ms: the delay of the reload that confirms what is shown, and the least time between two looks at the plan. */
const [CONFIRM_MS, PLAN_MS] = [80, 50];
export type Mode = 'steer' | 'collect' | 'followup';

export class Conversation {
  readonly taskId: string;
  readonly detail: Signal<TaskDetail | undefined> = signal(undefined);
  readonly error: Signal<unknown> = signal(undefined);
  readonly messages: Signal<readonly Message[] | undefined> = signal(undefined);
  readonly sent: Signal<readonly OutgoingMessage[]> = signal([]);
  readonly earlier: Signal<string | undefined> = signal(undefined);
  /** Messages of the viber beside the conversation, such as answers to commands. */
  readonly asides: Signal<readonly Aside[]> = signal([]);
  /** IDs of listed messages that were matched with a sent one. */
  readonly #claimed = new Set<string>();
  readonly #run = new RunInProgress();
  readonly #look = gather(() => void this.#readDetail().then((show) => show(), notRead), PLAN_MS);
  #asked = 0;
  #shown = 0;
  #detailsAsked = 0;
  #detailShown = 0;
  #looks = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(taskId: string) {
    this.taskId = taskId;
  }

  get #path(): string {
    return `/api/tasks/${encodeURIComponent(this.taskId)}`;
  }

  get live(): Signal<LiveRun | undefined> {
    return this.#run.shown;
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
    this.#offerUnsent();
    void this.refresh();
    const ends = [
      onEvent((event) => this.#take(event)),
      onBehind(() => void this.refresh()),
      onForgotten((id) => this.#dropFailed(id)),
      watch(this.taskId),
    ];
    return () => {
      this.#rest();
      this.#look.end();
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
      // What was written elsewhere needn't wait: events have told the state. A message of one's own shows that it works
      // until its run does.
      const isOwn = this.sent.value.length > 0 && this.detail.value?.state !== 'running';
      if (this.detail.value !== undefined && !isOwn) batch(() => this.#show(page, mine));
      const showDetail = await this.#readDetail();
      batch(() => {
        showDetail();
        this.#show(page, mine);
      });
    } catch (error) {
      if (mine !== this.#asked) return;
      // A new task exists shortly after it was accepted.
      const isComing = this.isBusy && this.detail.value === undefined && this.#looks < MAX_LOOKS;
      if (!isComing) this.error.value = error;
      else {
        this.#looks += 1;
        this.messages.value ??= [];
        this.#soon(LOOK_MS);
      }
    }
  }

  /** Returns a function that shows it, unless a later reading is already shown. */
  async #readDetail(): Promise<() => void> {
    this.#detailsAsked += 1;
    const mine = this.#detailsAsked;
    const read = await api<TaskDetail>(this.#path);
    return () => {
      if (mine < this.#detailShown) return;
      this.#detailShown = mine;
      this.detail.value = states.read(read, read.cursor);
    };
  }

  /** @param asked when the page was asked for; it may be shown again with a later state, but not after a later page */
  #show(page: MessagePage, asked: number): void {
    if (asked < this.#shown) return;
    if (asked > this.#shown) this.#list(page);
    this.#shown = asked;
    const run = this.live.value;
    const ended =
      run !== undefined && page.messages.some(({ role, runId }) => role === 'assistant' && runId === run.runId);
    const state = this.detail.value?.state;
    if (ended || (state !== 'running' && state !== 'pending')) this.#run.clear();
  }

  #list(page: MessagePage): void {
    this.error.value = undefined;
    const newest = new Set(page.messages.map(({ id }) => id));
    const known = this.messages.value ?? [];
    const first = page.messages[0];
    const overlap = first === undefined ? -1 : known.findIndex(({ id }) => id === first.id);
    // Keeps older pages only if the newest page continues them; a gap would hide messages.
    const older = overlap > 0 ? known.slice(0, overlap).filter(({ id }) => !newest.has(id)) : [];
    if (older.length === 0) this.earlier.value = page.next;
    this.messages.value = [...older, ...sameWhereEqual(page.messages, known)];
    this.#settle(page.messages);
  }

  #settle(messages: readonly Message[]): void {
    const before = this.sent.value;
    this.sent.value = unlisted(before, messages, this.#claimed);
    for (const { id } of before) if (!this.sent.value.some((sent) => sent.id === id)) forgetUnsent(id);
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

  /** @param build makes the command: to this task, or to the person's own conversation */
  async say(
    text: string,
    files: readonly Artifact[],
    build: (text: string, files: readonly string[]) => CommandFrame,
  ): Promise<{ taskId?: string } | undefined> {
    const id = crypto.randomUUID();
    const before = this.messages.value?.map((message) => message.id) ?? [];
    const at = new Date().toISOString();
    const refs = files.map(({ ref }) => ref);
    const frame = build(text, refs);
    const message = { id, text, files, at, state: 'sending', before, after: this.#last, frame } as const;
    keepUnsent(this.taskId, message);
    this.sent.value = [...this.sent.value, message];
    return this.#send(id, frame);
  }

  /** Sends again what wasn't sent, under the same ID. */
  async resend({ id, frame }: OutgoingMessage): Promise<void> {
    this.#mark(id, { state: 'sending' });
    await this.#send(id, frame);
  }

  async #send(id: string, frame: CommandFrame): Promise<{ taskId?: string } | undefined> {
    try {
      const ack = await sendCommand(frame, id);
      forgetUnsent(id);
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

  /** Shows the first message of a task that was begun elsewhere on the page. */
  expect(sent: OutgoingMessage): void {
    this.messages.value ??= [];
    this.sent.value = [...this.sent.value, { ...sent, after: '' }];
  }

  /** Offers again what the page has lost before the gateway had it. */
  #offerUnsent(): void {
    const known = new Set(this.sent.value.map(({ id }) => id));
    const lost = unsentIn(this.taskId).filter(({ id }) => !known.has(id));
    if (lost.length > 0) this.sent.value = [...this.sent.value, ...lost];
  }

  drop(id: string): void {
    forgetUnsent(id);
    this.sent.value = this.sent.value.filter((sent) => sent.id !== id);
  }

  /** One that this tab has sent as well stays until it is listed. */
  #dropFailed(id: string): void {
    this.sent.value = this.sent.value.filter((sent) => sent.id !== id || sent.state !== 'failed');
  }

  get #last(): string | undefined {
    const messages = this.messages.value;
    const last = messages?.at(-1);
    return last === undefined ? messages && '' : messageKey(last);
  }

  aside(text: string, files: readonly { name: string }[]): void {
    const id = crypto.randomUUID();
    const said = { id, text, after: this.#last, files: files.map(({ name }) => name), at: new Date().toISOString() };
    this.asides.value = [...this.asides.value, said].slice(-MAX_ASIDES);
  }

  #mark(id: string, change: Partial<OutgoingMessage>): void {
    this.sent.value = this.sent.value.map((sent) => (sent.id === id ? { ...sent, ...change } : sent));
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #soon(ms = CONFIRM_MS): void {
    if (ms === 0) this.#rest();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.refresh();
    }, ms);
  }

  #take(event: EventFrame): void {
    if (!('taskId' in event) || event.taskId !== this.taskId) return;
    if (event.type === 'task:progress') {
      // By now its messages are on record, also those that were written elsewhere.
      if (this.#run.report(event.runId ?? '', event.event as Progress)) this.#soon(0);
    } else if (event.type === 'notice') this.aside(String(event.text ?? ''), readFileNames(event.files));
    else batch(() => this.#happened(event));
  }

  #happened(event: EventFrame): void {
    this.#stand();
    if (event.type === 'task:started') this.#run.begin(event.runId);
    // Where the answer to a question that was asked anew belongs, the list knows.
    const isAnew = this.sent.value.some(asksAgain);
    if (event.type === 'task:completed' && !isAnew) {
      const { text, artifactRefs } = event.result;
      const at = new Date().toISOString();
      this.#answer({ id: event.runId, role: 'assistant', text, at, runId: event.runId, artifactRefs });
      this.#run.end(event.runId);
    }
    if (event.type === 'task:error') this.#run.end(event.runId);
    if (event.type === 'task:state' && event.state === 'stopped') this.#run.end(event.runId ?? this.live.value?.runId);
    if (event.type === 'plan:changed' || event.type === 'artifact:created') this.#look.soon();
    // What went wrong, and what was written elsewhere, is told by the list alone.
    const isNews = event.type === 'task:error' || event.type === 'task:started' || isAnew;
    this.#soon(isNews ? 0 : CONFIRM_MS);
  }

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
}

/** Returns the messages, with the known object in the place of an equal one: what is unchanged isn't rendered again. */
function sameWhereEqual(messages: readonly Message[], known: readonly Message[]): readonly Message[] {
  const before = new Map(known.map((message) => [messageKey(message), message]));
  return messages.map((message) => {
    const one = before.get(messageKey(message));
    return one !== undefined && JSON.stringify(one) === JSON.stringify(message) ? one : message;
  });
}

/** The reload that follows every event says what is wrong. */
const notRead = (): void => undefined;

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
