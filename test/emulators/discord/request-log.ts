/** What was asked of the API and how it ended: counts of everything, and the newest calls in full. */
import { EventEmitter } from 'node:events';
import type { LoggedRequest } from './types.ts';

export interface RequestLog {
  /** Emits `request` with a LoggedRequest when a call has come. */
  seen: EventEmitter;
  note(call: Omit<LoggedRequest, 'n' | 'at' | 'status'>): LoggedRequest;
  done(entry: LoggedRequest, status: number, code?: number): void;
  all(): LoggedRequest[];
  counts(): { routes: Record<string, number>; statuses: Record<string, number>; codes: Record<string, number> };
  clear(): void;
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** `keep` is how many of the newest calls are logged. */
export function createRequestLog(keep: number): RequestLog {
  const seen = new EventEmitter().setMaxListeners(0);
  const routes = new Map<string, number>();
  const statuses = new Map<string, number>();
  const codes = new Map<string, number>();
  let log: LoggedRequest[] = [];
  let n = 0;
  return {
    seen,
    note(call) {
      n += 1;
      add(routes, call.route);
      const entry: LoggedRequest = { ...call, n, at: Date.now(), status: 0 };
      if (keep > 0) log.push(entry);
      // Cut now and then, not at every call.
      if (log.length > keep * 1.5) log = log.slice(-keep);
      seen.emit('request', entry);
      return entry;
    },
    done(entry, status, code) {
      entry.status = status;
      add(statuses, String(status));
      if (code === undefined) return;
      entry.code = code;
      add(codes, String(code));
    },
    all: () => [...log],
    counts: () => ({
      routes: Object.fromEntries(routes),
      statuses: Object.fromEntries(statuses),
      codes: Object.fromEntries(codes),
    }),
    clear() {
      log = [];
      routes.clear();
      statuses.clear();
      codes.clear();
    },
  };
}
