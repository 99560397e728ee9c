/** Parses amounts of time: "20 minutes", "1 hour and 30 minutes", "half an hour". */
import { HOUR, MINUTE } from '../zone.ts';
import type { Context, Facts } from './facts.ts';
import type { Reader } from './tokens.ts';
import { NUMBERS, UNITS, type Unit } from './words.ts';

/** Returns whether a number, or a word for one, and a unit of time are at the cursor. */
export function amountAt(reader: Reader): boolean {
  const { text, kind } = reader.peek();
  if (text === 'half') return reader.peek(1).text === 'hour' || reader.peek(2).text === 'hour';
  if (kind !== 'number') return NUMBERS.has(text) && UNITS.has(reader.peek(1).text);
  const isDecimal = reader.peek(1).text === '.' && reader.peek(1).glued && reader.peek(2).kind === 'number';
  return UNITS.has(reader.peek(isDecimal ? 3 : 1).text);
}

export function readAmounts(reader: Reader): { unit: Unit; n: number }[] {
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

export function minutesOf(reader: Reader, parts: readonly { unit: Unit; n: number }[]): number {
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

export function readDelay({ reader }: Context): NonNullable<Facts['delay']> {
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

export function setDelay({ reader, facts }: Context, delay: NonNullable<Facts['delay']>): 'other' {
  if (facts.delay) throw reader.refuse('it says twice how long to wait', 'in 2 hours');
  if (delay.ms + delay.days + delay.months === 0) throw reader.refuse('that is now', 'in 20 minutes');
  facts.delay = delay;
  facts.relative = true;
  return 'other';
}
