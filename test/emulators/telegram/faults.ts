/** Faults of the Bot API on demand: how calls go wrong. */
import { createFaults, type Faults, type PlannedFault } from '../base/faults.ts';

export interface Fault extends PlannedFault {
  /** The name of a method, or `file` for downloads; any by default. */
  method?: string;
  chat?: number;
  /**
   * `refuse`: closes the connection before doing anything. `reset-before`: resets it instead. `reset-after`: carries
   * out the call, and its answer gets lost. `hang`: never answers, does nothing. `hang-after`: carries out the call,
   * never answers. `status`: answers with `status` (a JSON error; HTML with `html`), does nothing. `delay`: succeeds
   * after `delayMs`.
   */
  kind: 'refuse' | 'reset-before' | 'reset-after' | 'hang' | 'hang-after' | 'status' | 'delay';
  /** HTTP status and error_code of `status`; 500 by default, 429 if `retryAfter` is given. */
  status?: number;
  description?: string;
  html?: boolean;
  /** Seconds, as `parameters.retry_after`. */
  retryAfter?: number;
  delayMs?: number;
}

export const DESCRIPTIONS: Record<number, string> = {
  400: 'Bad Request: fault injected',
  401: 'Unauthorized',
  403: 'Forbidden: fault injected',
  404: 'Not Found',
  409: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

export type CallFaults = Faults<Fault, [method: string, chat: unknown]>;

export const createCallFaults = (): CallFaults =>
  createFaults((fault, method, chat) => {
    const isMethod = fault.method === undefined || fault.method.toLowerCase() === method.toLowerCase();
    return isMethod && (fault.chat === undefined || String(fault.chat) === String(chat));
  });
