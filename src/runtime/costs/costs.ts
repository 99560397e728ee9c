/**
 * What the gateway spends, and the daily caps on it (T23). Invariants: what is known of a call is on the disk before the next
 * call begins; a cap is looked at before every call, so a day ends at most one call of each run under way beyond it. Days are
 * those of UTC, as in the files' names.
 */
import { errorMessage } from '../../errors.ts';
import { createLru } from '../../lib/lru.ts';
import type { Logger } from '../../log.ts';
import type { Home } from '../../workspace/home.ts';
import { readTaskSync, updateTask } from '../../workspace/tasks.ts';
import type { Usage } from '../../workspace/types.ts';
import {
  addUsage,
  appendUsage,
  dayOf,
  NO_USAGE,
  readUsage,
  tokensOf,
  type UsageCall,
  type UsageLine,
} from '../../workspace/usage.ts';
import { type Prices, priced, priceOf } from './prices.ts';

/** `limits` of the configuration; what is absent or 0 is not capped. */
export interface CostLimits {
  tokensPerDay?: number | undefined;
  costPerDay?: number | undefined;
  tokensPerPersonPerDay?: number | undefined;
  costPerPersonPerDay?: number | undefined;
}

/** A cap that is reached. */
export interface CapHit {
  /** The setting's path. */
  setting: `limits.${keyof CostLimits}`;
  /** `person`: theirs alone is used up. */
  of: 'all' | 'person';
  /** Tokens, or money when `currency` is there. */
  limit: number;
  used: number;
  currency?: string;
  /** Milliseconds since the epoch at which it is lifted. */
  until: number;
}

/** One model call that has ended, however it ended. */
export interface ModelCall extends Omit<UsageCall, 'type' | 'at' | 'cost' | 'currency' | 'unpricedTokens'> {}

export interface Costs {
  /** The cap that keeps this person (a principal as text) from another model call now, if one does. */
  check(person: string, now?: number): CapHit | undefined;
  /** Counts a call and writes it down. Never throws: what cannot be written is counted all the same and logged. */
  add(call: ModelCall): void;
  /** What a run has used so far, before a restart included; undefined when nothing is known of it. */
  ofRun(run: string): Usage | undefined;
  /** What was used today: by everybody, or by one person. */
  today(person?: string): Usage;
  /** What a run has used that the record of its task does not know; from now on the record is taken to know it. */
  take(run: string): Usage | undefined;
  /** Adds a run that has ended to the record of its task. Never rejects. */
  endRun(run: string, task: string): Promise<void>;
  /**
   * Whether `who` is told of this cap in the answer of `run`: for one run a day, also over restarts. The same run again is told
   * again: a crash may have come before its answer was kept.
   */
  isTold(who: string, hit: CapHit, run: string): boolean;
  /** The caps that are set, for showing. */
  readonly limits: CostLimits;
  readonly currency: string;
}

export interface CostsOptions {
  home: Home;
  limits: CostLimits;
  prices: Prices;
  currency: string;
  log: Logger;
  now?: () => number;
}

interface Day {
  name: string;
  all: Usage;
  people: Map<string, Usage>;
  /** Who was told of which cap, and in which run. */
  told: Map<string, string>;
}

const DAY_MS = 86_400_000;
const KEPT_RUNS = 5_000;
/** Sums of money are off by less than this. */
const ROUNDING = 1e-9;

/** Reads nothing yet: the day's file is read when its numbers are first asked for. */
export function openCosts({ home, limits, prices, currency, log, now = Date.now }: CostsOptions): Costs {
  let day: Day | undefined;
  /** By run: all of it, and the part that the record of its task does not know yet. */
  const runs = createLru<{ total: Usage; left: Usage | undefined }>(KEPT_RUNS);

  function countRun(run: string, usage: Usage): void {
    const known = runs.get(run);
    runs.set(run, { total: addUsage(known?.total, usage), left: addUsage(known?.left, usage) });
  }

  function count(into: Day, call: Usage & { person: string }): void {
    const usage = usageOf(call);
    into.all = addUsage(into.all, usage);
    into.people.set(call.person, addUsage(into.people.get(call.person), usage));
  }

  /** What cannot be read is as if it had not been: a full stop of the gateway would be worse. */
  function read(name: string): UsageLine[] {
    try {
      return readUsage(home, name);
    } catch (error) {
      log.error({ err: error, day: name }, 'usage could not be read; the day is counted from zero');
      return [];
    }
  }

  function load(name: string): Day {
    const loaded: Day = { name, all: NO_USAGE, people: new Map(), told: new Map() };
    const isStart = day === undefined;
    // A run that a restart cut may have begun the day before.
    const yesterday = isStart ? read(dayOf(Date.parse(name) - DAY_MS)) : [];
    for (const line of yesterday) if (line.type === 'call') countRun(line.run, usageOf(line));
    for (const line of read(name)) {
      if (line.type === 'notice') loaded.told.set(noticeKey(line.who, line.setting), line.run);
      else {
        count(loaded, line);
        if (isStart) countRun(line.run, usageOf(line));
      }
    }
    return loaded;
  }

  function today(at = now()): Day {
    const name = dayOf(at);
    if (day?.name !== name) day = load(name);
    return day;
  }

  function take(run: string): Usage | undefined {
    const { total, left } = runs.get(run) ?? {};
    if (total && left) runs.set(run, { total, left: undefined });
    return left;
  }

  function write(line: UsageLine): void {
    try {
      appendUsage(home, line);
    } catch (error) {
      log.error({ err: error }, 'usage could not be written; it is forgotten at the next start');
    }
  }

  return {
    limits,
    currency,
    check(person, at = now()) {
      const { name, all, people } = today(at);
      const mine = people.get(person) ?? NO_USAGE;
      const until = Date.parse(name) + DAY_MS;
      const money = (usage: Usage) => (usage.currency === currency ? (usage.cost ?? 0) : 0);
      const caps: [keyof CostLimits, CapHit['of'], number, boolean][] = [
        ['tokensPerDay', 'all', tokensOf(all), false],
        ['costPerDay', 'all', money(all), true],
        ['tokensPerPersonPerDay', 'person', tokensOf(mine), false],
        ['costPerPersonPerDay', 'person', money(mine), true],
      ];
      for (const [key, of, used, isMoney] of caps) {
        const limit = limits[key];
        if (!limit || used < limit - ROUNDING) continue;
        return { setting: `limits.${key}`, of, limit, used, until, ...(isMoney && { currency }) };
      }
      return undefined;
    },
    add(given) {
      const at = now();
      const current = today(at);
      const { inputTokens, outputTokens, cachedInputTokens = 0, ...call } = given;
      const tokens = { inputTokens, outputTokens, ...(cachedInputTokens > 0 && { cachedInputTokens }) };
      const usage = priced(tokens, priceOf(call.model, prices, currency), currency);
      write({ type: 'call', at: new Date(at).toISOString(), ...call, ...usage });
      count(current, { ...usage, person: call.person });
      countRun(call.run, usage);
    },
    ofRun(run) {
      today();
      return runs.get(run)?.total;
    },
    today: (person) => (person === undefined ? today().all : (today().people.get(person) ?? NO_USAGE)),
    take,
    async endRun(run, task) {
      const left = take(run);
      if (!left) return;
      try {
        if (readTaskSync(home, task) === undefined) return;
        await updateTask(home, task, (record) => ({ ...record, usage: addUsage(record.usage, left) }));
      } catch (error) {
        log.warn({ task, err: errorMessage(error) }, 'the usage of a task could not be written');
      }
    },
    isTold(who, { setting }, run) {
      const { told } = today();
      const key = noticeKey(who, setting);
      if (told.has(key)) return told.get(key) === run;
      told.set(key, run);
      write({ type: 'notice', at: new Date(now()).toISOString(), run, who, setting });
      return true;
    },
  };
}

const noticeKey = (who: string, setting: string): string => `${who} ${setting}`;

/** The numbers alone. */
function usageOf({ inputTokens, outputTokens, cachedInputTokens, cost, currency, unpricedTokens }: Usage): Usage {
  return addUsage(undefined, {
    ...{ inputTokens, outputTokens },
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
    ...(cost !== undefined && { cost }),
    ...(currency !== undefined && { currency }),
    ...(unpricedTokens !== undefined && { unpricedTokens }),
  });
}
