/** Faults on demand: which of the next calls goes wrong, and how. */
import type { Fault } from './types.ts';

export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  /** The fault this call meets, if any; it is used up by it. */
  take(method: string, route: string, path: string): Fault | undefined;
  left(): number;
}

interface Armed {
  fault: Fault;
  times: number;
  skip: number;
}

/** The words and code Discord answers with a bare status. */
export const WORDS: Record<number, string> = {
  500: '500: Internal Server Error',
  502: '502: Bad Gateway',
  503: '503: Service Unavailable',
  504: '504: Gateway Timeout',
};

/** `path` is a route, with its method or without, or a piece of the real path. */
function isOn(wanted: string | undefined, route: string, path: string): boolean {
  if (wanted === undefined || wanted === route) return true;
  return wanted.includes('/:') ? route.endsWith(` ${wanted}`) : path.includes(wanted);
}

export function createFaults(): Faults {
  let armed: Armed[] = [];
  return {
    add(fault) {
      armed.push({ fault, times: fault.times ?? 1, skip: fault.skip ?? 0 });
    },
    clear() {
      armed = [];
    },
    take(method, route, path) {
      const found = armed.find(({ fault }) => {
        if (fault.method !== undefined && fault.method !== method) return false;
        return isOn(fault.path, route, path);
      });
      if (!found) return undefined;
      if (found.skip > 0) {
        found.skip -= 1;
        return undefined;
      }
      found.times -= 1;
      if (found.times <= 0) armed = armed.filter((each) => each !== found);
      return found.fault;
    },
    left: () => armed.reduce((sum, each) => sum + each.times, 0),
  };
}
