/**
 * Stops that were taken in here and are not carried out yet, by the lane of their task. Who writes after one steers nothing, and the lane
 * begins with nothing, until it is: what is stopped must not be taken up with what came later.
 *
 * Invariant: nobody waits longer than `MOST_MS`; another process may carry a stop out, and this one does not hear of it.
 */
const MOST_MS = 2_000;

export class Stopping {
  readonly #byLane = new Map<string, Map<string, PromiseWithResolvers<void>>>();

  /** @param id of the message that says so */
  begin(lane: string, id: string): void {
    const here = this.#byLane.get(lane) ?? new Map<string, PromiseWithResolvers<void>>();
    if (here.has(id)) return;
    this.#byLane.set(lane, here.set(id, Promise.withResolvers<void>()));
    setTimeout(() => this.end(lane, id), MOST_MS).unref();
  }

  /** It was carried out, or there is none after all. */
  end(lane: string, id: string): void {
    const here = this.#byLane.get(lane);
    here?.get(id)?.resolve();
    here?.delete(id);
    if (here?.size === 0) this.#byLane.delete(lane);
  }

  /** Resolves once all that were taken in by now are carried out; undefined: there are none. */
  over(lane: string): Promise<unknown> | undefined {
    const here = this.#byLane.get(lane);
    return here && Promise.all([...here.values()].map(({ promise }) => promise));
  }
}
