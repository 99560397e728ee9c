/** Ctrl-R: what was typed before, found by a part of it. Each key makes the part longer or shorter, or looks further back. */
import type { History } from './history.ts';
import type { Key } from './keyboard.ts';

export class HistorySearch {
  /** What stood there before it was searched. */
  readonly typed: string;
  readonly #history: History;
  #query = '';
  #found: { at: number; text: string } | undefined;
  #isFound = true;

  constructor(history: History, typed: string) {
    this.#history = history;
    this.typed = typed;
  }

  get query(): string {
    return this.#query;
  }

  /** Whether something has the part; where nothing has, what was found before stays. */
  get isFound(): boolean {
    return this.#isFound;
  }

  get text(): string {
    return this.#found?.text ?? this.typed;
  }

  /** False for a key that means something else: the search is over then. */
  take(name: string, { ctrl, meta, sequence }: Key): boolean {
    if (name === 'ctrl+r') this.#look(this.#found);
    else if (name === 'backspace' || name === 'ctrl+h') this.#change([...this.#query].slice(0, -1).join(''));
    else if (!ctrl && !meta && !/^\p{Cc}/u.test(sequence)) this.#change(this.#query + sequence);
    else return false;
    return true;
  }

  /** From here the arrows go on. */
  leave(): void {
    if (this.#found) this.#history.moveTo(this.#found.at, this.typed);
  }

  #change(query: string): void {
    this.#query = query;
    if (query === '') this.#found = undefined;
    this.#look(undefined);
  }

  #look(before: { at: number; text: string } | undefined): void {
    if (this.#query === '') {
      this.#isFound = true;
      return;
    }
    const found = this.#history.find(this.#query, before);
    this.#isFound = found !== undefined;
    this.#found = found ?? this.#found;
  }
}
