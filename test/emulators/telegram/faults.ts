/** Faults on demand: which of the next calls goes wrong, and how. */

export interface Fault {
  /** A method's name, `file` for downloads; any when absent. */
  method?: string;
  chat?: number;
  /** How many calls it meets; 1 unless told. */
  times?: number;
  /** Lets this many fitting calls through first. */
  skip?: number;
  /**
   * `refuse`: the connection is closed before anything is done. `reset-before`: the same by a reset. `reset-after`: the
   * call is carried out and its answer lost. `hang`: no answer ever, nothing done. `hang-after`: carried out, no answer.
   * `status`: answered with `status` (a JSON error; HTML with `html`), nothing done. `delay`: all well after `delayMs`.
   */
  kind: 'refuse' | 'reset-before' | 'reset-after' | 'hang' | 'hang-after' | 'status' | 'delay';
  /** HTTP status and error_code of `status`; 500 unless told, 429 when `retryAfter` is given. */
  status?: number;
  description?: string;
  html?: boolean;
  /** Seconds, as `parameters.retry_after`. */
  retryAfter?: number;
  delayMs?: number;
}

/** The whole platform is away: `refuse` (nothing listens), `reset`, `hang`, or every call answered with this status. */
export type Outage = 'refuse' | 'reset' | 'hang' | number;

export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  /** The fault this call meets, used up by one. */
  take(method: string, chat: unknown): Fault | undefined;
  left(): number;
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

export function createFaults(): Faults {
  let planned: { fault: Fault; left: number; skip: number }[] = [];
  return {
    add(fault) {
      planned.push({ fault, left: fault.times ?? 1, skip: fault.skip ?? 0 });
    },
    clear() {
      planned = [];
    },
    take(method, chat) {
      const entry = planned.find(({ fault }) => {
        const isMethod = fault.method === undefined || fault.method.toLowerCase() === method.toLowerCase();
        return isMethod && (fault.chat === undefined || String(fault.chat) === String(chat));
      });
      if (!entry) return undefined;
      if (entry.skip > 0) {
        entry.skip -= 1;
        return undefined;
      }
      entry.left -= 1;
      if (entry.left <= 0) planned = planned.filter((other) => other !== entry);
      return entry.fault;
    },
    left: () => planned.reduce((sum, entry) => sum + entry.left, 0),
  };
}
