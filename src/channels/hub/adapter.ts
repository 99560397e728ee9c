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
import { createStoredDownload, type FileOf, UNLIMITED } from '../shared/stored.ts';
import { type Backoff, createBackoff } from '../shared/wait.ts';
import { type PubSub, Relay } from './relay.ts';

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
  pubSub?: PubSub | undefined;
  times?: Partial<Times>;
}

/** Times in milliseconds. */
interface Times {
  /** Between two pings; a hub that misses two pongs counts as gone. */
  beat: number;
  /** Limit for the acknowledgement of a run's end; after it, the end is sent again. */
  acknowledge: number;
  /** Limit for a reply of the process that has dialled the hub. */
  received: number;
  firstWait: number;
  longestWait: number;
}
const TIMES: Times = { beat: 30_000, acknowledge: 30_000, received: 2_000, firstWait: 500, longestWait: 60_000 };
const HANDSHAKE_MS = 10_000;
const MAX_FRAME = 1024 * 1024;
/** How many acknowledgements to keep that arrived too late. */
const MAX_LATE = 10_000;
const AGAIN_MS = 1_000;

export class Hub implements Channel {
  readonly id = 'hub';
  readonly account = 'hub';
  readonly isExact = true;
  readonly takesResults = true;
  readonly limits = UNLIMITED;
  readonly #options: HubOptions;
  readonly #times: Times;
  readonly #backoff: Backoff;
  readonly download: Download;
  /** Callbacks that wait for a run's acknowledgement, by run. */
  readonly #waiting = new Map<string, () => void>();
  readonly #acknowledged = new Set<string>();
  #socket: WebSocket | undefined;
  #status: ChannelStatus = { state: 'off' };
  #onStatus: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Once true, nothing is dialled any more. */
  #isEnding = false;
  /** Incremented whenever earlier connections stop being ours. */
  #round = 0;
  #stopLeading: (() => Promise<void>) | undefined;
  readonly #relay: Relay | undefined;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#backoff = createBackoff(this.#times.firstWait, this.#times.longestWait);
    this.download = createStoredDownload(options.fileOf);
    const { pubSub, onError } = options;
    const { received, acknowledge } = this.#times;
    this.#relay =
      pubSub &&
      new Relay({
        pubSub,
        onError,
        receivedMs: received,
        reportedMs: acknowledge + received,
        isHere: () => this.#socket?.readyState === WebSocket.OPEN,
        report: (message) => this.#report(message),
      });
  }

  status(): ChannelStatus {
    return this.#status;
  }

  /** Starts dialling. An absent hub doesn't delay the start: it is dialled until it answers. */
  async connect({ onStatus }: ChannelCallbacks, { sendOnly = false } = {}): Promise<void> {
    this.#onStatus = onStatus;
    const { lead = alone, pubSub } = this.#options;
    // Another process dials the hub.
    if (sendOnly || pubSub) this.#become({ state: 'connected' });
    if (sendOnly) return;
    this.#stopLeading = lead('hub', async (turn) => {
      this.#become({ state: 'connecting' });
      if (!this.#isEnding) this.#dial();
      await ended(turn);
      this.#hangUp();
      if (pubSub) this.#become({ state: 'connected' });
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
      else await this.#report(message);
      return message.id;
    });
  }

  async #report(message: OutboundMessage): Promise<void> {
    const { result } = message;
    if (result) await this.#reportEnd(result);
    // A question is reported as an event when it is asked.
    else if (message.ended === undefined) this.#write(this.#options.noticeOf(message));
  }

  /** Resolves when the hub has acknowledged the run. */
  async #reportEnd(end: EndedRun): Promise<void> {
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
      why = isToken ? `The hub rejected hub.token (${statusCode}).` : `The hub answered ${statusCode}. Check hub.url.`;
      socket.terminate();
    });
    // `close` follows.
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.#receive(String(data));
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
      if (openedAt !== undefined && Date.now() - openedAt > this.#times.longestWait / 2) this.#backoff.reset();
      this.#become({
        state: 'reconnecting',
        detail: openedAt === undefined ? why : 'The hub closed the connection.',
      });
      // The random part of the wait keeps the gateways of one hub from dialling in step.
      this.#timer = setTimeout(() => this.#dial(), this.#backoff.next());
    });
  }

  #receive(text: string): void {
    const frame = parseJson(text);
    if (!isRecord(frame) || frame.type !== 'ack' || typeof frame.runId !== 'string') return;
    const acknowledge = this.#waiting.get(frame.runId);
    if (acknowledge) acknowledge();
    else this.#acknowledged.add(frame.runId);
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
