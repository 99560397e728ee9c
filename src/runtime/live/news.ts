/** Sends news to all listeners. Without listeners this only checks an empty set. */
import type { News } from '../contract/news.ts';

export type Tell = (news: News) => void;

export class NewsDesk {
  readonly #listeners = new Set<Tell>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Never throws, so that callers continue their work. */
  readonly tell: Tell = (news) => {
    for (const listener of this.#listeners) {
      try {
        listener(news);
      } catch (error) {
        this.#onError(error);
      }
    }
  };

  /** Returns a function that ends the subscription. */
  subscribe(listener: Tell): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
