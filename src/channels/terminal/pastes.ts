/** Long texts that were pasted, each shown by a mark of one line in their place. Pure but for itself. */

/** What is shorter is shown as it is. */
const MAX_LINES = 10;
const MAX_LENGTH = 1_000;
/** More is not taken: no model could read it. */
const MAX_PASTE = 1_000_000;

export class Pastes {
  readonly #texts = new Map<string, string>();
  readonly #nameOf: (n: number, lines: number) => string;

  /** @param nameOf the mark for the n-th of them, which has so many lines */
  constructor(nameOf: (n: number, lines: number) => string) {
    this.#nameOf = nameOf;
  }

  /** What is shown in its place: itself where it is short. */
  fold(text: string): string {
    const lines = text.split('\n').length;
    if (lines <= MAX_LINES && text.length <= MAX_LENGTH) return text;
    const mark = this.#nameOf(this.#texts.size + 1, lines);
    this.#texts.set(mark, text.slice(0, MAX_PASTE).toWellFormed());
    return mark;
  }

  /** The text with what was pasted. The marks in it are used up. */
  unfold(shown: string): string {
    if (this.#texts.size === 0) return shown;
    const marks = new RegExp([...this.#texts.keys()].map(RegExp.escape).join('|'), 'g');
    const text = shown.replace(marks, (mark) => this.#texts.get(mark) ?? mark);
    this.#texts.clear();
    return text;
  }

  /** The mark that ends here. */
  endingAt(before: string): string | undefined {
    return [...this.#texts.keys()].find((mark) => before.endsWith(mark));
  }
}
