/**
 * An answer while it is written: whole blocks of it can be shown for good, the rest may still change its meaning. Invariant: what
 * was given as finished stays as it is, so that the final answer either goes on from there or is another one.
 */
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** Items belong to the list before them. */
const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;

export class Growing {
  #text = '';
  #finished = 0;

  add(delta: string): void {
    this.#text += delta;
  }

  /** What was shown stays, what may still change does not come. */
  dropRest(): void {
    this.#text = this.#text.slice(0, this.#finished);
  }

  clear(): void {
    this.#text = '';
    this.#finished = 0;
  }

  /** Something was shown for good. */
  get isBegun(): boolean {
    return this.#text.slice(0, this.#finished).trim() !== '';
  }

  /** What may still change. */
  get rest(): string {
    return this.#text.slice(this.#finished);
  }

  /** What has become whole since it was asked last; '' when nothing has. */
  takeFinished(): string {
    const end = this.#finished + lastCut(this.rest);
    const taken = this.#text.slice(this.#finished, end);
    this.#finished = end;
    return taken;
  }

  /** What is left of an answer to show; undefined when this was the beginning of another. */
  restOf(answer: string): string | undefined {
    const shown = this.#text.slice(0, this.#finished).trim();
    const whole = answer.trimStart();
    return whole.startsWith(shown) ? whole.slice(shown.length).replace(/^[^\S\n]*\n+/, '') : undefined;
  }
}

/** After the last empty line behind which a block of its own begins; 0 when there is none. */
function lastCut(text: string): number {
  let cut = 0;
  let fence = '';
  let isAfterBlank = false;
  let isInList = false;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const line = text.slice(start, newline < 0 ? text.length : newline);
    const mark = FENCE.exec(line)?.[1] ?? '';
    // Of the last line only the beginning may be there: it must have shown what it is.
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
