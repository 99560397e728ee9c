/**
 * Relays messages to the hub through the one process that has dialled it. That process replies when it has received one,
 * and when the hub has it. Without these replies the outbox tries again; a repeated end names the same run.
 */
import { DeliveryError } from '../../errors.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import type { OutboundMessage } from '../channel.ts';

/** The messaging between processes (`engine/engine.ts`); messages may be lost. */
export interface PubSub {
  publish(topic: string, text: string): void;
  subscribe(topic: string, on: (text: string) => void): () => Promise<void>;
}

interface RelayOptions {
  pubSub: PubSub;
  /** Returns whether this process has the connection. */
  isHere(): boolean;
  /** Resolves when the hub has the message. @throws DeliveryError */
  report(message: OutboundMessage): Promise<void>;
  onError(error: unknown): void;
  /** Limits in ms: for the dialling process to reply, and for the hub to acknowledge. */
  receivedMs: number;
  reportedMs: number;
}

/** Topics and replies are the same in all versions, because processes are updated one by one. */
const TELL = 'hub:tell';
const SAID = 'hub:said';
const AGAIN_MS = 1_000;

type RelayState = 'heard' | 'told' | 'not told';

export class Relay {
  readonly #options: RelayOptions;
  readonly #stops: (() => Promise<void>)[];
  /** Callbacks for replies about a message, by message. */
  readonly #waiting = new Map<string, (said: RelayState) => void>();
  /** The messages that this process is reporting for others. */
  readonly #reporting = new Set<string>();

  constructor(options: RelayOptions) {
    this.#options = options;
    const { pubSub } = options;
    this.#stops = [
      // The text was written by one of our own processes.
      pubSub.subscribe(TELL, (text) => void this.#reportFor(JSON.parse(text) as OutboundMessage)),
      pubSub.subscribe(SAID, (text) => this.#receive(parseJson(text))),
    ];
  }

  /** Resolves when another process has passed the message on. */
  async ask(message: OutboundMessage): Promise<void> {
    const { pubSub, receivedMs, reportedMs } = this.#options;
    const { promise, resolve } = Promise.withResolvers<RelayState>();
    let timer = setTimeout(() => resolve('not told'), receivedMs);
    let isReceived = false as boolean;
    this.#waiting.set(message.id, (said) => {
      if (said !== 'heard') return resolve(said);
      isReceived = true;
      clearTimeout(timer);
      timer = setTimeout(() => resolve('not told'), reportedMs);
    });
    pubSub.publish(TELL, JSON.stringify(message));
    const said = await promise;
    clearTimeout(timer);
    this.#waiting.delete(message.id);
    if (said !== 'told')
      throw new DeliveryError('No other process has passed it on to the hub yet.', {
        retryAfterMs: AGAIN_MS,
        ...(isReceived && { ambiguous: true }),
      });
  }

  /** Announces that this process now has the connection; the others must send their pending messages again. */
  here(): void {
    this.#options.pubSub.publish(SAID, JSON.stringify({ said: 'not told' }));
  }

  async close(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
  }

  async #reportFor(message: OutboundMessage): Promise<void> {
    const { isHere, report, onError } = this.#options;
    const { id } = message;
    if (!isHere()) return;
    this.#reply(id, 'heard');
    if (this.#reporting.has(id)) return;
    this.#reporting.add(id);
    try {
      await report(message);
      this.#reply(id, 'told');
    } catch (error) {
      if (!(error instanceof DeliveryError)) onError(error);
      this.#reply(id, 'not told');
    } finally {
      this.#reporting.delete(id);
    }
  }

  #reply(id: string, said: RelayState): void {
    this.#options.pubSub.publish(SAID, JSON.stringify({ id, said }));
  }

  #receive(what: unknown): void {
    if (!isRecord(what)) return;
    const { id, said } = what;
    if (said !== 'heard' && said !== 'told' && said !== 'not told') return;
    if (typeof id === 'string') this.#waiting.get(id)?.(said);
    else for (const each of this.#waiting.values()) each(said);
  }
}
