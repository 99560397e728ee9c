/** Logs calls: a bounded log of the newest ones, and unbounded counts. */
import { EventEmitter } from 'node:events';
import { until } from './wait.ts';

export interface Logged {
  n: number;
  at: number;
  /** The HTTP status of the answer; 0 if there was none. */
  status: number;
}

export interface RequestLog<T extends Logged> {
  note(call: Omit<T, keyof Logged>): T;
  /** Records how it ended. */
  done(entry: T, status: number, more?: Partial<T>): void;
  all(): T[];
  /** Returns the calls with this name, or all. */
  requests(name?: string): T[];
  /** Returns the newest call with this name; waits for the first one. */
  called(name: string, timeoutMs?: number): Promise<T>;
  /** Returns how often each value of a counted field occurred. */
  counts(field: keyof T): Record<string, number>;
  clear(): void;
}

/**
 * `keep` is the number of the newest calls to log; the first of the `counted` fields is the name of a call. Statuses are
 * always counted.
 */
export function createRequestLog<T extends Logged>(keep: number, ...counted: (keyof T & string)[]): RequestLog<T> {
  const seen = new EventEmitter().setMaxListeners(0);
  const tallies = new Map<keyof T, Map<string, number>>();
  const [name = 'n'] = counted;
  let log: T[] = [];
  let n = 0;

  function count(values: Partial<T>): void {
    for (const field of ['status' as const, ...counted]) {
      if (values[field] === undefined) continue;
      const tally = tallies.get(field) ?? new Map<string, number>();
      const value = String(values[field]);
      tallies.set(field, tally.set(value, (tally.get(value) ?? 0) + 1));
    }
  }
  const counts = (field: keyof T) => Object.fromEntries(tallies.get(field) ?? []);

  return {
    counts,
    note(call) {
      n += 1;
      count(call as Partial<T>);
      const entry = { ...call, n, at: Date.now(), status: 0 } as T;
      if (keep > 0) log.push(entry);
      // Truncate occasionally rather than at every call.
      if (log.length > keep * 1.5) log = log.slice(-keep);
      seen.emit('request', entry);
      return entry;
    },
    done(entry, status, more = {}) {
      Object.assign(entry, more, { status });
      count({ ...more, status } as Partial<T>);
    },
    all: () => [...log],
    requests: (wanted) => log.filter((entry) => wanted === undefined || String(entry[name]) === wanted),
    async called(wanted, timeoutMs = 60_000) {
      const fits = (entry: T) => String(entry[name]) === wanted;
      const known = log.findLast(fits);
      return known ?? until<T>(seen, 'request', fits, timeoutMs, () => JSON.stringify(counts(name)));
    },
    clear() {
      log = [];
      tallies.clear();
    },
  };
}
