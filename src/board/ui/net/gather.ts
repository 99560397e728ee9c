/**
 * Combines events that come close together: works at the first one, and once more after the interval if others
 * followed.
 */
export interface Gather {
  soon(): void;
  /** Cancels pending work. */
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
