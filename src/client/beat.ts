/**
 * Notices a connection that has gone without being closed. Beats are counted and no time is looked at, since timers of a page in the
 * background come late.
 */
export class Beat {
  readonly #timer: ReturnType<typeof setInterval>;
  #isHeard = true;
  #isAsked = false;

  /** After a beat without a word `ask` is to bring one; after one more `lose` is called. */
  constructor(ms: number, ask: () => void, lose: () => void) {
    this.#timer = setInterval(() => {
      if (this.#isHeard) this.#isAsked = false;
      else if (this.#isAsked) lose();
      else {
        this.#isAsked = true;
        ask();
      }
      this.#isHeard = false;
    }, ms);
  }

  heard(): void {
    this.#isHeard = true;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
