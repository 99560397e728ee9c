/** By lane, messages that are being stored: nobody is given them yet, and they count as waiting. */
import type { Arrival } from '../arrival.ts';

export class Storing {
  readonly #byLane = new Map<string, Map<string, Arrival>>();

  add(lane: string, id: string, arrival: Arrival): void {
    this.#byLane.set(lane, (this.#byLane.get(lane) ?? new Map<string, Arrival>()).set(id, arrival));
  }

  delete(lane: string, id: string): void {
    const left = this.#byLane.get(lane);
    left?.delete(id);
    if (left?.size === 0) this.#byLane.delete(lane);
  }

  of(lane: string): readonly (Arrival & { id: string })[] {
    return [...(this.#byLane.get(lane) ?? [])].map(([id, arrival]) => ({ ...arrival, id }));
  }
}
