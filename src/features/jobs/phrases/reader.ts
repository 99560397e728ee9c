/**
 * Reads a phrase from left to right into facts. Every word must be understood, or the whole phrase is refused: a job
 * that runs at nearly the right time is worse than a question.
 */

import { amountAt, readDelay, setDelay } from './amounts.ts';
import { isClock, readAt, readClock, readWindow } from './clock.ts';
import { comingWeekday, readNamedDay, readStart, readWeekdays } from './days.ts';
import { countAt, onlyOnce, readCount, readEvery, setRhythm } from './every.ts';
import { type Context, type Facts, noFacts } from './facts.ts';
import { ordinalAt, readDate, readNearest, readNth, readOfMonth } from './month-days.ts';
import type { Reader } from './tokens.ts';
import { isRefused, unknown } from './unknown.ts';
import { DAY_GROUPS, DAY_PARTS, FILLERS, MONTHS, PLURAL_WEEKDAYS, RHYTHMS, WEEKDAYS } from './words.ts';

/**
 * Returns the facts once, or once for each part with its own days and times ("mondays 9am and fridays 5pm").
 * @throws {UserError} with what was not understood
 */
export function readFacts(reader: Reader, now: number, timezone: string): Facts[] {
  const all = [noFacts()];
  const context = () => ({ reader, facts: all.at(-1) ?? noFacts(), now, timezone });
  // "9 on monday and 10 on friday" must not become both hours on both days, so neither kind may occur twice.
  let order: ('time' | 'day')[] = [];
  let isTimeBefore = false;
  // After "at 9 and", a bare number is an hour too.
  let isJoined = false;
  let isSeparated = false;
  // "daily at 9 and"
  let isOpen = false;
  while (!reader.done()) {
    if (FILLERS.has(reader.peek().text)) {
      const isLink = !['on', 'the'].includes(reader.peek().text);
      isJoined = isTimeBefore && isLink;
      isSeparated ||= isLink;
      isOpen = ['and', '&'].includes(reader.peek().text);
      reader.take();
      continue;
    }
    if (beginsAnother(context(), order, isSeparated)) {
      all.push(noFacts());
      order = [];
    }
    const kind = readPart(context(), isJoined);
    isJoined = false;
    isSeparated = false;
    isOpen = false;
    isTimeBefore = kind === 'time';
    if (kind === 'other' || order.at(-1) === kind) continue;
    if (order.includes(kind)) throw unclear(reader);
    order.push(kind);
  }
  if (isOpen) unknown(reader);
  if (all.length > 1 && all.some(isIncomplete)) throw unclear(reader);
  return all;
}

const unclear = (reader: Reader) =>
  reader.refuse('which time goes with which day is unclear', 'every monday at 9; every friday at 10');

/** Each of several parts needs its own days and times. */
const isIncomplete = ({ times, part, rhythm }: Facts): boolean =>
  times.length === 0 && !part && rhythm?.unit !== 'minute' && rhythm?.unit !== 'hour';

/**
 * Returns whether the days and times so far are complete and another part begins at the cursor: "mondays 9am fridays
 * 5pm" and "9am mondays 5pm fridays", with or without "and", and "monday mornings and friday evenings".
 */
function beginsAnother({ reader, facts }: Context, order: readonly ('time' | 'day')[], isSeparated: boolean): boolean {
  const { text } = reader.peek();
  const isEvery = text === 'every' || text === 'each';
  const isNewDay = isWeekday(text) || (isEvery && isWeekday(reader.peek(1).text));
  if (facts.part && facts.times.length === 0 && facts.weekdays.length > 0)
    return isNewDay && isOtherPart(facts, reader.peek(isEvery ? 2 : 1).text);
  const isClockNext = isClock(reader, false) || (['at', '@'].includes(text) && isClock(reader, true, 1));
  if (order.join() === 'time,day' && isClockNext) return true;
  if (!isSeparated) return order.join() === 'day,time' && isNewDay;
  const hasDays = order.includes('day') || facts.saidEvery;
  if (!hasDays || facts.times.length === 0 || order.at(-1) !== 'time') return false;
  return isEvery || RHYTHMS.has(text) || isWeekday(text) || Boolean(ordinalAt(reader));
}

const partOfDay = (word: string) => DAY_PARTS.get(word.replace(/s$/, ''));

const isOtherPart = ({ part }: Facts, word: string): boolean => {
  const other = partOfDay(word);
  return other !== undefined && other.name !== part?.name;
};

const isWeekday = (text: string): boolean => WEEKDAYS.has(text) || PLURAL_WEEKDAYS.has(text) || DAY_GROUPS.has(text);

function readPart(context: Context, isJoined: boolean): 'time' | 'day' | 'other' {
  const { reader, facts } = context;
  const { text } = reader.peek();
  const rhythm = RHYTHMS.get(text);
  if (rhythm) {
    reader.take();
    onlyOnce(context);
    setRhythm(context, rhythm);
    return 'other';
  }
  if (reader.takeIf('every', 'each')) return readEvery(context);
  const count = countAt(reader);
  if (count !== undefined) return readCount(context, count);
  if (reader.takeIf('at', '@')) return readAtOrPart(context);
  if (text === 'in') return readIn(context);
  if (text === 'between' || text === 'from' || text === 'starting' || text === 'beginning') {
    reader.take();
    const isStart = text === 'starting' || text === 'beginning';
    if (isStart) reader.takeIf('from', 'at');
    if (readWindow(context, text === 'between')) return 'other';
    return text === 'between' ? unknown(reader) : startOf(context);
  }
  if (text === 'counted' && reader.peek(1).text === 'from') {
    reader.take();
    reader.take();
    return startOf(context);
  }
  if (text === 'evenly' && reader.peek(1).text === 'spaced') {
    reader.take();
    reader.take();
    facts.isEven = true;
    return 'other';
  }
  if (text === 'when' && reader.peek(1).text === 'that') return readWhen(context);
  if (reader.takeIf('also')) {
    facts.isEither = true;
    facts.saidEvery = false;
    return 'other';
  }
  if (text === '(' && WEEKDAYS.has(reader.peek(1).text) && reader.peek(2).text === ')') {
    reader.take();
    readWeekdays(context, 'weekdays');
    reader.take();
    return 'day';
  }
  if (reader.takeIf('except')) return readExcept(context);
  if (reader.takeIf('once')) {
    if (reader.takeIf('a', 'an', 'per', 'every', 'each')) return readEvery(context);
    // "once daily" means the same as "daily".
    facts.saidOnce = !RHYTHMS.has(reader.peek().text);
    return 'other';
  }
  if (text === 'of' && facts.nth.length + facts.monthDays.length > 0) {
    facts.months.push(...readOfMonth(context));
    return 'other';
  }
  if (readNearest(context) || (ordinalAt(reader) && readNth(context))) return 'day';
  if (readWeekdays(context, 'weekdays') || readNamedDay(context) || readDate(context)) return 'day';
  if (text === ':' && readAt(context)) return 'time';
  const time = readClock(reader, isJoined);
  if (time) {
    facts.times.push(time);
    return 'time';
  }
  if (readPartOfDay(context)) return 'other';
  const ahead = amountAt(reader);
  if (ahead) {
    const delay = readDelay(context);
    if (reader.takeIf('from')) {
      if (reader.takeIf('now')) return setDelay(context, delay);
      if (isDays(delay) && (readNamedDay(context) || readComing(context))) return later(context, delay);
    }
    throw reader.refuse('it says neither "every" nor "in"', 'every 20 minutes" or "in 20 minutes');
  }
  return unknown(reader);
}

/** "except saturdays and on sunday" */
function readExcept(context: Context): 'other' {
  const { reader } = context;
  for (;;) {
    reader.takeIf('on', 'for');
    if (!readWeekdays(context, 'except')) {
      if (isRefused(reader)) unknown(reader);
      throw reader.refuse('"except" takes days of the week', 'every day at 9 except sunday');
    }
    const isMore = ['and', ','].includes(reader.peek().text);
    if (!isMore) return 'other';
    reader.take();
  }
}

/** "when that is a friday" */
function readWhen({ reader, facts }: Context): 'other' {
  for (let taken = 0; taken < 2; taken += 1) reader.take();
  reader.takeIf('is');
  reader.takeIf('a', 'an');
  const found: Context = { reader, facts: noFacts(), now: 0, timezone: 'UTC' };
  while (readWeekdays(found, 'weekdays')) if (!reader.takeIf('and')) reader.takeIf(',');
  if (found.facts.weekdays.length === 0) unknown(reader);
  facts.when.push(...found.facts.weekdays);
  return 'other';
}

function readAtOrPart(context: Context): 'time' | 'other' {
  if (readAt(context)) return 'time';
  return readPartOfDay(context) ? 'other' : unknown(context.reader);
}

function startOf(context: Context): 'other' {
  // "from monday to friday": the range follows.
  if (!readStart(context) && !readWeekdays(context, 'weekdays')) unknown(context.reader);
  return 'other';
}

function readPartOfDay({ reader, facts }: Context): boolean {
  const word = reader.peek().text;
  const isPlural = word.endsWith('s');
  const part = partOfDay(word);
  if (!part) return false;
  reader.take();
  if (facts.part && facts.part.name !== part.name && facts.part.name !== 'tonight') {
    throw reader.refuse('it names two parts of the day', 'daily at 8:00 and 20:00');
  }
  facts.part = part;
  if (isPlural) facts.repeats = true;
  return true;
}

/** "in 20 minutes", "in the morning", "in december". */
function readIn(context: Context): 'other' | 'day' {
  const { reader, facts } = context;
  reader.take();
  if (amountAt(reader)) {
    const delay = readDelay(context);
    // "tomorrow in a week"
    return isDays(delay) && facts.day !== undefined ? later(context, delay) : setDelay(context, delay);
  }
  reader.takeIf('the');
  if (readPartOfDay(context)) return 'other';
  const month = MONTHS.get(reader.peek().text);
  if (month === undefined) return unknown(reader);
  reader.take();
  facts.months.push(month);
  return 'other';
}

const isDays = ({ months, ms }: NonNullable<Facts['delay']>): boolean => months === 0 && ms === 0;

/** Reads "a week from monday": the coming one. */
function readComing(context: Context): boolean {
  const weekday = WEEKDAYS.get(context.reader.peek().text);
  if (weekday === undefined) return false;
  context.reader.take();
  context.facts.day = comingWeekday(context, weekday, 1);
  return true;
}

/** Moves the named day by this many days. */
function later({ facts }: Context, { days }: NonNullable<Facts['delay']>): 'day' {
  facts.day = (facts.day ?? 0) + days;
  facts.relative = true;
  return 'day';
}
