/** Faults on demand: which of the next calls goes wrong. */

export interface Fault {
  /** A method's name; `file` for downloads, `upload` for the bytes of uploads, `response_url`; any when absent. */
  method?: string;
  channel?: string;
  /** How many calls it meets; 1 unless told. */
  times?: number;
  /** Lets this many fitting calls through first. */
  skip?: number;
  /**
   * `status`: answered with `status` (500 unless told) and HTML, nothing done. `error`: `{ok: false, error}` with 200.
   * `429`: with `Retry-After: retryAfter`. `lostAnswer`: carried out, then the connection is reset (a download: in the middle). `lateAnswer`: carried
   * out at once, answered after `delayMs`. `reset`: nothing done. `hang`: nothing done, no answer ever. `delay`: all well
   * after `delayMs`.
   */
  kind: 'status' | 'error' | '429' | 'lostAnswer' | 'lateAnswer' | 'reset' | 'hang' | 'delay';
  status?: number;
  error?: string;
  /** Seconds; 1 unless told. */
  retryAfter?: number;
  delayMs?: number;
}

/** The whole platform is away: `refuse` (nothing listens), `reset`, `hang`, or every call answered with this status. */
export type Outage = 'refuse' | 'reset' | 'hang' | number;

export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  /** The fault this call meets, used up by one. */
  take(method: string, channel: unknown): Fault | undefined;
  left(): number;
}

export function createFaults(): Faults {
  let planned: { fault: Fault; left: number; skip: number }[] = [];
  return {
    add(fault) {
      planned.push({ fault, left: fault.times ?? 1, skip: fault.skip ?? 0 });
    },
    clear() {
      planned = [];
    },
    take(method, channel) {
      const entry = planned.find(({ fault }) => {
        const isMethod = fault.method === undefined || fault.method === method;
        return isMethod && (fault.channel === undefined || fault.channel === channel);
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
