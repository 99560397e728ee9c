/**
 * Of several processes one has dialled the hub. What another has to tell it goes by way of that one, which says that it has heard, and
 * then that it was told. Where neither is said the outbox tries again: the same end told twice has the same run.
 */
import { DeliveryError } from '../../errors.ts';
import { isRecord } from '../../lib/json.ts';
import { parseJson } from '../../lib/read-json.ts';
import type { OutboundMessage } from '../channel.ts';

/** How processes speak to each other (`engine/engine.ts`); what is said may be lost. */
export interface Mouth {
  publish(topic: string, text: string): void;
  subscribe(topic: string, on: (text: string) => void): () => Promise<void>;
}

export interface RelayOptions {
  mouth: Mouth;
  /** Whether this process has the connection. */
  isHere(): boolean;
  /** Resolves when the hub was told; throws DeliveryError. */
  tell(message: OutboundMessage): Promise<void>;
  onError(error: unknown): void;
  /** Milliseconds in which whoever has dialled the hub says so, and in which the hub has acknowledged it. */
  heardMs: number;
  toldMs: number;
}

const TELL = 'hub:tell';
const SAID = 'hub:said';
const AGAIN_MS = 1_000;

type Said = 'heard' | 'told' | 'not told';

export class Relay {
  readonly #options: RelayOptions;
  readonly #stops: (() => Promise<void>)[];
  /** By message, what is done with what was said of it. */
  readonly #waiting = new Map<string, (said: Said) => void>();
  /** Being told from here for others. */
  readonly #telling = new Set<string>();

  constructor(options: RelayOptions) {
    this.#options = options;
    const { mouth } = options;
    this.#stops = [
      // Written by a process of ours.
      mouth.subscribe(TELL, (text) => void this.#tellFor(JSON.parse(text) as OutboundMessage)),
      mouth.subscribe(SAID, (text) => this.#hear(parseJson(text))),
    ];
  }

  /** Resolves when the hub was told by way of another process. */
  async ask(message: OutboundMessage): Promise<void> {
    const { mouth, heardMs, toldMs } = this.#options;
    const { promise, resolve } = Promise.withResolvers<Said>();
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

  /** This process has the connection now: what another had still to tell is to be told anew. */
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

  #say(id: string, said: Said): void {
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
