/**
 * Splits an answer that is still being written: finished blocks can be shown for good, the rest may still change its
 * meaning. Invariant: text returned as finished never changes, so the final answer either continues it or is another
 * one.
 */
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** Matches a list item, which belongs to the list before it. */
const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;

export class Growing {
  #text = '';
  #finished = 0;

  add(delta: string): void {
    this.#text += delta;
  }

  /** Drops the unfinished text; what was shown stays. */
  dropRest(): void {
    this.#text = this.#text.slice(0, this.#finished);
  }

  clear(): void {
    this.#text = '';
    this.#finished = 0;
  }

  /** Whether anything was shown for good. */
  get isBegun(): boolean {
    return this.#text.slice(0, this.#finished).trim() !== '';
  }

  get rest(): string {
    return this.#text.slice(this.#finished);
  }

  /** Returns the text finished since the last call; '' if there is none. */
  takeFinished(): string {
    const end = this.#finished + lastCut(this.rest);
    const taken = this.#text.slice(this.#finished, end);
    this.#finished = end;
    return taken;
  }

  /** Returns the part of an answer still to show; undefined if the shown text began another answer. */
  restOf(answer: string): string | undefined {
    const shown = this.#text.slice(0, this.#finished).trim();
    const whole = answer.trimStart();
    return whole.startsWith(shown) ? whole.slice(shown.length).replace(/^[^\S\n]*\n+/, '') : undefined;
  }
}

/** Returns the position after the last empty line before a new top-level block; 0 if there is none. */
function lastCut(text: string): number {
  let cut = 0;
  let fence = '';
  let isAfterBlank = false;
  let isInList = false;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const line = text.slice(start, newline < 0 ? text.length : newline);
    const mark = FENCE.exec(line)?.[1] ?? '';
    // The last line may be incomplete, so it must be long enough to show its kind.
    const isClear = newline >= 0 || line.length > 10;
    const isItem = ITEM.test(line);
    if (fence === '' && isAfterBlank && isClear && /^\S/.test(line) && !(isItem && isInList)) cut = start;
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = '';
    isAfterBlank = line.trim() === '';
    if (/^\S/.test(line)) isInList = isItem;
    if (newline < 0) break;
    start = newline + 1;
  }
  return cut;
}
