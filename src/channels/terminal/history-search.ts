/**
 * Searches the typed history by a substring (Ctrl-R). Each key makes the query longer or shorter, or looks further
 * back.
 */
import type { History } from './history.ts';
import type { Key } from './keyboard.ts';

export class HistorySearch {
  readonly typed: string;
  readonly #history: History;
  query = '';
  /** Whether an entry contains the query; if none does, the last match stays. */
  isFound = true;
  #found: { at: number; text: string } | undefined;

  constructor(history: History, typed: string) {
    this.#history = history;
    this.typed = typed;
  }

  get text(): string {
    return this.#found?.text ?? this.typed;
  }

  /** Handles a key. Returns false for one that doesn't belong to the search, which then ends it. */
  take(name: string, { ctrl, meta, sequence }: Key): boolean {
    if (name === 'ctrl+r') this.#look(this.#found);
    else if (name === 'backspace' || name === 'ctrl+h') this.#change([...this.query].slice(0, -1).join(''));
    else if (!ctrl && !meta && !/^\p{Cc}/u.test(sequence)) this.#change(this.query + sequence);
    else return false;
    return true;
  }

  /** Ends the search; the arrow keys continue from the match. */
  leave(): void {
    if (this.#found) this.#history.moveTo(this.#found.at, this.typed);
  }

  #change(query: string): void {
    this.query = query;
    if (query === '') this.#found = undefined;
    this.#look(undefined);
  }

  #look(before: { at: number; text: string } | undefined): void {
    if (this.query === '') {
      this.isFound = true;
      return;
    }
    const found = this.#history.find(this.query, before);
    this.isFound = found !== undefined;
    this.#found = found ?? this.#found;
  }
}
