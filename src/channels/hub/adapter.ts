/**
 * A hub that this gateway dials, where programs submit tasks (docs/websocket.md). What a hub says enters as from any program; how a run ended
 * goes out through the outbox, and is done with only when the hub has acknowledged that run. The same end told again has the same run.
 */
import { WebSocket } from 'ws';
import { DeliveryError } from '../../errors.ts';
import { isRecord } from '../../lib/json.ts';
import { parseJson } from '../../lib/read-json.ts';
import type { Channel, ChannelCallbacks, ChannelStatus, EndedRun, OutboundMessage, PartLedger } from '../channel.ts';
import type { Download } from '../shared/download.ts';
import { createStoredDownload, type FileOf } from '../shared/stored.ts';

export type HubSocket = WebSocket;

export interface HubOptions {
  /** `wss://`, or `ws://` on this machine. */
  url: string;
  token: string;
  /** Answers the frames of an open connection, until it is closed. */
  serve(socket: WebSocket): Promise<void>;
  /** How programs are told of the end of a run, and of words that end none. */
  frameOf(end: EndedRun): object;
  noticeOf(message: OutboundMessage): object;
  fileOf: FileOf;
  onError(error: unknown): void;
  times?: Partial<Times>;
}

/** Milliseconds. */
interface Times {
  /** Between two pings; a hub that answers none of two is gone. */
  beat: number;
  /** For the acknowledgement of one run's end; then it is sent again. */
  acknowledge: number;
  firstWait: number;
  longestWait: number;
}
const TIMES: Times = { beat: 30_000, acknowledge: 30_000, firstWait: 500, longestWait: 60_000 };
const HANDSHAKE_MS = 10_000;
const MAX_FRAME = 1024 * 1024;
/** Runs whose acknowledgement came after the wait for it was over. */
const MAX_LATE = 10_000;
const AGAIN_MS = 1_000;

export class Hub implements Channel {
  readonly id = 'hub';
  readonly account = 'hub';
  readonly isExact = true;
  readonly takesResults = true;
  readonly limits = {
    ...{ text: Number.MAX_SAFE_INTEGER, uploadBytes: Number.MAX_SAFE_INTEGER },
    downloadBytes: Number.MAX_SAFE_INTEGER,
  };
  readonly #options: HubOptions;
  readonly #times: Times;
  readonly download: Download;
  /** By run: who waits for its acknowledgement. */
  readonly #waiting = new Map<string, () => void>();
  readonly #acknowledged = new Set<string>();
  #socket: WebSocket | undefined;
  #status: ChannelStatus = { state: 'off' };
  #onStatus: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #tries = 0;
  #isEnding = false;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.download = createStoredDownload(options.fileOf);
  }

  status(): ChannelStatus {
    return this.#status;
  }

  /** A hub that is away keeps nothing waiting: it is dialled until it is there. */
  async connect({ onStatus }: ChannelCallbacks, { sendOnly = false } = {}): Promise<void> {
    this.#onStatus = onStatus;
    // Another process has dialled it, and tells it everything.
    if (sendOnly) return this.#become({ state: 'connected' });
    this.#become({ state: 'connecting' });
    this.#dial();
  }

  /** What is on its way out may still be acknowledged, until `end`. */
  async disconnect(): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#timer);
    this.#become({ state: 'off' });
  }

  end(): void {
    this.#isEnding = true;
    clearTimeout(this.#timer);
    this.#socket?.close(1001, 'the gateway stops');
    this.#socket?.terminate();
  }

  async send(message: OutboundMessage, ledger: PartLedger): Promise<void> {
    await ledger.part(0, async () => {
      const { result } = message;
      if (result) await this.#tellEnd(result);
      // A question is told as an event, when it is asked.
      else if (message.ended === undefined) this.#write(this.#options.noticeOf(message));
      return message.id;
    });
  }

  /** Resolves when the hub has acknowledged the run. */
  async #tellEnd(end: EndedRun): Promise<void> {
    const { runId } = end;
    if (this.#acknowledged.delete(runId)) return;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.set(runId, () => resolve(true));
    const timer = setTimeout(() => resolve(false), this.#times.acknowledge);
    const socket = this.#write(this.#options.frameOf(end));
    const lost = () => resolve(false);
    socket.once('close', lost);
    const isAcknowledged = await promise;
    socket.off('close', lost);
    clearTimeout(timer);
    this.#waiting.delete(runId);
    if (!isAcknowledged)
      throw new DeliveryError('The hub has not acknowledged it yet.', { retryAfterMs: AGAIN_MS, ambiguous: true });
  }

  #write(frame: object): WebSocket {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN)
      throw new DeliveryError('The hub cannot be reached.', { retryAfterMs: AGAIN_MS });
    socket.send(JSON.stringify(frame));
    return socket;
  }

  #dial(): void {
    const { url, token, serve, onError } = this.#options;
    const socket = new WebSocket(url, ['viber.v1'], {
      headers: { authorization: `Bearer ${token}` },
      ...{ handshakeTimeout: HANDSHAKE_MS, maxPayload: MAX_FRAME, perMessageDeflate: false, followRedirects: false },
    });
    let why = 'The hub cannot be reached.';
    let openedAt: number | undefined;
    let stopBeat: (() => void) | undefined;
    socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
      const isToken = statusCode === 401 || statusCode === 403;
      why = isToken
        ? `The hub does not take hub.token (${statusCode}).`
        : `The hub answers ${statusCode}; look at hub.url.`;
      socket.terminate();
    });
    // `close` follows.
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.#hear(String(data));
    });
    socket.on('open', () => {
      openedAt = Date.now();
      this.#socket = socket;
      stopBeat = beat(socket, this.#times.beat);
      this.#become({ state: 'connected' });
      // What the hub says at once waits until somebody listens.
      socket.pause();
      serve(socket)
        .finally(() => socket.resume())
        .catch((error: unknown) => {
          onError(error);
          socket.close(1011);
        });
    });
    socket.on('close', () => {
      stopBeat?.();
      if (this.#socket === socket) this.#socket = undefined;
      if (this.#isEnding) return;
      // A hub that closes as soon as it has opened is not asked ever faster.
      if (openedAt !== undefined && Date.now() - openedAt > this.#times.longestWait / 2) this.#tries = 0;
      this.#become({
        state: 'reconnecting',
        detail: openedAt === undefined ? why : 'The hub has closed the connection.',
      });
      this.#later();
    });
  }

  /** Longer from try to try, and never in step with other gateways of the same hub. */
  #later(): void {
    const { firstWait, longestWait } = this.#times;
    const most = Math.min(longestWait, firstWait * 2 ** this.#tries);
    this.#tries = Math.min(this.#tries + 1, 20);
    this.#timer = setTimeout(() => this.#dial(), most * (0.5 + Math.random() / 2));
  }

  #hear(text: string): void {
    const frame = parseJson(text);
    if (!isRecord(frame) || frame.type !== 'ack' || typeof frame.runId !== 'string') return;
    const waits = this.#waiting.get(frame.runId);
    if (waits) {
      waits();
      return;
    }
    this.#acknowledged.add(frame.runId);
    const [oldest] = this.#acknowledged;
    if (this.#acknowledged.size > MAX_LATE && oldest !== undefined) this.#acknowledged.delete(oldest);
  }

  #become(status: ChannelStatus): void {
    this.#status = status;
    this.#onStatus();
  }
}

/** Pings; ends the connection when two in a row stay unanswered. Gives the function that ends it. */
function beat(socket: WebSocket, ms: number): () => void {
  let unanswered = 0;
  socket.on('pong', () => {
    unanswered = 0;
  });
  const timer = setInterval(() => {
    unanswered += 1;
    if (unanswered > 2) socket.terminate();
    else socket.ping();
  }, ms);
  return () => clearInterval(timer);
}
