/**
 * Messages between processes: news for all listeners, and a message to one process. Best effort: a process that is away
 * misses them, so everything that matters is polled as well.
 */

import type { Redis } from 'ioredis';
import { parseJson } from '../../lib/json.ts';
import { isText, objectOf, shape } from '../../lib/shape.ts';
import type { Stop } from '../engine.ts';

const NEWS = 'viber:news';
const toProcess = (name: string): string => `viber:to:${name}`;
const newsShape = shape<{ topic: string; text: string }>(objectOf({ topic: isText, text: isText }));

type Listener = (text: string) => void;

export class News {
  readonly #mouth: Redis;
  readonly #ears: Redis;
  readonly #own: string;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #words = new Set<Listener>();

  constructor(mouth: Redis, ears: Redis, name: string, onError: (error: unknown) => void) {
    this.#mouth = mouth;
    this.#ears = ears;
    this.#own = toProcess(name);
    this.#onError = onError;
  }

  /** Subscribes to everything, so that a listener misses nothing published after it subscribed. */
  async open(): Promise<void> {
    this.#ears.on('message', (channel: string, text: string) => this.#heard(channel, text));
    await this.#ears.subscribe(NEWS, this.#own);
    // A process that may not subscribe any more gets an error and continues.
    this.#ears.on('ready', () => void this.#ears.subscribe(NEWS, this.#own).catch(this.#onError));
  }

  publish(topic: string, text: string): void {
    this.#mouth.publish(NEWS, JSON.stringify({ topic, text })).catch(this.#onError);
  }

  subscribe(topic: string, on: Listener): Stop {
    const all = this.#listeners.get(topic) ?? new Set();
    // The same function may subscribe twice.
    const mine: Listener = (text) => on(text);
    this.#listeners.set(topic, all.add(mine));
    return async () => {
      all.delete(mine);
      if (all.size === 0 && this.#listeners.get(topic) === all) this.#listeners.delete(topic);
    };
  }

  /** Sends to one process. */
  say(name: string, text: string): void {
    this.#mouth.publish(toProcess(name), text).catch(this.#onError);
  }

  /** Subscribes to messages for this process. */
  onWord(listener: Listener): Stop {
    this.#words.add(listener);
    return async () => {
      this.#words.delete(listener);
    };
  }

  #heard(channel: string, text: string): void {
    if (channel === this.#own) {
      for (const listener of this.#words) this.#tell(listener, text);
      return;
    }
    const { data } = newsShape.safeParse(parseJson(text));
    for (const listener of this.#listeners.get(data?.topic ?? '') ?? []) this.#tell(listener, data?.text ?? '');
  }

  #tell(listener: Listener, text: string): void {
    try {
      listener(text);
    } catch (error) {
      this.#onError(error);
    }
  }
}
