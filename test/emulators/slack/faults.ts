/** Faults of the Web API and the file host on demand: how calls go wrong. */
import { createFaults, type Faults, type PlannedFault } from '../base/faults.ts';

export interface Fault extends PlannedFault {
  /** The name of a method; `file` for downloads, `upload` for the bytes of uploads, `response_url`; any by default. */
  method?: string;
  channel?: string;
  /**
   * `status`: answers with `status` (500 by default) and HTML, does nothing. `error`: `{ok: false, error}` with 200.
   * `429`: with `Retry-After: retryAfter`. `lostAnswer`: carries out the call, then resets the connection (a download:
   * in the middle). `lateAnswer`: carries out the call at once, answers after `delayMs`. `reset`: does nothing. `hang`:
   * does nothing, never answers. `delay`: succeeds after `delayMs`.
   */
  kind: 'status' | 'error' | '429' | 'lostAnswer' | 'lateAnswer' | 'reset' | 'hang' | 'delay';
  status?: number;
  error?: string;
  /** Seconds; 1 by default. */
  retryAfter?: number;
  delayMs?: number;
}

export type CallFaults = Faults<Fault, [method: string, channel: unknown]>;

export const createCallFaults = (): CallFaults =>
  createFaults((fault, method, channel) => {
    const isMethod = fault.method === undefined || fault.method === method;
    return isMethod && (fault.channel === undefined || fault.channel === channel);
  });
