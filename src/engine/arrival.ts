/** The order in which messages came in: by the platform's own count where both are of one source, else as they were taken in. Pure. */

/** Where a message stands among those of one source, as the platform counts them: several ingresses may store out of order. */
export interface OrderKey {
  source: string;
  at: number;
}

export interface Arrival {
  /** Rises with what is taken in, in all lanes alike. */
  seq: number;
  orderKey?: OrderKey | undefined;
}

export function isBefore(one: Arrival, other: Arrival): boolean {
  const [mine, theirs] = [one.orderKey, other.orderKey];
  return mine && theirs && mine.source === theirs.source ? mine.at < theirs.at : one.seq < other.seq;
}
