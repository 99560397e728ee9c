/**
 * Notices a connection that is gone without having been closed. It counts beats instead of measuring time, because
 * timers of a background page run late.
 */
export class Beat {
  readonly #timer: ReturnType<typeof setInterval>;
  #isHeard = true;
  #isAsked = false;

  /** After a beat without a message, calls `ask` to provoke one; after one more, calls `lose`. */
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
