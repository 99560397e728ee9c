/** Meters runs: counts their model calls, and ends them at a daily cap. */
import type { Wording } from '../../messages/messages.ts';
import type { Usage } from '../../workspace/types.ts';
import type { AgentHooks } from '../contract/agent.ts';
import type { MeteredRun } from '../contract/call-usage.ts';
import { RunError } from '../contract/run-error.ts';
import type { CapHit, Costs } from './costs.ts';
import { capNotice, capReminder, ownerNotice } from './words.ts';

/** Ends a run at a cap. Its `userMessage` is what the person is told; empty if they were told today. */
export class CapError extends RunError {
  readonly hit: CapHit;
  constructor(hit: CapHit, said: Wording | '') {
    super('cap', said, { detail: `${hit.setting}: ${hit.used} of ${hit.limit}` });
    this.hit = hit;
  }
}

export interface Meter {
  hooks(run: MeteredRun): Required<Pick<AgentHooks, 'beforeCall' | 'onUsage'>>;
  used(run: string): { usage?: Usage };
}

interface MeterOptions {
  costs: Costs;
  /** Sends a message to all owners who can be reached; the same ID again has no effect. Must not throw. */
  tellOwners: (id: string, said: Wording) => void;
  now?: () => number;
}

/** Meters a run: counts every model call, refuses calls beyond a daily cap, and tells people about a cap once a day. */
export function createMeter({ costs, tellOwners, now = Date.now }: MeterOptions): Meter {
  function capError(hit: CapHit, { run, person }: MeteredRun, hasBegun: boolean): CapError {
    const at = now();
    if (hit.of === 'all' && costs.isTold('owners', hit, run)) {
      const day = new Date(at).toISOString().slice(0, 10);
      tellOwners(`cap-${hit.setting.replace('.', '-')}-${day}`, ownerNotice(hit, at));
    }
    if (costs.isTold(person, hit, run)) return new CapError(hit, capNotice(hit, at));
    // A run that has begun never ends silently.
    return new CapError(hit, hasBegun ? capReminder(hit, at) : '');
  }

  return {
    hooks(metered) {
      return {
        beforeCall() {
          const hit = costs.check(metered.person, now());
          if (hit) throw capError(hit, metered, costs.ofRun(metered.run) !== undefined);
        },
        onUsage: (model, usage, ms) => costs.add({ ...metered, model, ms, ...usage }),
      };
    },
    used(run) {
      const usage = costs.ofRun(run);
      return usage ? { usage } : {};
    },
  };
}
