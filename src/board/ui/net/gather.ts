/** Events that come together ask once: the first of them at once, and the others at the end of the time. */
export interface Gather {
  soon(): void;
  /** What is asked for and not begun is left out. */
  end(): void;
}

export function gather(work: () => void, ms: number): Gather {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;
  function begin(): void {
    isAsked = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (isAsked) begin();
    }, ms);
    work();
  }
  return {
    soon() {
      if (timer === undefined) begin();
      else isAsked = true;
    },
    end() {
      clearTimeout(timer);
      timer = undefined;
      isAsked = false;
    },
  };
}
