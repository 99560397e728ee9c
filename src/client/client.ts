/**
 * A client of `viber.v1` (docs/websocket.md) for browsers and Node, without dependencies. Commands go out again after a lost connection until
 * they are acknowledged, under the id they had, so that none is carried out twice. Events come in their order; the end of a run is told once.
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
import { subscription } from './subscription.ts';
import { over, ViberError } from './viber-error.ts';

export type * from './frames.ts';
export { ViberError } from './viber-error.ts';

/** `waiting`: the connection is lost and is tried again; `refused`: it is not, since the token or the key is wrong. */
export type ConnectionState = 'connecting' | 'open' | 'waiting' | 'refused' | 'closed';

/** What a browser's and Node's `WebSocket` have in common. */
export type Socket = Pick<WebSocket, 'send' | 'close' | 'readyState' | 'onopen' | 'onmessage' | 'onclose' | 'onerror'>;

export interface ViberClientOptions {
  /** `ws://127.0.0.1:6009/ws` */
  url: string;
  /** Of `http.clients` or `http.token`; goes along as a header, which browsers cannot send. */
  token?: string;
  /** The Board's: what goes along with its cookie. */
  key?: string;
  /** Where an earlier client stopped: what has happened since then is told first. */
  cursor?: string;
  /** Opens a connection in another way than by the global `WebSocket`. */
  open?: (url: string, token: string | undefined) => Socket;
  /** The longest wait between two tries, in milliseconds; 15 s by default. */
  maxWaitMs?: number;
  /** After so long without a word the gateway is asked for one; 20 s by default. One that says nothing for as long again is taken for lost. */
  beatMs?: number;
}

export interface EndedRun {
  taskId: string;
  runId: string;
  result: TaskResultFrame;
}

interface Unacknowledged {
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
/** As a broken connection is told. */
const LOST = 1006;
const WRONG_TOKEN = 4401;
/** Trying again with what was sent would be refused again. */
const REFUSED: ReadonlySet<number> = new Set([4400, 4401, 4403]);

export class ViberClient {
  readonly #options: ViberClientOptions;
  readonly #unacknowledged = new Map<string, Unacknowledged>();
  /** By task, once it is acknowledged. */
  readonly #followed = new Map<string, LiveFrames | undefined>();
  /** By task, what was begun or said here: the gateway tells of it on the connection it came by, and on a later one once it is named. */
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

  get state(): ConnectionState {
    return this.#state;
  }

  /** The place of the last event: a later client that is given it goes on from there. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** Gives the function that ends it. */
  onEvent(listener: (event: EventFrame) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Gives the function that ends it. */
  onState(watcher: (state: ConnectionState) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /**
   * Resolves when the gateway has made the command durable; rejects with ViberError when it refuses it, or when this client is closed first.
   * @param id one that an earlier client has sent already makes this the same command
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

  /** Tells of these tasks from now on, or of all that this client may see, also after every reconnect. */
  async follow(taskIds: readonly string[] | '*', live?: LiveFrames): Promise<void> {
    await this.send(subscription(taskIds, live, undefined));
    for (const taskId of taskIds === ALL ? [ALL] : taskIds) this.#followed.set(taskId, live);
  }

  async unfollow(taskIds: readonly string[] | '*'): Promise<void> {
    for (const taskId of taskIds === ALL ? [ALL] : taskIds) {
      this.#followed.delete(taskId);
      this.#begun.delete(taskId);
    }
    await this.send({ type: 'task:unsubscribe', taskIds });
  }

  /** Submits a task and waits for the end of its run. Rejects with ViberError when it is refused, fails or is stopped. */
  async run(task: SubmittedTask, id?: string): Promise<EndedRun> {
    const after = this.#cursor;
    const { promise, resolve, reject } = Promise.withResolvers<EndedRun>();
    // Closed while the submission is on its way: thrown where it is waited for.
    promise.catch(() => undefined);
    let taskId: string | undefined;
    const early: EventFrame[] = [];
    const look = (event: EventFrame) => {
      if (!('taskId' in event) || event.taskId !== taskId) return;
      if (event.type === 'task:completed') resolve({ taskId: event.taskId, runId: event.runId, result: event.result });
      if (event.type === 'task:error') reject(new ViberError({ code: 'failed', message: event.error.message }));
      if (event.type === 'task:state' && event.state === 'stopped')
        reject(new ViberError({ code: 'stopped', message: 'The work was stopped.' }));
      if (event.type === 'task:state' && event.state === 'error')
        reject(new ViberError({ code: 'failed', message: 'The work was given up.' }));
    };
    const stop = this.onEvent((event) => (taskId === undefined ? early.push(event) : look(event)));
    const unwatch = this.onState((state) => {
      if (state === 'closed' || state === 'refused') reject(over(state));
    });
    try {
      ({ taskId } = await this.send({ type: 'task:submit', messages: [], ...task }, id));
      if (taskId === undefined) throw new ViberError({ code: 'bad_frame', message: 'The answer names no task.' });
      early.forEach(look);
      // It may have ended while the acknowledgement was lost: asked for from where it began.
      await this.send(subscription([taskId], task.live, after));
      this.#begun.set(taskId, task.live);
      return await promise;
    } finally {
      stop();
      unwatch();
    }
  }

  /** For good: what is not acknowledged is rejected. */
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
    // `close` follows and says why.
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

  /** What was followed is followed again from where it was left, then what nobody has acknowledged goes out in its order. */
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

  /** The end of a run comes at least once, and is passed on once. */
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
    // Many clients of one gateway must not come back in the same moment.
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
