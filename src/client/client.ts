/**
 * Implements a client of `viber.v1` (docs/protocol.md) for browsers and Node, without dependencies. After a lost
 * connection, commands are sent again under the same ID until they are acknowledged, so that none runs twice. Events
 * come in order; the end of a run is reported once.
 */
import { Beat } from './beat.ts';
import type {
  AckFrame,
  CommandFrame,
  ConnectedFrame,
  EventFrame,
  LiveFrames,
  SubmittedTask,
  TaskResultFrame,
} from './frames.ts';
import { isRefusedBy, openGlobal } from './open.ts';
import { over, ViberError } from './viber-error.ts';

export type * from './frames.ts';
export { ViberError } from './viber-error.ts';

/**
 * `waiting`: the connection is lost and will be retried; `refused`: it won't be, because the token or the key is wrong.
 */
export type ConnectionState = 'connecting' | 'open' | 'waiting' | 'refused' | 'closed';

/** The common part of a browser's and Node's `WebSocket`. */
export type Socket = WebSocket;

export interface ViberClientOptions {
  /** Example: `ws://127.0.0.1:6009/ws`. */
  url: string;
  /** A token of `http.clients` or `http.token`; sent as a header, which browsers can't do. */
  token?: string;
  /** The Board's key, sent along with its cookie. */
  key?: string;
  /** The `cursor` of an earlier client: events since then come first. */
  cursor?: string;
  /** Opens a connection by other means than the global `WebSocket`. */
  open?: (url: string, token: string | undefined) => Socket;
  /** The longest wait between two tries, in ms; 15 s by default. */
  maxWaitMs?: number;
  /**
   * After this many ms without a message the client pings the gateway; after as many again, it counts the connection as
   * lost. 20 s by default.
   */
  beatMs?: number;
}

export interface EndedRun {
  taskId: string;
  runId: string;
  result: TaskResultFrame;
}

interface PendingSend {
  type: string;
  text: string;
  resolve: (ack: AckFrame) => void;
  reject: (error: ViberError) => void;
}

const ALL = '*';
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 15_000;
const BEAT_MS = 20_000;
const MAX_ENDED_RUNS = 10_000;
const MAX_BEGUN = 1_000;
const BEGINS: ReadonlySet<string> = new Set(['task:submit', 'task:message', 'message']);
/** The close code of a broken connection. */
const LOST = 1006;
const WRONG_TOKEN = 4401;
/** Close codes after which sending the same again would be refused again. */
const REFUSED: ReadonlySet<number> = new Set([4400, 4401, 4403]);

/** Builds the command that subscribes to tasks, from a position on. */
const subscription = (
  taskIds: readonly string[] | '*',
  live: LiveFrames | undefined,
  after: string | undefined,
): CommandFrame => ({ type: 'task:subscribe', taskIds, ...(live && { live }), ...(after !== undefined && { after }) });

/**
 * A connection that is opened at once and kept until `close`.
 * @example
 * const client = new ViberClient({ url: 'ws://127.0.0.1:6009/ws', token: 'a token of http.clients' });
 * const { result } = await client.run({ goal: 'Summarise the news' });
 * client.close();
 */
export class ViberClient {
  readonly #options: ViberClientOptions;
  readonly #unacknowledged = new Map<string, PendingSend>();
  /** Acknowledged subscriptions, by task. */
  readonly #followed = new Map<string, LiveFrames | undefined>();
  /**
   * Tasks that were started or written to here. The gateway reports them on the connection they came by; on a later
   * one only once they are subscribed.
   */
  readonly #begun = new Map<string, LiveFrames | undefined>();
  readonly #listeners = new Set<(event: EventFrame) => void>();
  readonly #watchers = new Set<(state: ConnectionState) => void>();
  readonly #ended = new Set<string>();
  #socket: Socket | undefined;
  #state: ConnectionState = 'connecting';
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #cursor: string | undefined;
  #beat: Beat | undefined;

  constructor(options: ViberClientOptions) {
    this.#options = options;
    this.#cursor = options.cursor;
    this.#connect();
  }

  /** The state of the connection. */
  get state(): ConnectionState {
    return this.#state;
  }

  /** The position of the last event; a later client that is given it continues from there. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /**
   * Calls the listener for each event, in order. Returns a function that removes it.
   * @example
   * const stop = client.onEvent((event) => console.log(event.type));
   */
  onEvent(listener: (event: EventFrame) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Calls the watcher whenever the state changes. Returns a function that removes it.
   * @example
   * const stop = client.onState((state) => console.log(state));
   */
  onState(watcher: (state: ConnectionState) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /**
   * Resolves when the gateway has made the command durable.
   * @throws ViberError when the gateway refuses it, or when this client is closed first.
   * @param id with the ID of a command that an earlier client sent, this is the same command
   * @example
   * const { taskId } = await client.send({ type: 'task:submit', goal: 'Summarise the news', messages: [] });
   */
  send(command: CommandFrame, id: string = crypto.randomUUID()): Promise<AckFrame> {
    const { promise, resolve, reject } = Promise.withResolvers<AckFrame>();
    if (this.#state === 'closed' || this.#state === 'refused') {
      reject(over(this.#state));
      return promise;
    }
    const text = JSON.stringify({ ...command, id });
    this.#unacknowledged.set(id, { type: command.type, text, resolve, reject });
    if (this.#state === 'open') this.#socket?.send(text);
    return promise;
  }

  /**
   * Subscribes to these tasks, or to all that this client may see, and again after every reconnect.
   * @throws ViberError as `send` does
   * @example
   * await client.follow('*', 'events');
   */
  async follow(taskIds: readonly string[] | '*', live?: LiveFrames): Promise<void> {
    await this.send(subscription(taskIds, live, undefined));
    for (const taskId of taskIds === ALL ? [ALL] : taskIds) this.#followed.set(taskId, live);
  }

  /**
   * Ends the subscription to these tasks.
   * @throws ViberError as `send` does
   * @example
   * await client.unfollow(['20261127-abcde']);
   */
  async unfollow(taskIds: readonly string[] | '*'): Promise<void> {
    for (const taskId of taskIds === ALL ? [ALL] : taskIds) {
      this.#followed.delete(taskId);
      this.#begun.delete(taskId);
    }
    await this.send({ type: 'task:unsubscribe', taskIds });
  }

  /**
   * Submits a task and waits, without a limit, for the end of its run.
   * @throws ViberError when it is refused, fails or is stopped
   * @example
   * const { taskId, result } = await client.run({ goal: 'Summarise the news', viberId: 'main' });
   */
  async run(task: SubmittedTask, id?: string): Promise<EndedRun> {
    const after = this.#cursor;
    const { promise, resolve, reject } = Promise.withResolvers<EndedRun>();
    // If the client closes during the submission, the rejection surfaces at the `await` below.
    promise.catch(() => undefined);
    let taskId: string | undefined;
    const early: EventFrame[] = [];
    const look = (event: EventFrame) => {
      if (!('taskId' in event) || event.taskId !== taskId) return;
      if (event.type === 'task:completed') resolve({ taskId: event.taskId, runId: event.runId, result: event.result });
      if (event.type === 'task:error') reject(new ViberError({ code: 'failed', message: event.error.message }));
      if (event.type === 'task:state' && event.state === 'stopped')
        reject(new ViberError({ code: 'stopped', message: 'The task was stopped.' }));
      if (event.type === 'task:state' && event.state === 'error')
        reject(new ViberError({ code: 'failed', message: 'The gateway gave up on the task.' }));
    };
    const stop = this.onEvent((event) => (taskId === undefined ? early.push(event) : look(event)));
    const unwatch = this.onState((state) => {
      if (state === 'closed' || state === 'refused') reject(over(state));
    });
    try {
      ({ taskId } = await this.send({ type: 'task:submit', messages: [], ...task }, id));
      if (taskId === undefined) throw new ViberError({ code: 'bad_frame', message: 'The answer names no task.' });
      early.forEach(look);
      // The run may have ended while the acknowledgement was lost, so subscribe from where it began.
      await this.send(subscription([taskId], task.live, after));
      this.#begun.set(taskId, task.live);
      return await promise;
    } finally {
      stop();
      unwatch();
    }
  }

  /**
   * Closes the client for good; unacknowledged commands are rejected with the code `closed`.
   * @example
   * client.close();
   */
  close(): void {
    clearTimeout(this.#timer);
    this.#beat?.stop();
    this.#end('closed');
    this.#socket?.close(1000);
  }

  #connect(): void {
    this.#tell('connecting');
    const { url, token, open = openGlobal } = this.#options;
    const socket = open(url, token);
    this.#socket = socket;
    this.#beat?.stop();
    this.#beat = this.#watch(socket);
    let hasOpened = false;
    socket.onopen = () => {
      hasOpened = true;
      const { key } = this.#options;
      if (key !== undefined)
        socket.send(JSON.stringify({ type: 'auth', key, ...(this.#cursor && { after: this.#cursor }) }));
    };
    socket.onmessage = ({ data }) => {
      if (this.#socket !== socket) return;
      this.#beat?.heard();
      this.#take(JSON.parse(String(data)));
    };
    // `close` follows with the reason.
    socket.onerror = () => undefined;
    socket.onclose = async ({ code }) => {
      if (this.#socket !== socket) return;
      const isRefused = !hasOpened && token !== undefined && (await isRefusedBy(url, token));
      if (this.#socket === socket) this.#lost(isRefused ? WRONG_TOKEN : code);
    };
  }

  #watch(socket: Socket): Beat {
    const ask = () => {
      if (this.#state === 'open') socket.send(JSON.stringify({ type: 'ping', id: crypto.randomUUID() }));
    };
    return new Beat(this.#options.beatMs ?? BEAT_MS, ask, () => {
      this.#lost(LOST);
      socket.close();
    });
  }

  #take(frame: ConnectedFrame | AckFrame | EventFrame): void {
    if (frame.type === 'connected') this.#resume(frame as ConnectedFrame);
    else if (frame.type === 'ack') this.#acknowledged(frame as AckFrame);
    else this.#happened(frame as EventFrame);
  }

  #happened(event: EventFrame): void {
    this.#cursor = event.cursor ?? this.#cursor;
    if (this.#isKnownEnd(event)) return;
    for (const listener of this.#listeners) listener(event);
  }

  /** Renews all subscriptions from the last position, then sends the unacknowledged commands in order. */
  #resume(frame: ConnectedFrame): void {
    const since = this.#cursor;
    this.#cursor ??= frame.cursor;
    this.#tries = 0;
    this.#tell('open');
    for (const [taskId, live] of new Map([...this.#begun, ...this.#followed])) {
      const again = subscription(taskId === ALL ? ALL : [taskId], live, since);
      this.#socket?.send(JSON.stringify({ ...again, id: crypto.randomUUID() }));
    }
    for (const { text } of this.#unacknowledged.values()) this.#socket?.send(text);
  }

  #acknowledged(ack: AckFrame): void {
    const waiting = this.#unacknowledged.get(ack.id);
    this.#unacknowledged.delete(ack.id);
    const { taskId } = ack;
    if (ack.ok && taskId !== undefined && BEGINS.has(waiting?.type ?? '') && !this.#begun.has(taskId)) {
      this.#begun.set(taskId, undefined);
      const [oldest] = this.#begun.keys();
      if (this.#begun.size > MAX_BEGUN && oldest !== undefined) this.#begun.delete(oldest);
    }
    if (ack.ok) waiting?.resolve(ack);
    else waiting?.reject(new ViberError(ack.error ?? { code: 'refused', message: 'The gateway refused it.' }));
  }

  /** Returns whether this end of a run was already passed on. It arrives at least once and is passed on once. */
  #isKnownEnd(event: EventFrame): boolean {
    if (event.type !== 'task:completed' && event.type !== 'task:error') return false;
    if (this.#ended.has(event.runId)) return true;
    this.#ended.add(event.runId);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_ENDED_RUNS && oldest !== undefined) this.#ended.delete(oldest);
    return false;
  }

  #lost(code: number): void {
    if (this.#state === 'closed') return;
    this.#socket = undefined;
    this.#beat?.stop();
    if (REFUSED.has(code)) {
      this.#end('refused');
      return;
    }
    this.#tell('waiting');
    const most = Math.min(this.#options.maxWaitMs ?? MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#tries);
    this.#tries += 1;
    // The clients of one gateway must not all come back at the same moment.
    this.#timer = setTimeout(() => this.#connect(), most * (0.5 + Math.random() / 2));
  }

  #end(state: 'closed' | 'refused'): void {
    this.#tell(state);
    for (const { reject } of this.#unacknowledged.values()) reject(over(state));
    this.#unacknowledged.clear();
  }

  #tell(state: ConnectionState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const watcher of this.#watchers) watcher(state);
  }
}
