/** Combines events that come close together. */

const HIDDEN_MS = 250;

export interface Gather {
  soon(): void;
  end(): void;
}

/** Works at the first event, and once more after the interval if others followed. */
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

/** Works once for all calls before the next frame. A hidden page has no frames, so a timer takes their place there. */
export function eachFrame(work: () => void): { soon(): void } {
  let isAsked = false;
  const begin = () => {
    isAsked = false;
    work();
  };
  return {
    soon() {
      if (isAsked) return;
      isAsked = true;
      if (document.visibilityState === 'visible') requestAnimationFrame(begin);
      else setTimeout(begin, HIDDEN_MS);
    },
  };
}
