/** Parses days of months: "the 15th", "first monday of the month", "last day", "january 1st". */
import { dayFrom } from '../zone.ts';
import type { Context } from './facts.ts';
import type { Reader } from './tokens.ts';
import { MONTHS, ORDINAL_ENDINGS, ORDINALS, WEEKDAYS } from './words.ts';

/** Returns the ordinal `ahead` tokens after the cursor ("15th", "first", "last") and its number of tokens. */
export function ordinalAt(reader: Reader, ahead = 0): { value: number | 'L'; size: number } | undefined {
  const [first, second] = [reader.peek(ahead), reader.peek(ahead + 1)];
  if (first.kind === 'number' && second.glued && ORDINAL_ENDINGS.has(second.text)) {
    return { value: Number(first.text), size: 2 };
  }
  const value = ORDINALS.get(first.text);
  return value === undefined ? undefined : { value, size: 1 };
}

function readOrdinals(reader: Reader): { values: (number | 'L')[]; hasFigures: boolean } {
  const values: (number | 'L')[] = [];
  let hasFigures = false;
  for (let found = ordinalAt(reader); found; ) {
    values.push(found.value);
    hasFigures ||= found.size === 2;
    for (let taken = 0; taken < found.size; taken += 1) reader.take();
    let ahead = 0;
    while (['and', ',', '&', 'the'].includes(reader.peek(ahead).text)) ahead += 1;
    found = ahead > 0 ? ordinalAt(reader, ahead) : undefined;
    for (let taken = 0; found && taken < ahead; taken += 1) reader.take();
  }
  return { values, hasFigures };
}

/** Returns the ordinals at the cursor if they count a weekday: "first and third monday". */
export function ordinalsAt(reader: Reader): (number | 'L')[] {
  const values: (number | 'L')[] = [];
  let ahead = 0;
  for (let found = ordinalAt(reader); found; found = ordinalAt(reader, ahead)) {
    values.push(found.value);
    ahead += found.size;
    while (['and', ',', '&', 'the'].includes(reader.peek(ahead).text)) ahead += 1;
  }
  return WEEKDAYS.has(reader.peek(ahead).text) ? values : [];
}

/** Reads "of the month", "of every month" or "of january and july"; returns the months that it names. */
export function readOfMonth({ reader, facts }: Context): number[] {
  if (reader.peek().text !== 'of') return [];
  reader.take();
  const months: number[] = [];
  for (let ahead = 0; ; ) {
    const month = MONTHS.get(reader.peek(ahead).text);
    if (month === undefined) break;
    months.push(month);
    for (let taken = 0; taken <= ahead; taken += 1) reader.take();
    ahead = 0;
    while (['and', ',', '&'].includes(reader.peek(ahead).text)) ahead += 1;
    if (ahead === 0) break;
  }
  if (months.length > 0) return months;
  reader.takeIf('the', 'every', 'each', 'a', 'any');
  if (!reader.takeIf('month', 'months'))
    throw reader.refuse(`"of ${reader.peek().text.slice(0, 40)}" is unclear`, 'first day of the month at noon');
  facts.ofMonth = true;
  return [];
}

/** Reads ordinals and what they count: days, weekdays, weekdays of the month. Returns false if there are none. */
export function readNth(context: Context): boolean {
  const { reader, facts } = context;
  const { values, hasFigures } = readOrdinals(reader);
  if (values.length === 0) return false;
  const weekday = WEEKDAYS.get(reader.peek().text);
  if (weekday !== undefined) {
    reader.take();
    const months = readOfMonth(context);
    facts.months.push(...months);
    facts.needsMonth ||= !facts.ofMonth && months.length === 0;
    if (values.some((value) => value !== 'L' && value > 5)) {
      throw reader.refuse('a month has at most five of a weekday', 'last friday of the month at 16:00');
    }
    facts.nth.push(...values.map((nth) => ({ nth, weekday })));
    return true;
  }
  if (reader.takeIf('weekday', 'workday')) {
    facts.months.push(...readOfMonth(context));
    if (values.some((value) => value !== 1 && value !== 'L')) {
      throw reader.refuse(
        'only the first and the last weekday of a month can be said',
        'last weekday of the month at 16:00',
      );
    }
    facts.monthDays.push(...values.map((value) => (value === 'L' ? 'LW' : '1W')));
    return true;
  }
  const isDay = reader.takeIf('day');
  const direct = MONTHS.get(reader.peek().text);
  if (direct !== undefined) reader.take();
  const months = direct === undefined ? readOfMonth(context) : [direct];
  if (!hasFigures && months.length === 0 && !facts.ofMonth) {
    if (!isDay) throw reader.refuse('it does not say of what', 'first day of the month at noon');
    facts.needsMonth = true;
  }
  for (const value of values) {
    if (value === 'L' && !isDay) throw reader.refuse('"last" needs a day', 'last day of the month at 18:00');
    if (value === 'L' || months.length !== 1) {
      facts.monthDays.push(String(value));
      facts.months.push(...months);
      if (value !== 'L' && (value < 1 || value > 31))
        throw reader.refuse(`no month has a day ${value}`, 'on the 15th at 10:00');
    } else addDate(context, months[0] ?? 0, value);
  }
  return true;
}

/** Reads "january", "january 1st" or "24 december 2027". Returns false if there is no date. */
export function readDate(context: Context): boolean {
  const { reader, facts } = context;
  const isDayFirst = reader.peek().kind === 'number' && MONTHS.has(reader.peek(1).text);
  const before = isDayFirst ? Number(reader.take().text) : undefined;
  const month = MONTHS.get(reader.peek().text);
  if (month === undefined) return false;
  reader.take();
  if (before !== undefined) {
    addDate(context, month, before);
    return true;
  }
  const ordinal = ordinalAt(reader, reader.peek().text === 'the' ? 1 : 0);
  const isTime = [':', '.', 'am', 'pm'].includes(reader.peek(1).text);
  const isPlain = reader.peek().kind === 'number' && reader.peek().text.length <= 2 && !isTime;
  if (typeof ordinal?.value === 'number') {
    reader.takeIf('the');
    for (let taken = 0; taken < ordinal.size; taken += 1) reader.take();
    addDate(context, month, ordinal.value);
  } else if (isPlain) addDate(context, month, Number(reader.take().text));
  else facts.months.push(month);
  return true;
}

function addDate({ reader, facts }: Context, month: number, day: number): void {
  const at = reader.peek().text === ',' ? 1 : 0;
  const next = reader.peek(at);
  const isYear = next.kind === 'number' && next.text.length === 4;
  const year = isYear ? Number(next.text) : undefined;
  if (isYear) for (let taken = 0; taken <= at; taken += 1) reader.take();
  if (dayFrom(year ?? 2024, month, day) === undefined) {
    throw reader.refuse('there is no such day', 'on 24 december at 18:00');
  }
  facts.dates.push(year === undefined ? { month, day } : { month, day, year });
}

/** Reads "weekday nearest to the 15th of the month". Returns false if there is none. */
export function readNearest(context: Context): boolean {
  const { reader, facts } = context;
  const [group, nearest] = [reader.peek(), reader.peek(1)];
  if (group.text !== 'weekday' || nearest.text !== 'nearest') return false;
  for (let taken = 0; taken < 2; taken += 1) reader.take();
  reader.takeIf('to');
  reader.takeIf('the');
  const { value, size } = ordinalAt(reader) ?? { value: 'L', size: 0 };
  for (let taken = 0; taken < size; taken += 1) reader.take();
  if (typeof value !== 'number' || value < 1 || value > 31)
    throw reader.refuse('it does not say nearest to what', 'weekday nearest to the 15th of the month at 9');
  const months = readOfMonth(context);
  facts.months.push(...months);
  facts.needsMonth ||= months.length === 0;
  facts.monthDays.push(`${value}W`);
  return true;
}
