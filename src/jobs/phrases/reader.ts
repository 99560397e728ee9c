/**
 * Reads a phrase from left to right into facts. Every word must be understood: one that is not refuses the whole phrase, since
 * a job that runs at nearly the right time is worse than a question.
 */

import { HOUR, MINUTE } from '../zone.ts';
import { DATE_FORMS, isClock, readAt, readClock, readWindow } from './clock.ts';
import {
  ordinalAt,
  ordinalsAt,
  readDate,
  readNamedDay,
  readNth,
  readOfMonth,
  readStart,
  readWeekdays,
} from './days.ts';
import { type Context, type Facts, noFacts } from './facts.ts';
import type { Reader } from './tokens.ts';
import {
  COUNTS,
  DAY_GROUPS,
  DAY_PARTS,
  FILLERS,
  MONTHS,
  NUMBERS,
  PLURAL_WEEKDAYS,
  REFUSED,
  RHYTHMS,
  UNITS,
  type Unit,
  WEEKDAYS,
} from './words.ts';

const EXAMPLE = 'every weekday at 9:00';

/**
 * What the phrase says: once, or once for each of its parts that have days and times of their own ("mondays 9am and fridays 5pm").
 * @throws UserError naming what was not understood
 */
export function readFacts(reader: Reader, now: number, timezone: string): Facts[] {
  const all = [noFacts()];
  const context = () => ({ reader, facts: all.at(-1) ?? noFacts(), now, timezone });
  // "9 on monday and 10 on friday" must not become both hours on both days: neither kind may come a second time.
  let order: ('time' | 'day')[] = [];
  let isTimeBefore = false;
  // After "at 9 and" a bare number is an hour as well.
  let isJoined = false;
  let isSeparated = false;
  while (!reader.done()) {
    if (FILLERS.has(reader.peek().text)) {
      const isLink = !['on', 'the'].includes(reader.peek().text);
      isJoined = isTimeBefore && isLink;
      isSeparated ||= isLink;
      reader.take();
      continue;
    }
    if (isSeparated && beginsAnother(context(), order)) {
      all.push(noFacts());
      order = [];
    }
    const kind = readPart(context(), isJoined);
    isJoined = false;
    isSeparated = false;
    isTimeBefore = kind === 'time';
    if (kind === 'other' || order.at(-1) === kind) continue;
    if (order.includes(kind)) throw unclear(reader);
    order.push(kind);
  }
  if (all.length > 1 && all.some(isIncomplete)) throw unclear(reader);
  return all;
}

const unclear = (reader: Reader) =>
  reader.refuse('which time goes with which day is unclear', 'every monday at 9; every friday at 10');

/** Each of several parts has its own days and times. */
const isIncomplete = ({ times, part, rhythm }: Facts): boolean =>
  times.length === 0 && !part && rhythm?.unit !== 'minute' && rhythm?.unit !== 'hour';

/** Whether the days and times so far are whole, and others begin at the cursor. */
function beginsAnother({ reader, facts }: Context, order: readonly ('time' | 'day')[]): boolean {
  const hasDays = order.includes('day') || facts.saidEvery;
  if (!hasDays || facts.times.length === 0) return false;
  if (order[0] === 'time' && order.includes('day') && order.at(-1) === 'day') return isClock(reader, false);
  const { text } = reader.peek();
  if (order.at(-1) !== 'time') return false;
  const isEvery = text === 'every' || text === 'each' || RHYTHMS.has(text);
  return (
    isEvery || WEEKDAYS.has(text) || PLURAL_WEEKDAYS.has(text) || DAY_GROUPS.has(text) || Boolean(ordinalAt(reader))
  );
}

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
  if (reader.takeIf('except')) {
    for (;;) {
      reader.takeIf('on', 'for');
      if (!readWeekdays(context, 'except'))
        throw reader.refuse('"except" takes days of the week', 'every day at 9 except sunday');
      const isMore = ['and', ','].includes(reader.peek().text);
      if (!isMore) return 'other';
      reader.take();
    }
  }
  if (reader.takeIf('once')) {
    if (reader.takeIf('a', 'an', 'per', 'every', 'each')) return readEvery(context);
    // "once daily" says no more than "daily".
    facts.saidOnce = !RHYTHMS.has(reader.peek().text);
    return 'other';
  }
  if (text === 'of' && facts.nth.length + facts.monthDays.length > 0) {
    facts.months.push(...readOfMonth(context));
    return 'other';
  }
  if (ordinalAt(reader) && readNth(context)) return 'day';
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
    }
    throw reader.refuse('it says neither "every" nor "in"', 'every 20 minutes" or "in 20 minutes');
  }
  return unknown(reader);
}

/** "twice", "3 times": how many times or days are announced. */
function countAt(reader: Reader): number | undefined {
  const { text, kind } = reader.peek();
  return COUNTS.get(text) ?? (kind === 'number' && reader.peek(1).text === 'times' ? Number(text) : undefined);
}

function readCount(context: Context, n: number): 'other' {
  const { reader, facts } = context;
  const isFigure = reader.take().kind === 'number';
  if (isFigure) reader.take();
  const word = reader.peek().text;
  const unit = RHYTHMS.get(word)?.unit ?? UNITS.get(reader.peek(1).text);
  const isOf = RHYTHMS.has(word) || reader.takeIf('a', 'an', 'per', 'each', 'every');
  if (!isOf || facts.count || !unit || !['day', 'week', 'month'].includes(unit)) {
    const isHour = unit === 'hour' && n > 0 && 60 % n === 0;
    throw reader.refuse('it does not say at which times', isHour ? `every ${60 / n} minutes` : 'daily at 9 and 18:00');
  }
  reader.take();
  onlyOnce(context);
  setRhythm(context, { unit, n: 1 });
  facts.count = { n, unit };
  return 'other';
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

function unknown(reader: Reader): never {
  const { text } = reader.peek();
  const known = REFUSED.get(text);
  if (known) throw reader.refuse(known.reason, known.example);
  if (text === '') throw reader.refuse('it ends too early', EXAMPLE);
  if (reader.peek().kind === 'number') {
    const next = REFUSED.get(reader.peek(1).text);
    if (next) throw reader.refuse(next.reason, next.example);
    if (reader.peek(1).text === '/') throw reader.refuse(DATE_FORMS, '2027-12-24 18:00');
    throw reader.refuse(`it is unclear what ${text} is, a time has "at", a colon, am or pm`, 'every monday at 9');
  }
  throw reader.refuse(`"${text.slice(0, 40)}" is not understood there`, EXAMPLE);
}

function readAtOrPart(context: Context): 'time' | 'other' {
  if (readAt(context)) return 'time';
  return readPartOfDay(context) ? 'other' : unknown(context.reader);
}

function startOf(context: Context): 'other' {
  // "from monday to friday": the range itself comes next.
  if (!readStart(context) && !readWeekdays(context, 'weekdays')) unknown(context.reader);
  return 'other';
}

function readPartOfDay({ reader, facts }: Context): boolean {
  const word = reader.peek().text;
  const isPlural = word.endsWith('s');
  const part = DAY_PARTS.get(isPlural ? word.slice(0, -1) : word);
  if (!part) return false;
  reader.take();
  if (facts.part && facts.part.name !== part.name && facts.part.name !== 'tonight') {
    throw reader.refuse('it names two parts of the day', 'daily at 8:00 and 20:00');
  }
  facts.part = part;
  if (isPlural) facts.repeats = true;
  return true;
}

function setRhythm({ reader, facts }: Context, rhythm: { unit: Unit; n: number }): void {
  if (facts.rhythm) throw reader.refuse('it has two rhythms', 'daily at 9; mondays at 17:00');
  if (rhythm.n < 1) throw reader.refuse('a rhythm of 0 is none', 'every 5 minutes');
  facts.rhythm = rhythm.unit === 'quarter' ? { unit: 'month', n: rhythm.n * 3 } : rhythm;
  facts.repeats = true;
}

function onlyOnce({ reader, facts }: Context): void {
  const isWithin = facts.rhythm?.unit === 'minute' || facts.rhythm?.unit === 'hour';
  const isDays = DAY_GROUPS.has(reader.peek().text) || WEEKDAYS.has(reader.peek().text) || reader.peek().text === 'day';
  // "every 15 minutes every weekday"
  if (facts.saidEvery && isWithin && isDays) return;
  if (facts.saidEvery) throw reader.refuse('it has two rhythms', 'daily at 9; every monday at 17:00');
  facts.saidEvery = true;
  facts.repeats = true;
}

/** What follows "every": a rhythm, or days that are read as they would be without it. */
function readEvery(context: Context): 'other' {
  const { reader } = context;
  onlyOnce(context);
  if (reader.done()) unknown(reader);
  if (reader.peek().text === '-' || reader.peek().text === '+') {
    throw reader.refuse('a rhythm is a whole number of at least 1', 'every 5 minutes');
  }
  const ordinal = ordinalAt(reader);
  const counted = ordinal && UNITS.get(reader.peek(ordinal.size).text);
  if (typeof ordinal?.value === 'number' && counted && reader.peek(ordinal.size + 1).text !== 'of') {
    for (let taken = 0; taken <= ordinal.size; taken += 1) reader.take();
    setRhythm(context, { unit: counted, n: ordinal.value });
    return 'other';
  }
  if (reader.takeIf('other')) {
    const unit = UNITS.get(reader.peek().text);
    if (DAY_GROUPS.has(reader.peek().text))
      throw reader.refuse('that has two meanings', 'every monday, wednesday and friday at 9');
    if (unit) reader.take();
    setRhythm(context, { unit: unit ?? 'week', n: 2 });
    if (!unit && !readWeekdays(context, 'weekdays')) unknown(reader);
    return 'other';
  }
  const single = UNITS.get(reader.peek().text);
  const isWithin = context.facts.rhythm?.unit === 'minute' || context.facts.rhythm?.unit === 'hour';
  if (single === 'day' && isWithin) {
    reader.take();
    return 'other';
  }
  // "every first monday", "every 1st and 3rd monday": of the month, there is no other first one.
  const which = ordinalsAt(reader);
  if (which.length > 1 || which[0] === 1 || which[0] === 'L') context.facts.ofMonth = true;
  if (single) {
    reader.take();
    setRhythm(context, { unit: single, n: 1 });
  } else if (amountAt(reader)) {
    const parts = readAmounts(reader);
    const [first] = parts;
    if (parts.length === 1 && first && Number.isInteger(first.n)) setRhythm(context, first);
    else setRhythm(context, { unit: 'minute', n: minutesOf(reader, parts) });
  }
  return 'other';
}

/** "in 20 minutes", "in the morning", "in december". */
function readIn(context: Context): 'other' | 'day' {
  const { reader, facts } = context;
  reader.take();
  if (amountAt(reader)) return setDelay(context, readDelay(context));
  reader.takeIf('the');
  if (readPartOfDay(context)) return 'other';
  const month = MONTHS.get(reader.peek().text);
  if (month === undefined) return unknown(reader);
  reader.take();
  facts.months.push(month);
  return 'other';
}

/** Whether a number (or a word for one) and a unit of time are at the cursor. */
function amountAt(reader: Reader): boolean {
  const { text, kind } = reader.peek();
  if (text === 'half') return reader.peek(1).text === 'hour' || reader.peek(2).text === 'hour';
  if (kind !== 'number') return NUMBERS.has(text) && UNITS.has(reader.peek(1).text);
  const isDecimal = reader.peek(1).text === '.' && reader.peek(1).glued && reader.peek(2).kind === 'number';
  return UNITS.has(reader.peek(isDecimal ? 3 : 1).text);
}

function readAmounts(reader: Reader): { unit: Unit; n: number }[] {
  const parts: { unit: Unit; n: number }[] = [];
  while (amountAt(reader)) {
    const first = reader.take();
    let n = first.text === 'half' ? 0.5 : (NUMBERS.get(first.text) ?? Number(first.text));
    if (first.text === 'half') reader.takeIf('a', 'an');
    if (reader.takeIf('.')) n = Number(`${first.text}.${reader.take().text}`);
    const unit = UNITS.get(reader.take().text) ?? 'minute';
    if (first.text.length > 6)
      throw reader.refuse(`${first.text.slice(0, 20)} is too large a number`, 'every 90 minutes');
    parts.push({ unit, n });
    const isMore = reader.peek().text === 'and' && reader.peek(1).kind === 'number' && UNITS.has(reader.peek(2).text);
    if (isMore) reader.take();
  }
  return parts;
}

function minutesOf(reader: Reader, parts: readonly { unit: Unit; n: number }[]): number {
  const factors = new Map<Unit, number>([
    ['minute', 1],
    ['hour', 60],
  ]);
  const minutes = parts.reduce((sum, { unit, n }) => sum + n * (factors.get(unit) ?? Number.NaN), 0);
  if (!Number.isInteger(minutes)) {
    throw reader.refuse('only hours and minutes can be parts of one rhythm, in whole minutes', 'every 90 minutes');
  }
  return minutes;
}

function readDelay({ reader }: Context): NonNullable<Facts['delay']> {
  const delay = { months: 0, days: 0, ms: 0 };
  for (const { unit, n } of readAmounts(reader)) {
    if (unit === 'second') delay.ms += n * 1000;
    else if (unit === 'minute') delay.ms += n * MINUTE;
    else if (unit === 'hour') delay.ms += n * HOUR;
    else if (unit === 'day') delay.days += n;
    else if (unit === 'week') delay.days += n * 7;
    else delay.months += n * { month: 1, quarter: 3, year: 12 }[unit];
  }
  if (!Number.isInteger(delay.days) || !Number.isInteger(delay.months)) {
    throw reader.refuse('days, weeks and months are whole', 'in 36 hours');
  }
  return delay;
}

function setDelay({ reader, facts }: Context, delay: NonNullable<Facts['delay']>): 'other' {
  if (facts.delay) throw reader.refuse('it says twice how long to wait', 'in 2 hours');
  if (delay.ms + delay.days + delay.months === 0) throw reader.refuse('that is now', 'in 20 minutes');
  facts.delay = delay;
  facts.relative = true;
  return 'other';
}
