/** Tells what happens to whoever listens. While nobody does, telling costs a look at an empty set. */
import type { News } from '../contract/news.ts';

export type Tell = (news: News) => void;

export class NewsDesk {
  readonly #listeners = new Set<Tell>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Never throws: whoever tells goes on with its work. */
  readonly tell: Tell = (news) => {
    for (const listener of this.#listeners) {
      try {
        listener(news);
      } catch (error) {
        this.#onError(error);
      }
    }
  };

  /** Gives the function that ends it. */
  subscribe(listener: Tell): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
