/** By lane, the ids of messages that are being stored: nobody is given them yet, and they count as waiting. */
export class Storing {
  readonly #byLane = new Map<string, Set<string>>();

  add(lane: string, id: string): void {
    this.#byLane.set(lane, (this.#byLane.get(lane) ?? new Set()).add(id));
  }

  delete(lane: string, id: string): void {
    const left = this.#byLane.get(lane);
    left?.delete(id);
    if (left?.size === 0) this.#byLane.delete(lane);
  }

  of(lane: string): readonly string[] {
    return [...(this.#byLane.get(lane) ?? [])];
  }
}
