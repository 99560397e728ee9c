/** What a test can do to every emulated platform, and what every platform counts. */
import type { Faults, Outage, PlannedFault } from './faults.ts';
import { cpuMicros } from './remote.ts';
import type { Logged, RequestLog } from './request-log.ts';

export interface CommonCounters {
  /** The number of answers by HTTP status; `0` counts those lost on purpose. */
  statuses: Record<string, number>;
  /** Open HTTP connections. */
  connections: number;
  faultsLeft: number;
  /** Microseconds of CPU time that this process has used. */
  cpuMicros: number;
}

/** Its parts: what a fault is, what limits there are, what is counted, and what is logged of a call. */
export interface PlatformControl<Fault, Limits, Counters, Call> {
  fault(fault: Fault): void;
  clearFaults(): void;
  /** Takes the whole platform down until this is called without an argument; open sockets end too. */
  outage(kind?: Outage): Promise<void>;
  /** Switches sending limits on, with these changes to the real ones, or switches them off. */
  rate(limits?: Partial<Limits> | false): void;
  counters(): Counters;
  /** Returns the logged calls of a method (Discord: of a route such as `POST /channels/:id/messages`), or all. */
  requests(method?: string): Call[];
  /** Returns the newest call of a method or route; waits for the first one. */
  called(method: string, timeoutMs?: number): Promise<Call>;
  /** Returns the bytes of a file, as base64. */
  file(fileId: string): string;
  /** Clears counts, log, faults, limits and undelivered events; chats, commands and sessions stay. */
  reset(): void;
}

interface Server<F extends PlannedFault, Call extends Logged> {
  faults: Omit<Faults<F, unknown[]>, 'take'>;
  log: RequestLog<Call>;
  connections(): number;
  outage(kind?: Outage): Promise<void>;
}

/** `bytesOf` finds the bytes of a file, if they are kept. */
export function createControl<F extends PlannedFault, Call extends Logged>(
  { faults, log, connections, outage }: Server<F, Call>,
  bytesOf: (fileId: string) => Buffer | undefined,
) {
  function bytes(fileId: string): Buffer {
    const found = bytesOf(fileId);
    if (!found) throw new Error(`the bytes of file ${fileId} are not kept`);
    return found;
  }
  return {
    bytes,
    counts: (): CommonCounters => ({
      statuses: log.counts('status'),
      ...{ connections: connections(), faultsLeft: faults.left(), cpuMicros: cpuMicros() },
    }),
    control: {
      fault: (fault: F) => faults.add(fault),
      clearFaults: () => faults.clear(),
      file: (fileId: string) => bytes(fileId).toString('base64'),
      ...{ outage, requests: log.requests, called: log.called },
    },
  };
}
