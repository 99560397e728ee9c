/**
 * Connects to a hub where programs submit tasks (docs/protocol.md). The hub's requests are handled like any program's.
 * The end of a run goes out through the outbox and is complete only when the hub has acknowledged that run; a repeated
 * end names the same run. Of several processes one dials the hub and relays the messages of the others.
 */
import { WebSocket } from 'ws';
import { DeliveryError } from '../../errors.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import type { Channel, ChannelCallbacks, ChannelStatus, EndedRun, OutboundMessage, PartLedger } from '../channel.ts';
import { alone, ended, type Lead } from '../lead.ts';
import type { Download } from '../shared/download.ts';
import { createStoredDownload, type FileOf } from '../shared/stored.ts';
import { type Mouth, Relay } from './relay.ts';

export interface HubOptions {
  /** `wss://`, or `ws://` on this machine. */
  url: string;
  token: string;
  /** Answers the frames of an open connection until it closes. */
  serve(socket: WebSocket): Promise<void>;
  /** Returns the frame for the end of a run; `noticeOf`, for a message that ends none. */
  frameOf(end: EndedRun): object;
  noticeOf(message: OutboundMessage): object;
  fileOf: FileOf;
  onError(error: unknown): void;
  lead?: Lead;
  /** Set if there are several processes. */
  mouth?: Mouth | undefined;
  times?: Partial<Times>;
}

/** Times in milliseconds. */
interface Times {
  /** Between two pings; a hub that misses two pongs counts as gone. */
  beat: number;
  /** Limit for the acknowledgement of a run's end; after it, the end is sent again. */
  acknowledge: number;
  /** Limit for a reply of the process that has dialled the hub. */
  heard: number;
  firstWait: number;
  longestWait: number;
}
const TIMES: Times = { beat: 30_000, acknowledge: 30_000, heard: 2_000, firstWait: 500, longestWait: 60_000 };
const HANDSHAKE_MS = 10_000;
const MAX_FRAME = 1024 * 1024;
/** The most acknowledgements to keep that came after the wait for them was over. */
const MAX_LATE = 10_000;
const AGAIN_MS = 1_000;

export class Hub implements Channel {
  readonly id = 'hub';
  readonly account = 'hub';
  readonly isExact = true;
  readonly takesResults = true;
  readonly limits = {
    text: Number.MAX_SAFE_INTEGER,
    uploadBytes: Number.MAX_SAFE_INTEGER,
    downloadBytes: Number.MAX_SAFE_INTEGER,
  };
  readonly #options: HubOptions;
  readonly #times: Times;
  readonly download: Download;
  /** Callbacks that wait for a run's acknowledgement, by run. */
  readonly #waiting = new Map<string, () => void>();
  readonly #acknowledged = new Set<string>();
  #socket: WebSocket | undefined;
  #status: ChannelStatus = { state: 'off' };
  #onStatus: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #tries = 0;
  /** Once true, nothing is dialled any more. */
  #isEnding = false;
  /** Incremented whenever earlier connections stop being ours. */
  #round = 0;
  #stopLeading: (() => Promise<void>) | undefined;
  readonly #relay: Relay | undefined;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.download = createStoredDownload(options.fileOf);
    const { mouth, onError } = options;
    const { heard, acknowledge } = this.#times;
    this.#relay =
      mouth &&
      new Relay({
        mouth,
        onError,
        heardMs: heard,
        toldMs: acknowledge + heard,
        isHere: () => this.#socket?.readyState === WebSocket.OPEN,
        tell: (message) => this.#tell(message),
      });
  }

  status(): ChannelStatus {
    return this.#status;
  }

  /** Starts dialling. An absent hub doesn't delay the start: it is dialled until it answers. */
  async connect({ onStatus }: ChannelCallbacks, { sendOnly = false } = {}): Promise<void> {
    this.#onStatus = onStatus;
    const { lead = alone, mouth } = this.#options;
    // Another process dials the hub.
    if (sendOnly || mouth) this.#become({ state: 'connected' });
    if (sendOnly) return;
    this.#stopLeading = lead('hub', async (turn) => {
      this.#become({ state: 'connecting' });
      if (!this.#isEnding) this.#dial();
      await ended(turn);
      this.#hangUp();
      if (mouth) this.#become({ state: 'connected' });
    });
  }

  /** Stops dialling. Runs being reported may still be acknowledged until `end`. */
  async disconnect(): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#timer);
    this.#become({ state: 'off' });
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    this.#hangUp();
    await this.#stopLeading?.();
    await this.#relay?.close();
    this.#become({ state: 'off' });
  }

  #hangUp(): void {
    this.#round += 1;
    clearTimeout(this.#timer);
    this.#socket?.close(1001, 'the gateway stops');
    this.#socket?.terminate();
    this.#socket = undefined;
  }

  async send(message: OutboundMessage, ledger: PartLedger): Promise<void> {
    await ledger.part(0, async () => {
      if (this.#relay && this.#socket === undefined) await this.#relay.ask(message);
      else await this.#tell(message);
      return message.id;
    });
  }

  async #tell(message: OutboundMessage): Promise<void> {
    const { result } = message;
    if (result) await this.#tellEnd(result);
    // A question is reported as an event when it is asked.
    else if (message.ended === undefined) this.#write(this.#options.noticeOf(message));
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
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MAX_FRAME,
      perMessageDeflate: false,
      followRedirects: false,
    });
    let why = 'The hub cannot be reached.';
    let openedAt: number | undefined;
    const round = this.#round;
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
      if (round !== this.#round) return socket.terminate();
      this.#socket = socket;
      stopBeat = beat(socket, this.#times.beat);
      this.#become({ state: 'connected' });
      this.#relay?.here();
      // Holds back what the hub sends at once until there is a listener.
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
      if (this.#isEnding || round !== this.#round) return;
      // A hub that closes right after opening must not reset the backoff.
      if (openedAt !== undefined && Date.now() - openedAt > this.#times.longestWait / 2) this.#tries = 0;
      this.#become({
        state: 'reconnecting',
        detail: openedAt === undefined ? why : 'The hub has closed the connection.',
      });
      this.#later();
    });
  }

  /**
   * Dials again after a wait that grows with each try and is random, so that gateways of one hub don't dial in step.
   */
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

/** Pings; ends the connection when two pings in a row stay unanswered. Returns a function that stops pinging. */
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
