/**
 * Records what the gateway spends, and enforces daily caps (promise 60). Invariants: what is known about a call is on
 * disk before the next call begins; a cap is checked before every call, so that a day exceeds it by at most one call
 * per running run. Days are in UTC, as in the files' names.
 */

import { errorMessage } from '../../errors.ts';
import { NewLines } from '../../lib/files/new-lines.ts';
import { isShared } from '../../lib/locks.ts';
import { createLru } from '../../lib/lru.ts';
import type { Logger } from '../../log.ts';
import { type Messages, say, type Text, type Wording } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord, Usage } from '../../workspace/types.ts';
import {
  addUsage,
  appendUsage,
  dayOf,
  NO_USAGE,
  readUsage,
  tokensOf,
  type UsageCall,
  type UsageLine,
  usageFile,
  usageLineOf,
} from '../../workspace/usage.ts';
import type { AgentHooks } from '../contract/agent.ts';
import type { MeteredRun } from '../contract/call-usage.ts';
import { RunError } from '../contract/run-error.ts';
import { knownModel } from '../model/known.ts';
import { minutePrice, unpricedSound } from './minutes.ts';

/** The `limits` of the configuration; a value that is absent or 0 sets no cap. */
export interface CostLimits {
  tokensPerDay?: number | undefined;
  costPerDay?: number | undefined;
  tokensPerPersonPerDay?: number | undefined;
  costPerPersonPerDay?: number | undefined;
}

interface CapHit {
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

/** One model call that has ended, successfully or not. */
interface ModelCall extends Omit<UsageCall, 'type' | 'at' | 'cost' | 'currency' | 'unpricedTokens'> {}

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
  /** The run in which each recipient was told about a cap. */
  told: Map<string, string>;
  /** New lines in the day's file from all processes. */
  lines: NewLines | undefined;
}

const DAY_MS = 86_400_000;
const KEPT_RUNS = 5_000;
/** Sums of money are off by less than this. */
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

  /** Returns the cap that keeps this person (a principal as text) from another model call now, if there is one. */
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

  /**
   * Counts a call and writes it to disk. Never throws: a call that can't be written is counted anyway, and the failure
   * is logged.
   */
  add(given: ModelCall): void {
    const at = this.#now();
    const current = this.#today(at);
    const { byTheMinute, call, tokens } = this.#bySound(given);
    const price = this.#priceOf(call.model);
    const usage = byTheMinute === undefined ? priced(tokens, price, this.currency) : { ...tokens, ...byTheMinute };
    const isWritten = this.#write({ type: 'call', at: new Date(at).toISOString(), ...call, ...usage });
    if (!isWritten || !current.lines) {
      this.#count(current, { ...usage, person: call.person });
      this.#countRun(call.run, usage);
    }
    this.#options.onCall?.(call, usage);
  }

  #priceOf(model: string): Price | undefined {
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
   * Adds usage that belongs to no run of the task, such as a digest's calls, to its record. Must be called once per
   * `run`. Never rejects.
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
   * Whether the answer of `run` tells `who` about this cap: only one run per day does, even after restarts. The same
   * run gets true again, because a crash may have come before its answer was stored.
   */
  isTold(who: string, { setting }: CapHit, run: string): boolean {
    const { told } = this.#today();
    const key = noticeKey(who, setting);
    if (told.has(key)) return told.get(key) === run;
    told.set(key, run);
    this.#write({ type: 'notice', at: new Date(this.#now()).toISOString(), run, who, setting });
    return true;
  }

  /**
   * Returns the price of sound that is billed by its length. If the price is unknown, estimated tokens are counted
   * instead.
   */
  #bySound(given: ModelCall) {
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
    const usage = usageOf(call);
    into.all = addUsage(into.all, usage);
    into.people.set(call.person, addUsage(into.people.get(call.person), usage));
  }

  /** Returns no lines if the file can't be read: stopping the gateway would be worse. */
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
    const loaded: Day = { name, all: NO_USAGE, people: new Map(), told: new Map(), lines };
    const isStart = this.#day === undefined;
    // A run that a restart interrupted may have begun the day before.
    const yesterday = isStart ? this.#read(dayOf(Date.parse(name) - DAY_MS)) : [];
    for (const line of yesterday) if (line.type === 'call') this.#countRun(line.run, usageOf(line));
    // If several processes share the file, `#today` reads it at each lookup.
    for (const line of lines ? [] : this.#read(name)) this.#take(loaded, line, isStart);
    return loaded;
  }

  #take(day: Day, line: UsageLine, countsRun: boolean): void {
    if (line.type === 'notice') return void day.told.set(noticeKey(line.who, line.setting), line.run);
    this.#count(day, line);
    if (countsRun) this.#countRun(line.run, usageOf(line));
  }

  #today(at = this.#now()): Day {
    const name = dayOf(at);
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
      this.#log.error({ err: error }, 'usage could not be written; it is forgotten at the next start');
      return false;
    }
  }
}

/** Returns the record with everything that a run has used so far. Repeated calls count the run once. */
export function withRun(record: TaskRecord, run: string, used: Usage): TaskRecord {
  const before = record.counted?.run === run ? record.counted.before : record.usage;
  return { ...record, usage: addUsage(before, used), counted: { run, ...(before && { before }) } };
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

function usageOf({ inputTokens, outputTokens, cachedInputTokens, cost, currency, unpricedTokens }: Usage): Usage {
  return addUsage(undefined, {
    inputTokens,
    outputTokens,
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
    ...(cost !== undefined && { cost }),
    ...(currency !== undefined && { currency }),
    ...(unpricedTokens !== undefined && { unpricedTokens }),
  });
}

/** Prices per million tokens, in the configured currency. */
export interface Price {
  input: number;
  output: number;
  /** The price of input that the provider had cached; absent: `input`. */
  cachedInput?: number | undefined;
}

export type Prices = Readonly<Record<string, Price | undefined>>;

/** Models that run in this process are free. */
const FREE: Price = { input: 0, output: 0 };

/** Returns the price of `provider/model`. List prices apply only if the currency is USD. */
export function priceOf(model: string, prices: Prices, currency: string): Price | undefined {
  if (Object.hasOwn(prices, model)) return prices[model];
  if (model.startsWith('offline/')) return FREE;
  return currency === 'USD' ? knownModel(model) : undefined;
}

/** Returns the tokens of one call with their cost, or marked as unpriced. */
export function priced(tokens: Usage, price: Price | undefined, currency: string): Usage {
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = tokens;
  if (!price) return { ...tokens, unpricedTokens: tokensOf(tokens) };
  const cached = Math.min(cachedInputTokens, inputTokens);
  const sum =
    (inputTokens - cached) * price.input + cached * (price.cachedInput ?? price.input) + outputTokens * price.output;
  return { ...tokens, cost: sum / 1_000_000, currency };
}

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

/** Formats `0.0123 USD`: two decimals, or more if the amount would otherwise show as zero. */
export function money(amount: number, currency: string): string {
  const digits = amount === 0 || amount >= 1 ? 2 : Math.min(6, Math.max(2, 2 - Math.floor(Math.log10(amount))));
  return `${amount.toFixed(digits)} ${currency}`;
}

/** Formats `12,345 tokens in (8,000 cached), 678 out, 0.0123 USD`; says so if a price is unknown. */
export function usageText({ inputTokens, cachedInputTokens, outputTokens, ...paid }: Usage): Wording {
  const counted = { in: Math.round(inputTokens), out: Math.round(outputTokens) };
  const tokens = cachedInputTokens
    ? say('costs.tokensCached', { ...counted, cached: Math.round(cachedInputTokens) })
    : say('costs.tokens', counted);
  const { cost, currency, unpricedTokens = 0 } = paid;
  if (cost === undefined || currency === undefined)
    return unpricedTokens > 0 ? say('costs.unpriced', { tokens }) : tokens;
  const sum = money(cost, currency);
  return unpricedTokens > 0
    ? say('costs.pricedPartly', { tokens, money: sum, rest: Math.round(unpricedTokens) })
    : say('costs.priced', { tokens, money: sum });
}

/** Formats `5 of 10 tokens` or `0.50 of 2.00 USD`. */
const share = (used: number, limit: number, currency: string | undefined): Wording =>
  currency === undefined
    ? say('costs.ofTokens', { used: Math.round(used), limit: Math.round(limit) })
    : say('costs.ofMoney', { used: money(used, '').trim(), limit: money(limit, currency) });

/** Formats `in 5 h 12 min`, which is the same in every time zone. */
function liftedIn(until: number, now: number): Wording {
  const minutes = Math.max(1, Math.ceil((until - now) / 60_000));
  return say('costs.lifted', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/** Formats `Your limit for today is used up (5,000 of 5,000 tokens, limits.tokensPerPersonPerDay)`. */
function reached({ of, used, limit, currency, setting }: CapHit): Wording {
  const given = { share: share(used, limit, currency), setting };
  return of === 'person' ? say('costs.yourLimit', given) : say('costs.everybodysLimit', given);
}

const about = (hit: CapHit, now: number) => ({ limit: reached(hit), when: liftedIn(hit.until, now) });

/** Tells a person once a day which cap they reached, until when, and what happens to their messages. */
const capNotice = (hit: CapHit, now: number): Wording => say('costs.notice', about(hit, now));

/** Reminds a person whose work was running and who has been told today. */
const capReminder = (hit: CapHit, now: number): Wording => say('costs.reminder', about(hit, now));

const ownerNotice = (hit: CapHit, now: number): Wording => say('costs.forOwners', about(hit, now));

/**
 * Returns a line for each configured cap as one person sees it, such as `today, you: 1,200 of 5,000 tokens`, and
 * whether one is reached.
 */
export function capsText(costs: Costs, person: string, messages: Messages): Text[] {
  const { limits, currency } = costs;
  const [all, mine] = [costs.today(), costs.today(person)];
  const rows = [
    ['costs.todayYou', tokensOf(mine), limits.tokensPerPersonPerDay, undefined],
    ['costs.todayYou', mine.cost ?? 0, limits.costPerPersonPerDay, currency],
    ['costs.todayEverybody', tokensOf(all), limits.tokensPerDay, undefined],
    ['costs.todayEverybody', all.cost ?? 0, limits.costPerDay, currency],
  ] as const;
  const shown = rows.flatMap(([key, used, limit, unit]) =>
    limit ? [messages.text(key, { share: share(used, limit, unit) })] : [],
  );
  const hit = costs.check(person);
  if (!hit) return shown;
  return [...shown, messages.text('costs.reached', { setting: hit.setting, when: liftedIn(hit.until, Date.now()) })];
}
