/** The text of a run as it grows, for readers that can't take anything back. */

/** Between the texts of two steps, such as before and after a tool. */
const BREAK = '\n\n';

export class GrowingText {
  /** Everything shown so far. */
  #shown = '';
  /** The text of the current step; what is shown ends with it. */
  #step = '';
  /** That of the step before, as long as nothing follows it. */
  #last = '';

  get shown(): string {
    return this.#shown;
  }

  /** What follows doesn't continue the text of the current step, even if the model says the same again. */
  endStep(): void {
    this.#last = this.#step || this.#last;
    this.#step = '';
  }

  /** Returns what to show next. */
  add(piece: string): string {
    return this.#grow(this.#step + piece);
  }

  /** Returns what to show so that what is shown ends with this text, which may repeat that of the last step. */
  replace(whole: string): string {
    if (this.#step === '' && whole.startsWith(this.#last)) this.#step = this.#last;
    return this.#grow(whole);
  }

  /** Returns what to show last so that what is shown ends with the whole answer. */
  finish(answer: string): string {
    return this.#shown.trimEnd().endsWith(answer.trim()) ? '' : this.replace(answer);
  }

  #grow(step: string): string {
    const piece = this.#pieceFor(step);
    this.#step = step;
    if (piece !== '') this.#last = '';
    this.#shown += piece;
    return piece;
  }

  #pieceFor(step: string): string {
    if (this.#step !== '' && step.startsWith(this.#step)) return step.slice(this.#step.length);
    return this.#shown === '' || step === '' ? step : `${BREAK}${step}`;
  }
}
