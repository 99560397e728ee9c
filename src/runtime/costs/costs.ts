/**
 * What the gateway spends, and the daily caps on it (promise 60). Invariants: what is known of a call is on the disk before the next
 * call begins; a cap is looked at before every call, so a day ends at most one call of each run under way beyond it. Days are
 * those of UTC, as in the files' names.
 */
import { errorMessage } from '../../errors.ts';
import { NewLines } from '../../lib/files/new-lines.ts';
import { isShared } from '../../lib/locks.ts';
import { createLru } from '../../lib/lru.ts';
import type { Logger } from '../../log.ts';
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
import { minutePrice, unpricedSound } from './minutes.ts';
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

export interface CostsOptions {
  home: Home;
  limits: CostLimits;
  prices: Prices;
  currency: string;
  log: Logger;
  /** Told of each call with its price, where that is known. */
  onCall?: (call: Pick<ModelCall, 'model' | 'ms'>, usage: Usage) => void;
  now?: () => number;
}

interface Day {
  name: string;
  all: Usage;
  people: Map<string, Usage>;
  /** Who was told of which cap, and in which run. */
  told: Map<string, string>;
  /** What all processes add to its file. */
  lines: NewLines | undefined;
}

const DAY_MS = 86_400_000;
const KEPT_RUNS = 5_000;
/** Sums of money are off by less than this. */
const ROUNDING = 1e-9;

/** Reads nothing yet: the day's file is read when its numbers are first asked for. */
export class Costs {
  readonly #options: CostsOptions;
  readonly #home: Home;
  /** The caps that are set, for showing. */
  readonly limits: CostLimits;
  readonly currency: string;
  readonly #log: Logger;
  readonly #now: () => number;
  #day: Day | undefined;
  readonly #runs = createLru<Usage>(KEPT_RUNS);

  constructor(options: CostsOptions) {
    this.#options = options;
    this.#home = options.home;
    this.limits = options.limits;
    this.currency = options.currency;
    this.#log = options.log;
    this.#now = options.now ?? Date.now;
  }

  /** The cap that keeps this person (a principal as text) from another model call now, if one does. */
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

  /** Counts a call and writes it down. Never throws: what cannot be written is counted all the same and logged. */
  add(given: ModelCall): void {
    const at = this.#now();
    const current = this.#today(at);
    const { byTheMinute, call, tokens } = this.#bySound(given);
    const price = priceOf(call.model, this.#options.prices, this.currency);
    const usage = byTheMinute === undefined ? priced(tokens, price, this.currency) : { ...tokens, ...byTheMinute };
    const isWritten = this.#write({ type: 'call', at: new Date(at).toISOString(), ...call, ...usage });
    if (!isWritten || !current.lines) {
      this.#count(current, { ...usage, person: call.person });
      this.#countRun(call.run, usage);
    }
    this.#options.onCall?.(call, usage);
  }

  /** What a run has used so far, before a restart included; undefined when nothing is known of it. */
  ofRun(run: string): Usage | undefined {
    this.#today();
    return this.#runs.get(run);
  }

  /** What was used today: by everybody, or by one person. */
  today(person?: string): Usage {
    return person === undefined ? this.#today().all : (this.#today().people.get(person) ?? NO_USAGE);
  }

  /** Adds to the record of a task what no run of it has used: a digest's calls. Once for each `run`. Never rejects. */
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
   * Whether `who` is told of this cap in the answer of `run`: for one run a day, also over restarts. The same run again is told
   * again: a crash may have come before its answer was kept.
   */
  isTold(who: string, { setting }: CapHit, run: string): boolean {
    const { told } = this.#today();
    const key = noticeKey(who, setting);
    if (told.has(key)) return told.get(key) === run;
    told.set(key, run);
    this.#write({ type: 'notice', at: new Date(this.#now()).toISOString(), run, who, setting });
    return true;
  }

  /** Of sound that is paid by its length the price; where none is known its tokens stand for it. */
  #bySound(given: ModelCall) {
    const { inputTokens, outputTokens, cachedInputTokens = 0, ...call } = given;
    const tokens = { inputTokens, outputTokens, ...(cachedInputTokens > 0 && { cachedInputTokens }) };
    const byTheMinute = minutePrice(call, tokens, this.currency);
    const isUnknown = byTheMinute === undefined && call.seconds !== undefined && inputTokens + outputTokens === 0;
    if (!isUnknown) return { byTheMinute, call, tokens };
    const { inputTokens: heard, ...about } = unpricedSound(call.seconds ?? 0);
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

  /** What cannot be read is as if it had not been: a full stop of the gateway would be worse. */
  #read(name: string): UsageLine[] {
    try {
      return readUsage(this.#home, name);
    } catch (error) {
      this.#log.error({ err: error, day: name }, 'usage could not be read; the day is counted from zero');
      return [];
    }
  }

  #load(name: string): Day {
    // Where other processes write the day's file too, what stands in it counts, and nothing besides.
    const lines = isShared(this.#home.root) ? new NewLines(usageFile(this.#home, name)) : undefined;
    const loaded: Day = { name, all: NO_USAGE, people: new Map(), told: new Map(), lines };
    const isStart = this.#day === undefined;
    // A run that a restart cut may have begun the day before.
    const yesterday = isStart ? this.#read(dayOf(Date.parse(name) - DAY_MS)) : [];
    for (const line of yesterday) if (line.type === 'call') this.#countRun(line.run, usageOf(line));
    // With several processes the file is read below, at each look.
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

/** The record with all that a run has used so far; counted once, however often it is said. */
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

/** The numbers alone. */
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
