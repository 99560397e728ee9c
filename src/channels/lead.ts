/** Elects the one process that polls a bot's messages or holds its connection. */

/** The time during which this process leads. */
export interface Turn {
  /** Aborted when this process must stop, because it is ending or another process may have started. */
  readonly over: AbortSignal;
  /** Returns false once another process may have started; nothing may be acknowledged to the platform then. */
  isOurs(): boolean;
}

/**
 * Runs `run` whenever no other process does under this name. The returned function stops it and resolves once it has
 * ended.
 */
export type Lead = (name: string, run: (turn: Turn) => Promise<void>) => () => Promise<void>;

/** Leads at once, for a process that runs alone. */
export const alone: Lead = (_name, run) => {
  const ending = new AbortController();
  const done = run({ over: ending.signal, isOurs: () => true });
  return () => {
    ending.abort();
    return done;
  };
};

/** Never leads, for a process that leaves the work to others. */
export const never: Lead = () => async () => undefined;

export const ended = ({ over }: Turn): Promise<void> =>
  new Promise((resolve) => {
    if (over.aborted) resolve();
    else over.addEventListener('abort', () => resolve(), { once: true });
  });
