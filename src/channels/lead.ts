/** What only one process at a time may do for a bot: poll its messages, hold its one connection. */

/** The time in which this process is the one. */
export interface Turn {
  /** Aborted when it is to stop: it ends, or another process may have begun. */
  readonly over: AbortSignal;
  /** False once another may have begun: the platform is told nothing any more. */
  isOurs(): boolean;
}

/** Does `run` whenever nobody else does what has this name. What it gives back ends that, and resolves once it has ended. */
export type Lead = (name: string, run: (turn: Turn) => Promise<void>) => () => Promise<void>;

/** For a process that is alone. */
export const alone: Lead = (_name, run) => {
  const ending = new AbortController();
  const done = run({ over: ending.signal, isOurs: () => true });
  return () => {
    ending.abort();
    return done;
  };
};

/** For a process that leaves it to others. */
export const never: Lead = () => async () => undefined;

/** Resolves when the turn is over. */
export const ended = ({ over }: Turn): Promise<void> =>
  new Promise((resolve) => {
    if (over.aborted) resolve();
    else over.addEventListener('abort', () => resolve(), { once: true });
  });
