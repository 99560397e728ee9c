/**
 * What processes tell each other: news for whoever listens, and a word to one of them. Best effort: who is away hears nothing, so
 * whatever matters is looked for as well.
 */
import type { Redis } from 'ioredis';
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

  /** Hears everything from now on: who listens for a topic misses nothing that is published after. */
  async open(): Promise<void> {
    this.#ears.on('message', (channel: string, text: string) => this.#heard(channel, text));
    await this.#ears.subscribe(NEWS, this.#own);
    // Whoever may not listen any more is told of it, and works on.
    this.#ears.on('ready', () => void this.#ears.subscribe(NEWS, this.#own).catch(this.#onError));
  }

  publish(topic: string, text: string): void {
    this.#mouth.publish(NEWS, JSON.stringify({ topic, text })).catch(this.#onError);
  }

  subscribe(topic: string, on: Listener): Stop {
    const all = this.#listeners.get(topic) ?? new Set();
    // The same function may listen twice.
    const mine: Listener = (text) => on(text);
    this.#listeners.set(topic, all.add(mine));
    return async () => {
      all.delete(mine);
      if (all.size === 0 && this.#listeners.get(topic) === all) this.#listeners.delete(topic);
    };
  }

  /** To one process. */
  say(name: string, text: string): void {
    this.#mouth.publish(toProcess(name), text).catch(this.#onError);
  }

  /** What is said to this one. */
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
    const { data } = newsShape.safeParse(parsed(text));
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

/** Whoever else writes on the server may write anything. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
