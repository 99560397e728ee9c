/**
 * Orders messages by arrival: by the platform's own count where both come from one source, since several ingresses may
 * store out of order, else by when we accepted them. Pure.
 */

export interface OrderKey {
  source: string;
  at: number;
}

export interface Arrival {
  /** Rises with every accepted message, across all lanes. */
  seq: number;
  orderKey?: OrderKey | undefined;
}

export function isBefore(one: Arrival, other: Arrival): boolean {
  const [mine, theirs] = [one.orderKey, other.orderKey];
  return mine && theirs && mine.source === theirs.source ? mine.at < theirs.at : one.seq < other.seq;
}
