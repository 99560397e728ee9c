/**
 * Runs the calls of a step one at a time, in order, because they share files. Only calls that may run in parallel
 * (questions to agents) do. Nothing of a call is done, asked or journaled before its turn.
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
    // Only the order matters here: the caller handles the failure, not the next call.
    const settled = result.catch(() => undefined);
    if (isBeside) beside.push(settled);
    else [last, beside] = [settled, []];
    return result;
  };
}
