/**
 * The calls of a step take turns in the order of the calls, because they share files. Only those that may run side by side, questions
 * to agents, do. Nothing of a call is done, asked or journaled before its turn.
 */
export type Turns = <T>(isBeside: boolean, work: () => Promise<T>) => Promise<T>;

export function createTurns(signal: AbortSignal): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let beside: Promise<unknown>[] = [];
  return (isBeside, work) => {
    const before = isBeside ? last : Promise.all([last, ...beside]);
    const result = before.then(() => {
      signal.throwIfAborted();
      return work();
    });
    // Only the order is kept: a failure is the caller's, not the next call's.
    const settled = result.catch(() => undefined);
    if (isBeside) beside.push(settled);
    else [last, beside] = [settled, []];
    return result;
  };
}
