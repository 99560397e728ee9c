/**
 * Computes the slots of a schedule: the instants at which it fires. Pure, except for a cache of parsed patterns. All
 * functions agree on one set of slots, wherever they start from. croner computes those of cron patterns.
 */
import { Cron } from 'croner';
import { createLru } from '../../lib/lru.ts';
import { timesOfDay } from './cron.ts';
import { clockChanges, DAY, dayNumber, HOUR, isoDay, MINUTE, toInstant, toWall } from './zone.ts';

export type Schedule =
  /**
   * Five fields. If day of month and day of week are both restricted, a day must match either one, or both if the day
   * of week starts with `+`. A fixed time (no `*` or step in minute and hour) fires once each day, even when the clocks
   * change.
   */
  | { kind: 'cron'; pattern: string; timezone: string }
  /** Evenly spaced from the anchor (ISO), or from 1970-01-01T00:00Z without one. */
  | { kind: 'every'; everyMs: number; anchor?: string }
  /** Once, at an ISO time in UTC. */
  | { kind: 'once'; at: string }
  /** Every nth day from the anchor (`2026-12-24`), at local times (`09:00`). */
  | { kind: 'days'; every: number; times: readonly string[]; anchor: string; timezone: string }
  /** The slots of all of these together. */
  | { kind: 'any'; of: readonly Schedule[] };

/** Joins schedules into one. */
export function anyOf(schedules: readonly Schedule[]): Schedule {
  const of = schedules.flatMap((schedule) => (schedule.kind === 'any' ? schedule.of : [schedule]));
  const [only, other] = of;
  return only && !other ? only : { kind: 'any', of };
}

/** A parsed pattern takes about 80 KB, so only a few are cached. */
const MAX_PATTERNS = 24;
const patterns = createLru<Cron>(MAX_PATTERNS);

function cronOf(pattern: string, timezone: string): Cron {
  const key = `${pattern}|${timezone}`;
  const known = patterns.get(key);
  // Without a function, croner sets no timer. A list of hours counts as a fixed time too, so it fires once when the
  // clocks go back.
  const cron = known ?? new Cron(pattern, { timezone, mode: '5-part', fixedTimeRule: 'no-wildcard' });
  if (!known) patterns.set(key, cron);
  return cron;
}

/** Returns the first slot strictly after the given time, or undefined if there is none. */
export function nextSlot(schedule: Schedule, after: Date): Date | undefined {
  const time = after.getTime();
  switch (schedule.kind) {
    case 'cron':
      return cronOf(schedule.pattern, schedule.timezone).nextRun(after) ?? undefined;
    case 'every': {
      const start = schedule.anchor === undefined ? 0 : Date.parse(schedule.anchor);
      const count = Math.floor((time - start) / schedule.everyMs) + 1;
      return new Date(start + Math.max(0, count) * schedule.everyMs);
    }
    case 'once':
      return Date.parse(schedule.at) > time ? new Date(schedule.at) : undefined;
    case 'days':
      return daySlot(schedule, time, 1);
    case 'any':
      return pick(schedule.of, (part) => nextSlot(part, after), Math.min);
  }
}

/**
 * Returns the newest slot in (after, until], or undefined if there is none. The cost doesn't depend on the distance.
 */
export function latestSlot(schedule: Schedule, after: Date, until: Date): Date | undefined {
  const found = slotUpTo(schedule, until);
  return found && found > after ? found : undefined;
}

/** Returns the next n slots, or fewer if the schedule ends. */
export function nextSlots(schedule: Schedule, after: Date, n: number): Date[] {
  const slots: Date[] = [];
  for (let slot = nextSlot(schedule, after); slot && slots.length < n; slot = nextSlot(schedule, slot))
    slots.push(slot);
  return slots;
}

/** Returns the newest slot at or before the given time. */
function slotUpTo(schedule: Schedule, until: Date): Date | undefined {
  const time = until.getTime();
  switch (schedule.kind) {
    case 'cron':
      return cronOf(schedule.pattern, schedule.timezone).previousRuns(1, new Date(time + 1))[0];
    case 'every': {
      const start = schedule.anchor === undefined ? 0 : Date.parse(schedule.anchor);
      return time < start ? undefined : new Date(time - ((time - start) % schedule.everyMs));
    }
    case 'once':
      return Date.parse(schedule.at) <= time ? new Date(schedule.at) : undefined;
    case 'days':
      return daySlot(schedule, time, -1);
    case 'any':
      return pick(schedule.of, (part) => slotUpTo(part, until), Math.max);
  }
}

function pick(
  parts: readonly Schedule[],
  slotOf: (part: Schedule) => Date | undefined,
  best: (...times: number[]) => number,
): Date | undefined {
  const times = parts.map(slotOf).filter((slot) => slot !== undefined);
  return times.length > 0 ? new Date(best(...times.map(Number))) : undefined;
}

/** Returns the first slot after `time` going forward, or the last one at or before it going back. */
function daySlot(
  { every, times, anchor, timezone }: Extract<Schedule, { kind: 'days' }>,
  time: number,
  direction: 1 | -1,
): Date | undefined {
  const first = Math.round(Date.parse(anchor) / DAY);
  const today = dayNumber(toWall(time, timezone));
  let turn = Math.max(direction === 1 ? 0 : -1, Math.floor((today - first) / every));
  // Each turn finds a slot unless a zone skipped that whole day, so this ends after two or three.
  for (; turn >= 0; turn += direction) {
    const day = first + turn * every;
    const slots = times.map((text) => toInstant(Date.parse(`${isoDay(day)}T${text}Z`), timezone));
    const fitting = slots.filter((slot) => slot !== undefined && (direction === 1 ? slot > time : slot <= time));
    if (fitting.length > 0) return new Date(Math[direction === 1 ? 'min' : 'max'](...fitting.map(Number)));
  }
  return undefined;
}

/** How many slots of each part are compared: enough for two irregular rhythms to meet. */
const LOOKS = 40;
/** How many later slots are compared with those of a denser part; each call to croner takes about 0.1 ms. */
const NEIGHBOURS = 400;
const YEAR = 400 * DAY;

/**
 * Returns the shortest distance between two neighbouring slots in the coming year, in ms, or Infinity if there are
 * fewer than two. Looks at the times of one day, the first slots of each part, and around each clock change, where
 * slots come closer together. The cost is not quadratic in the number of parts.
 */
export function shortestGapMs(schedule: Schedule, from: Date): number {
  if (schedule.kind === 'once') return Number.POSITIVE_INFINITY;
  if (schedule.kind === 'every') return schedule.everyMs;
  const parts = schedule.kind === 'any' ? schedule.of : [schedule];
  const end = from.getTime() + YEAR;
  const rows = parts.map((part) => ({ part, slots: slotsWithin(part, from.getTime(), end) }));
  const gaps = [
    ...parts.map((part) => (part.kind === 'cron' ? gapWithinDay(part.pattern) : Number.POSITIVE_INFINITY)),
    gapAmong(rows.flatMap(({ slots }) => slots)),
    gapBeyond(rows),
  ];
  const zones = new Set(parts.flatMap((part) => ('timezone' in part ? [part.timezone] : [])));
  for (const change of [...zones].flatMap((zone) => clockChanges(zone, from.getTime(), end))) {
    const around = parts.flatMap((part) => {
      const before = slotUpTo(part, new Date(change - 1))?.getTime() ?? change;
      return slotsWithin(part, before - 1, change + 3 * HOUR);
    });
    gaps.push(gapAmong(around));
  }
  return Math.min(...gaps);
}

/** Returns the first slots after `from`, up to and including the first one past `until`. */
function slotsWithin(part: Schedule, from: number, until: number): number[] {
  const slots: number[] = [];
  for (let time = from; time <= until && slots.length < LOOKS; ) {
    const slot = nextSlot(part, new Date(time))?.getTime();
    if (slot === undefined) break;
    slots.push(slot);
    time = slot;
  }
  return slots;
}

function gapAmong(slots: readonly number[]): number {
  const sorted = [...new Set(slots)].sort((a, b) => a - b);
  return sorted.slice(1).reduce((least, slot, index) => Math.min(least, slot - (sorted[index] ?? 0)), Infinity);
}

/** Compares the slots of rare parts, which reach further, with their neighbours in a dense part, nearest first. */
function gapBeyond(rows: readonly { part: Schedule; slots: readonly number[] }[]): number {
  const dense = rows.filter(({ slots }) => slots.length === LOOKS);
  let least = Number.POSITIVE_INFINITY;
  let left = NEIGHBOURS;
  for (let index = 0; index < LOOKS; index += 1) {
    // One pattern after the other, since only a few stay cached.
    for (const { part, slots } of dense) {
      for (const { slots: others } of rows) {
        const slot = others[index];
        if (slot === undefined || slot <= (slots.at(-1) ?? 0)) continue;
        if (left-- === 0) return least;
        const next = nextSlot(part, new Date(slot));
        const before = slotUpTo(part, new Date(slot - 1));
        least = Math.min(least, (next?.getTime() ?? Infinity) - slot, slot - (before?.getTime() ?? -Infinity));
      }
    }
  }
  return least;
}

/** A pattern has all its times on every day on which it fires. */
function gapWithinDay(pattern: string): number {
  const times = timesOfDay(pattern) ?? [];
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  return Math.min(Number.POSITIVE_INFINITY, ...gaps) * MINUTE;
}
