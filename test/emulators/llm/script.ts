/**
 * Chooses the turn that answers a request: from the newest script whose marker is in the last user message, otherwise
 * the common script, otherwise the default. A list provides one turn per request; a function is called every time and
 * may decline.
 */
import type { LlmFault, LlmRequest, Turn } from './turn.ts';

export type TurnFunction = (request: LlmRequest) => Turn | undefined | Promise<Turn | undefined>;
export type Script = Turn[] | TurnFunction;

export interface ScriptBook {
  /** Sets the common script. */
  script(script: Script): void;
  /** Sets the script of the conversation whose last user message contains `marker`. */
  scriptFor(marker: string, script: Script): void;
  /** Applies this fault to the next `times` requests, whatever the scripts say (their turns are kept). */
  fault(fault: LlmFault, times?: number, details?: Pick<Turn, 'retryAfterSeconds' | 'hugeBytes' | 'text'>): void;
  /** The number of listed turns that haven't been requested yet. */
  leftover(): number;
  clear(): void;
  next(request: LlmRequest): Promise<Turn>;
}

async function take(script: Script | undefined, request: LlmRequest): Promise<Turn | undefined> {
  return typeof script === 'function' ? script(request) : script?.shift();
}

/** `fallback` answers if no script does. */
export function createScriptBook(fallback: (request: LlmRequest) => Turn): ScriptBook {
  let common: Script | undefined;
  const marked = new Map<string, Script>();
  const faults: Turn[] = [];
  const length = (script: Script | undefined) => (Array.isArray(script) ? script.length : 0);
  return {
    script(script) {
      common = Array.isArray(script) ? [...script] : script;
    },
    scriptFor(marker, script) {
      marked.delete(marker);
      marked.set(marker, Array.isArray(script) ? [...script] : script);
    },
    fault(fault, times = 1, details = {}) {
      for (let i = 0; i < times; i += 1) faults.push({ ...details, fault });
    },
    leftover: () => [...marked.values(), common].reduce((sum, script) => sum + length(script), 0),
    clear() {
      common = undefined;
      marked.clear();
      faults.length = 0;
    },
    async next(request) {
      const fault = faults.shift();
      if (fault) return fault;
      for (const [marker, script] of [...marked].reverse()) {
        if (!request.lastUser.includes(marker)) continue;
        const turn = await take(script, request);
        if (turn) return turn;
      }
      return (await take(common, request)) ?? fallback(request);
    },
  };
}
