/** Folds long pastes: a mark of one line is shown in their place. No side effects outside the object. */

/** Shorter texts are shown in full. */
const MAX_LINES = 10;
const MAX_LENGTH = 1_000;
/** The longest paste; no model could read more. */
const MAX_PASTE = 1_000_000;

export class Pastes {
  readonly #texts = new Map<string, string>();
  readonly #nameOf: (n: number, lines: number) => string;

  /** @param nameOf returns the mark of the n-th paste, which has so many lines */
  constructor(nameOf: (n: number, lines: number) => string) {
    this.#nameOf = nameOf;
  }

  /** Returns what is shown for a paste: a mark, or the text itself if it is short. */
  fold(text: string): string {
    const lines = text.split('\n').length;
    if (lines <= MAX_LINES && text.length <= MAX_LENGTH) return text;
    const mark = this.#nameOf(this.#texts.size + 1, lines);
    this.#texts.set(mark, text.slice(0, MAX_PASTE).toWellFormed());
    return mark;
  }

  /** Replaces the marks by the pasted texts, and forgets all pastes. */
  unfold(shown: string): string {
    if (this.#texts.size === 0) return shown;
    const marks = new RegExp([...this.#texts.keys()].map(RegExp.escape).join('|'), 'g');
    const text = shown.replace(marks, (mark) => this.#texts.get(mark) ?? mark);
    this.#texts.clear();
    return text;
  }

  endingAt(before: string): string | undefined {
    return [...this.#texts.keys()].find((mark) => before.endsWith(mark));
  }
}
