/** Meters runs: counts their model calls, and ends runs at a daily cap. */
import type { Wording } from '../../messages/messages.ts';
import type { MeteredRun } from '../../runtime/contract/call-usage.ts';
import { RunError } from '../../runtime/contract/run-error.ts';
import type { Meter, Spending, SpendingAt } from '../../runtime/contract/spending.ts';
import { configOf } from '../gateway.ts';
import { type CapHit, Costs } from './costs.ts';
import { capNotice, capReminder, capsText, ownerNotice, usageLines } from './words.ts';

/** Ends a run at a cap. `said` is for the person; empty if they were already notified today. */
export class CapError extends RunError {
  readonly hit: CapHit;
  constructor(hit: CapHit, said: Wording | '') {
    super('cap', said, { detail: `${hit.setting}: ${hit.used} of ${hit.limit}` });
    this.hit = hit;
  }
}

interface MeterOptions {
  costs: Costs;
  /** Sends a message to all owners who can be reached. Sending the same ID again has no effect. Must not throw. */
  tellOwners: (id: string, said: Wording) => void;
  now?: () => number;
}

/** Meters a run: counts every model call, refuses calls beyond a daily cap, and notifies people of a cap once a day. */
export function createMeter({ costs, tellOwners, now = Date.now }: MeterOptions): (run: MeteredRun) => Meter {
  function capError(hit: CapHit, { run, person }: MeteredRun, hasBegun: boolean): CapError {
    const at = now();
    if (hit.of === 'all' && costs.isTold('owners', hit, run)) {
      const day = new Date(at).toISOString().slice(0, 10);
      tellOwners(`cap-${hit.setting.replace('.', '-')}-${day}`, ownerNotice(hit, at));
    }
    if (costs.isTold(person, hit, run)) return new CapError(hit, capNotice(hit, at));
    // A run that has begun must never end without a word.
    return new CapError(hit, hasBegun ? capReminder(hit, at) : '');
  }

  return (metered) => ({
    beforeCall() {
      const hit = costs.check(metered.person, now());
      if (hit) throw capError(hit, metered, costs.ofRun(metered.run) !== undefined);
    },
    onUsage: (model, usage, ms) => costs.add({ ...metered, model, ms, ...usage }),
  });
}

/** Returns the functions that the runtime and other features use. */
export function openSpending({ home, log, onCall, tellOwners, ...at }: SpendingAt): Spending {
  const { prices, currency, limits } = configOf(at);
  const costs = new Costs({ home, log, prices, currency, limits, ...(onCall && { onCall }) });
  return {
    hooks: createMeter({ costs, tellOwners }),
    overCap: (person) => costs.overCap(person),
    add: (call) => costs.add(call),
    ofRun: (run) => costs.ofRun(run),
    addToTask: (run, task) => costs.addToTask(run, task),
    priceOf: (model) => costs.priceOf(model),
    lines: (task, run, person, messages) => [
      ...usageLines(task, home, run === undefined ? undefined : { run, used: costs.ofRun(run) }, messages),
      ...capsText(costs, person, messages),
    ],
  };
}
