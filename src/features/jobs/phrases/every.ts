/** Parses rhythms: "every 20 minutes", "every other day", "twice a day". */
import { amountAt, minutesOf, readAmounts } from './amounts.ts';
import { readWeekdays } from './days.ts';
import type { Context, Facts } from './facts.ts';
import { ordinalAt, ordinalsAt } from './month-days.ts';
import type { Reader } from './tokens.ts';
import { unknown } from './unknown.ts';
import { COUNTS, DAY_GROUPS, RHYTHMS, UNITS, type Unit, WEEKDAYS } from './words.ts';

/** Returns the announced number of times or days: "twice", "3 times". */
export function countAt(reader: Reader): number | undefined {
  const { text, kind } = reader.peek();
  return COUNTS.get(text) ?? (kind === 'number' && reader.peek(1).text === 'times' ? Number(text) : undefined);
}

export function readCount(context: Context, n: number): 'other' {
  const { reader, facts } = context;
  const isFigure = reader.take().kind === 'number';
  if (isFigure) reader.take();
  const word = reader.peek().text;
  const unit = RHYTHMS.get(word)?.unit ?? UNITS.get(reader.peek(1).text);
  const isOf = RHYTHMS.has(word) || reader.takeIf('a', 'an', 'per', 'each', 'every');
  if (!isOf || facts.count || !unit || !['hour', 'day', 'week', 'month'].includes(unit)) {
    throw reader.refuse('it does not say at which times', 'daily at 9 and 18:00');
  }
  reader.take();
  onlyOnce(context);
  setRhythm(context, { unit, n: 1 });
  facts.count = { n, unit };
  return 'other';
}

export function setRhythm({ reader, facts }: Context, rhythm: { unit: Unit; n: number }): void {
  if (facts.rhythm) throw reader.refuse('it has two rhythms', 'daily at 9; mondays at 17:00');
  if (rhythm.n < 1) throw reader.refuse('a rhythm of 0 is none', 'every 5 minutes');
  facts.rhythm = rhythm.unit === 'quarter' ? { unit: 'month', n: rhythm.n * 3 } : rhythm;
  facts.repeats = true;
}

export function onlyOnce({ reader, facts }: Context): void {
  const isWithin = facts.rhythm?.unit === 'minute' || facts.rhythm?.unit === 'hour';
  const { text } = reader.peek();
  const isDays = DAY_GROUPS.has(text) || WEEKDAYS.has(text) || text === 'day' || text === 'year';
  // "every 15 minutes every weekday"
  if (facts.saidEvery && isWithin && isDays) return;
  if (facts.saidEvery) throw reader.refuse('it has two rhythms', 'daily at 9; every monday at 17:00');
  facts.saidEvery = true;
  facts.repeats = true;
}

/** Reads what follows "every": a rhythm, or days, which are read as without it. */
export function readEvery(context: Context): 'other' {
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
  if ((single === 'day' || single === 'year') && isWithin) {
    reader.take();
    return 'other';
  }
  // "every first monday", "every 1st and 3rd monday": always of the month.
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

const COUNTED: Partial<Record<Unit, { of: (facts: Facts) => number; example: (n: number) => string }>> = {
  hour: {
    of: ({ marks }) => marks.length,
    example: (n) => (60 % n === 0 ? `every ${60 / n} minutes` : 'every hour at :10 and :40'),
  },
  day: { of: ({ times }) => times.length, example: () => 'daily at 9 and 18:00' },
  week: { of: ({ weekdays }) => weekdays.length, example: () => 'every monday and thursday at 9' },
  month: { of: ({ monthDays, nth }) => monthDays.length + nth.length, example: () => 'on the 1st and 15th at 9' },
};

/** @throws {UserError} if "twice a day" does not name two times, or "three times a week" three days */
export function checkCount(reader: Reader, facts: Facts): void {
  const { count } = facts;
  const counted = count && COUNTED[count.unit];
  if (counted && counted.of(facts) !== count.n)
    throw reader.refuse(`it does not say at which times, ${count.n} of them`, counted.example(count.n));
}
