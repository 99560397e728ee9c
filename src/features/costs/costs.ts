/**
 * Records what the gateway spends, and enforces daily caps (promise 60). Invariants: the usage of a call is on disk
 * before the next call begins. A cap is checked before every call, so that a day exceeds it by at most one call per
 * active run. Days are in UTC, as in the files' names.
 */

import type { Config } from '../../config.ts';
import { errorMessage } from '../../errors.ts';
import { NewLines } from '../../lib/files/new-lines.ts';
import { isShared } from '../../lib/locks.ts';
import { createLru } from '../../lib/lru.ts';
import type { Logger } from '../../log.ts';
import type { Price, SpentCall } from '../../runtime/contract/spending.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord, Usage } from '../../workspace/types.ts';
import {
  addUsage,
  appendUsage,
  NO_USAGE,
  readUsage,
  tokensOf,
  type UsageLine,
  usageDay,
  usageFile,
  usageLineOf,
} from '../../workspace/usage.ts';
import { minutePrice, unpricedSound } from './minutes.ts';
import { type Prices, priced, priceOf } from './prices.ts';

type Cap = 'tokensPerDay' | 'costPerDay' | 'tokensPerPersonPerDay' | 'costPerPersonPerDay';
/** A value that is absent or 0 sets no cap. */
export type CostLimits = Partial<Pick<Config['limits'], Cap>>;

export interface CapHit {
  setting: `limits.${keyof CostLimits}`;
  /** `person`: only this person's cap is reached. */
  of: 'all' | 'person';
  /** Tokens, or money if `currency` is set. */
  limit: number;
  used: number;
  currency?: string;
  /** The time when the cap ends, in ms since the epoch. */
  until: number;
}

export interface CostsOptions {
  home: Home;
  limits: CostLimits;
  prices: Prices;
  currency: string;
  log: Logger;
  /** Receives each call with its price, if known. */
  onCall?: (call: { model: string; ms: number }, usage: Usage) => void;
  now?: () => number;
}

interface Day {
  name: string;
  all: Usage;
  people: Map<string, Usage>;
  /** The run that notified each recipient of a cap. */
  noticed: Map<string, string>;
  /** New lines in the day's file from all processes. */
  lines: NewLines | undefined;
}

const DAY_MS = 86_400_000;
const KEPT_RUNS = 5_000;
/** Differences between sums of money below this are rounding errors. */
const ROUNDING = 1e-9;

/** Counts usage per day, person and run. Reads the day's file when its numbers are first needed. */
export class Costs {
  readonly #options: CostsOptions;
  readonly #home: Home;
  /** The configured caps, for display. */
  readonly limits: CostLimits;
  readonly currency: string;
  readonly #log: Logger;
  readonly #now: () => number;
  #day: Day | undefined;
  readonly #prices = new Map<string, Price | undefined>();
  readonly #runs = createLru<Usage>(KEPT_RUNS);

  constructor(options: CostsOptions) {
    this.#options = options;
    this.#home = options.home;
    this.limits = options.limits;
    this.currency = options.currency;
    this.#log = options.log;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Returns the cap that keeps this person (a principal as text) from another model call now; undefined if none does.
   */
  check(person: string, at: number = this.#now()): CapHit | undefined {
    const { name, all, people } = this.#today(at);
    const mine = people.get(person) ?? NO_USAGE;
    const until = Date.parse(name) + DAY_MS;
    const money = (usage: Usage) => (usage.currency === this.currency ? (usage.cost ?? 0) : 0);
    const caps: [keyof CostLimits, CapHit['of'], number, boolean][] = [
      ['tokensPerDay', 'all', tokensOf(all), false],
      ['costPerDay', 'all', money(all), true],
      ['tokensPerPersonPerDay', 'person', tokensOf(mine), false],
      ['costPerPersonPerDay', 'person', money(mine), true],
    ];
    for (const [key, of, used, isMoney] of caps) {
      const limit = this.limits[key];
      if (!limit || used < limit - ROUNDING) continue;
      return { setting: `limits.${key}`, of, limit, used, until, ...(isMoney && { currency: this.currency }) };
    }
    return undefined;
  }

  /** Returns the setting of a cap that keeps this person, or everybody, from another model call now. */
  overCap(person?: string): string | undefined {
    const hit = this.check(person ?? '');
    return person !== undefined || hit?.of === 'all' ? hit?.setting : undefined;
  }

  /**
   * Counts a call and writes it to disk. Never throws: if it can't be written, it still counts and the failure is
   * logged.
   */
  add(given: SpentCall): void {
    const at = this.#now();
    const current = this.#today(at);
    const { byTheMinute, call, tokens } = this.#bySound(given);
    const price = this.priceOf(call.model);
    const usage = byTheMinute === undefined ? priced(tokens, price, this.currency) : { ...tokens, ...byTheMinute };
    const isWritten = this.#write({ type: 'call', at: new Date(at).toISOString(), ...call, ...usage });
    if (!isWritten || !current.lines) {
      this.#count(current, { ...usage, person: call.person });
      this.#countRun(call.run, usage);
    }
    this.#options.onCall?.(call, usage);
  }

  priceOf(model: string): Price | undefined {
    if (!this.#prices.has(model)) this.#prices.set(model, priceOf(model, this.#options.prices, this.currency));
    return this.#prices.get(model);
  }

  /** Returns what a run has used so far, including before a restart; undefined if nothing is known about it. */
  ofRun(run: string): Usage | undefined {
    this.#today();
    return this.#runs.get(run);
  }

  /** Returns what everybody, or one person, has used today. */
  today(person?: string): Usage {
    return person === undefined ? this.#today().all : (this.#today().people.get(person) ?? NO_USAGE);
  }

  /**
   * Adds usage that belongs to no run of the task, such as a digest's calls, to the task's record. Must be called once
   * per `run`. Never rejects.
   */
  async addToTask(run: string, task: string): Promise<void> {
    const used = this.ofRun(run);
    if (!used) return;
    try {
      if (openTask(this.#home, task).record() !== undefined)
        await openTask(this.#home, task).update((record) => withMore(record, used));
    } catch (error) {
      this.#log.warn({ task, err: errorMessage(error) }, 'the usage of a task could not be written');
    }
  }

  /**
   * Returns whether the answer of `run` notifies `who` of this cap. Only one run per day does, even after restarts. The
   * same run gets true again, because a crash may have come before its answer was stored.
   */
  isTold(who: string, { setting }: CapHit, run: string): boolean {
    const { noticed } = this.#today();
    const key = noticeKey(who, setting);
    if (noticed.has(key)) return noticed.get(key) === run;
    noticed.set(key, run);
    this.#write({ type: 'notice', at: new Date(this.#now()).toISOString(), run, who, setting });
    return true;
  }

  /**
   * Returns the price of sound that is billed by its length. If the price is unknown, an estimate in tokens is counted
   * instead.
   */
  #bySound(given: SpentCall) {
    const { inputTokens, outputTokens, cachedInputTokens = 0, ...call } = given;
    const tokens = { inputTokens, outputTokens, ...(cachedInputTokens > 0 && { cachedInputTokens }) };
    if (call.seconds === undefined) return { byTheMinute: undefined, call, tokens };
    const byTheMinute = minutePrice(call, tokens, this.currency);
    const isUnknown = byTheMinute === undefined && inputTokens + outputTokens === 0;
    if (!isUnknown) return { byTheMinute, call, tokens };
    const { inputTokens: heard, ...about } = unpricedSound(call.seconds);
    return { byTheMinute, call: { ...call, ...about }, tokens: { inputTokens: heard, outputTokens: 0 } };
  }

  #countRun(run: string, usage: Usage): void {
    this.#runs.set(run, addUsage(this.#runs.get(run), usage));
  }

  #count(into: Day, call: Usage & { person: string }): void {
    const usage = countedUsage(call);
    into.all = addUsage(into.all, usage);
    into.people.set(call.person, addUsage(into.people.get(call.person), usage));
  }

  /** Returns no lines if the file can't be read, because stopping the gateway would be worse. */
  #read(name: string): UsageLine[] {
    try {
      return readUsage(this.#home, name);
    } catch (error) {
      this.#log.error({ err: error, day: name }, 'usage could not be read; the day is counted from zero');
      return [];
    }
  }

  #load(name: string): Day {
    // If other processes write the day's file too, only its content counts.
    const lines = isShared(this.#home.root) ? new NewLines(usageFile(this.#home, name)) : undefined;
    const loaded: Day = { name, all: NO_USAGE, people: new Map(), noticed: new Map(), lines };
    const isStart = this.#day === undefined;
    // A run that was interrupted by a restart may have begun the day before.
    const yesterday = isStart ? this.#read(usageDay(Date.parse(name) - DAY_MS)) : [];
    for (const line of yesterday) if (line.type === 'call') this.#countRun(line.run, countedUsage(line));
    // If several processes share the file, `#today` reads it at each lookup.
    for (const line of lines ? [] : this.#read(name)) this.#take(loaded, line, isStart);
    return loaded;
  }

  #take(day: Day, line: UsageLine, countsRun: boolean): void {
    if (line.type === 'notice') return void day.noticed.set(noticeKey(line.who, line.setting), line.run);
    this.#count(day, line);
    if (countsRun) this.#countRun(line.run, countedUsage(line));
  }

  #today(at = this.#now()): Day {
    const name = usageDay(at);
    if (this.#day?.name !== name) this.#day = this.#load(name);
    const day = this.#day;
    for (const text of day.lines?.take() ?? []) {
      const line = usageLineOf(text);
      if (line) this.#take(day, line, true);
    }
    return day;
  }

  #write(line: UsageLine): boolean {
    try {
      appendUsage(this.#home, line);
      return true;
    } catch (error) {
      this.#log.error({ err: error }, 'usage could not be written; it will be lost at the next start');
      return false;
    }
  }
}

function withMore(record: TaskRecord, used: Usage): TaskRecord {
  const { counted } = record;
  return {
    ...record,
    usage: addUsage(record.usage, used),
    ...(counted && { counted: { ...counted, before: addUsage(counted.before, used) } }),
  };
}

const noticeKey = (who: string, setting: string): string => `${who} ${setting}`;

function countedUsage({ inputTokens, outputTokens, cachedInputTokens, cost, currency, unpricedTokens }: Usage): Usage {
  return addUsage(undefined, {
    inputTokens,
    outputTokens,
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
    ...(cost !== undefined && { cost }),
    ...(currency !== undefined && { currency }),
    ...(unpricedTokens !== undefined && { unpricedTokens }),
  });
}
