/** The calls that came: a bounded log, and counts that are not. */
import { EventEmitter } from 'node:events';
import type { Params } from './params.ts';

export interface LoggedRequest {
  n: number;
  /** The method's name as the platform spells it; `file` for a download. */
  method: string;
  params: Record<string, unknown>;
  /** Names of the uploaded files. */
  files: string[];
  at: number;
  /** HTTP status of the answer; 0 when there was none. */
  status: number;
  /** The refusal, if it was one. */
  description?: string;
}

export interface RequestLog {
  /** Emits `request` with a LoggedRequest when a call has come. */
  seen: EventEmitter;
  note(method: string, params: Params): LoggedRequest;
  /** Tells how it ended. */
  done(entry: LoggedRequest, status: number, description?: string): void;
  all(): LoggedRequest[];
  /** Calls by method, and answers by status. */
  counts(): { methods: Record<string, number>; statuses: Record<string, number> };
  clear(): void;
}

/** `keep` is how many of the newest calls are logged. */
export function createRequestLog(keep: number): RequestLog {
  const seen = new EventEmitter().setMaxListeners(0);
  const methods = new Map<string, number>();
  const statuses = new Map<string, number>();
  let log: LoggedRequest[] = [];
  let n = 0;
  return {
    seen,
    note(method, params) {
      n += 1;
      methods.set(method, (methods.get(method) ?? 0) + 1);
      const files = [...params.files.values()].map((file) => file.name);
      const entry: LoggedRequest = { n, method, params: params.values, files, at: Date.now(), status: 0 };
      if (keep > 0) log.push(entry);
      // Cut now and then, not at every call.
      if (log.length > keep * 1.5) log = log.slice(-keep);
      seen.emit('request', entry);
      return entry;
    },
    done(entry, status, description) {
      entry.status = status;
      if (description !== undefined) entry.description = description;
      statuses.set(String(status), (statuses.get(String(status)) ?? 0) + 1);
    },
    all: () => [...log],
    counts: () => ({ methods: Object.fromEntries(methods), statuses: Object.fromEntries(statuses) }),
    clear() {
      log = [];
      methods.clear();
      statuses.clear();
    },
  };
}
