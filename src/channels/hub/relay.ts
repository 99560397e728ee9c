/**
 * Relays messages to the hub through the one process that has dialled it. That process replies that it has heard, and
 * then that it has told the hub. Without these replies the outbox tries again; a repeated end names the same run.
 */
import { DeliveryError } from '../../errors.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import type { OutboundMessage } from '../channel.ts';

/** The messaging between processes (`engine/engine.ts`); messages may be lost. */
export interface Mouth {
  publish(topic: string, text: string): void;
  subscribe(topic: string, on: (text: string) => void): () => Promise<void>;
}

export interface RelayOptions {
  mouth: Mouth;
  /** Returns whether this process has the connection. */
  isHere(): boolean;
  /** Resolves when the hub was told. @throws DeliveryError */
  tell(message: OutboundMessage): Promise<void>;
  onError(error: unknown): void;
  /** Limits in ms: for the dialling process to reply, and for the hub to acknowledge. */
  heardMs: number;
  toldMs: number;
}

const TELL = 'hub:tell';
const SAID = 'hub:said';
const AGAIN_MS = 1_000;

type RelayState = 'heard' | 'told' | 'not told';

export class Relay {
  readonly #options: RelayOptions;
  readonly #stops: (() => Promise<void>)[];
  /** Callbacks for replies about a message, by message. */
  readonly #waiting = new Map<string, (said: RelayState) => void>();
  /** The messages that this process is telling the hub for others. */
  readonly #telling = new Set<string>();

  constructor(options: RelayOptions) {
    this.#options = options;
    const { mouth } = options;
    this.#stops = [
      // The text was written by one of our own processes.
      mouth.subscribe(TELL, (text) => void this.#tellFor(JSON.parse(text) as OutboundMessage)),
      mouth.subscribe(SAID, (text) => this.#hear(parseJson(text))),
    ];
  }

  /** Resolves when another process has told the hub. */
  async ask(message: OutboundMessage): Promise<void> {
    const { mouth, heardMs, toldMs } = this.#options;
    const { promise, resolve } = Promise.withResolvers<RelayState>();
    let timer = setTimeout(() => resolve('not told'), heardMs);
    let isHeard = false as boolean;
    this.#waiting.set(message.id, (said) => {
      if (said !== 'heard') return resolve(said);
      isHeard = true;
      clearTimeout(timer);
      timer = setTimeout(() => resolve('not told'), toldMs);
    });
    mouth.publish(TELL, JSON.stringify(message));
    const said = await promise;
    clearTimeout(timer);
    this.#waiting.delete(message.id);
    if (said !== 'told')
      throw new DeliveryError('The hub was not told by way of another process yet.', {
        retryAfterMs: AGAIN_MS,
        ...(isHeard && { ambiguous: true }),
      });
  }

  /** Announces that this process now has the connection; others must send again what they still have to tell. */
  here(): void {
    this.#options.mouth.publish(SAID, JSON.stringify({ said: 'not told' }));
  }

  async close(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
  }

  async #tellFor(message: OutboundMessage): Promise<void> {
    const { isHere, tell, onError } = this.#options;
    const { id } = message;
    if (!isHere()) return;
    this.#say(id, 'heard');
    if (this.#telling.has(id)) return;
    this.#telling.add(id);
    try {
      await tell(message);
      this.#say(id, 'told');
    } catch (error) {
      if (!(error instanceof DeliveryError)) onError(error);
      this.#say(id, 'not told');
    } finally {
      this.#telling.delete(id);
    }
  }

  #say(id: string, said: RelayState): void {
    this.#options.mouth.publish(SAID, JSON.stringify({ id, said }));
  }

  #hear(what: unknown): void {
    if (!isRecord(what)) return;
    const { id, said } = what;
    if (said !== 'heard' && said !== 'told' && said !== 'not told') return;
    if (typeof id === 'string') this.#waiting.get(id)?.(said);
    else for (const each of this.#waiting.values()) each(said);
  }
}
