/** Makes the schedule that a phrase means. Nothing is rounded, and parts that can't be combined are refused. */
import type { UserError } from '../../../errors.ts';
import { say } from '../../../messages/messages.ts';
import { anyOf, type Schedule } from '../slots.ts';
import { clock, dayFrom } from '../zone.ts';
import type { ClockTime } from './clock.ts';
import type { Facts } from './facts.ts';
import { onceOf } from './once.ts';
import { readFacts } from './read-facts.ts';
import { refusedPhrase } from './refusal.ts';
import { recurring } from './rhythms.ts';
import { foldPhrase, PARTS } from './words.ts';
import { takeZone } from './zones.ts';

export interface PhraseOptions {
  timezone: string;
  now: Date;
  /** The start of a rhythm that cron can't express, if the phrase names none; 1970 if absent. */
  anchor?: Date | undefined;
  /** Whether to accept a past date, as a schedule without further slots: a file outlives its date. */
  allowPast?: boolean | undefined;
}

interface ParsedPhrase {
  schedule: Schedule;
  /** Whether the meaning depends on when the phrase is read ("tomorrow at 9"). */
  relative: boolean;
}

/** Up to this hour, an hour alone may also mean the afternoon. */
const LAST_UNCLEAR = 6;
const LEAP_YEAR = 2024;

/** @throws {UserError} with the reason and an example, or with both halves of the day for an unclear hour */
export function parsePhrase(phrase: string, options: PhraseOptions): ParsedPhrase {
  const { text, zone } = takeZone(foldPhrase(phrase));
  const all = readFacts(phrase, text, { now: options.now.getTime(), timezone: options.timezone });
  const parts = all.map((facts) => scheduleOf(facts, options, zone));
  return { schedule: anyOf(parts.map(({ schedule }) => schedule)), relative: parts.some(({ relative }) => relative) };
}

function scheduleOf(facts: Facts, options: PhraseOptions, zone: string | undefined): ParsedPhrase {
  const times = timesOf(facts, zone);
  checkTogether(facts, times);
  const { weekdays, monthDays, months, dates } = facts;
  const [monthDay = '', ...others] = monthDays;
  // "on the 1st of january"
  if (
    !facts.repeats &&
    !facts.isYearly &&
    !facts.ofMonth &&
    others.length === 0 &&
    months.length === 1 &&
    /^\d+$/.test(monthDay)
  ) {
    dates.push({ day: Number(monthDay), month: months[0] ?? 0 });
    [facts.monthDays, facts.months] = [[], []];
  }
  const isOneDay = !facts.repeats && (dates.length > 0 || weekdays.length === 1) && facts.monthDays.length === 0;
  if (facts.delay || facts.instant !== undefined || facts.day !== undefined || (isOneDay && !facts.joins)) {
    const relative = facts.relative || (isOneDay && dates.every(({ year }) => year === undefined));
    return { schedule: onceOf(facts, times, options.allowPast ?? false), relative };
  }
  if (facts.isOnce) throw facts.refuse('onceAndAgain');
  const base = options.anchor?.getTime();
  // In a file, "noon" means every day, as `@midnight` does.
  facts.repeats ||= facts.times.length === 1 && facts.times[0]?.named !== undefined && options.allowPast === true;
  const schedule = recurring(facts, times, base);
  const [part] = schedule.kind === 'any' ? schedule.of : [schedule];
  const isAnchored = base !== undefined && !facts.start && !facts.isEven && part?.kind !== 'cron';
  return { schedule, relative: facts.relative || isAnchored };
}

/** Returns the times in minutes since midnight, in the part of the day that the phrase names. */
function timesOf(facts: Facts, zone: string | undefined): number[] {
  const { times, window, part, refuse } = facts;
  const [from, to] = window;
  // "9 to 5"
  if (from && to?.isBare && to.minutes <= from.minutes) {
    to.isBare = false;
    if (from.isTwelve && to.minutes + 720 > from.minutes) to.minutes += 720;
  }
  for (const clocks of [times, window])
    if (clocks.some(({ hasMeridiem }) => hasMeridiem) && clocks.some(({ isTwelve }) => isTwelve) && !part)
      throw refuse('someHalves');
  const unclear = [...times, ...window].filter(({ isBare, minutes }) => isBare && minutes < (LAST_UNCLEAR + 1) * 60);
  if (!part && unclear.length > 0) throw askHalf(facts, unclear, zone);
  if (part && times.length === 0) return [(PARTS[part]?.[0] ?? 9) * 60];
  const [, first, last] = (part !== undefined && PARTS[part]) || [0, 0, 23];
  const minutes = times.map((time) => {
    const both = time.isTwelve && part ? [time.minutes, (time.minutes + 720) % 1440] : [time.minutes];
    const meant = both.find((each) => each >= first * 60 && each < (last + 1) * 60);
    if (meant !== undefined) return meant;
    throw refuse('otherPart', { time: clock(time.minutes), part: part ?? '' });
  });
  return [...new Set(minutes)].sort((a, b) => a - b);
}

/** "Daily at 5" can mean two times: asks which one, with both written out in the phrase. */
function askHalf({ phrase, text, refuse }: Facts, unclear: readonly ClockTime[], zone = ''): UserError {
  const [minutes = 0] = unclear.map((time) => time.minutes);
  const halves = { early: clock(minutes), late: clock(minutes + 720) };
  if (text.length > 120) return refuse('half', halves);
  const written = (more: number) =>
    unclear
      .toSorted((a, b) => b.at - a.at)
      .reduce((now, { at, minutes, size }) => now.slice(0, at) + clock(minutes + more) + now.slice(at + size), text);
  const both = [0, 720].map((more) => `${written(more)} ${zone}`.trim());
  return refusedPhrase(phrase, say('schedules.half', halves), both);
}

/** @throws {UserError} for facts that contradict each other or are incomplete */
function checkTogether(facts: Facts, times: readonly number[]): void {
  const { every, weekdays, monthDays, nth, dates, months, day, window, marks, refuse } = facts;
  const isOnce = Boolean(facts.delay) || day !== undefined || facts.instant !== undefined;
  const kinds = [weekdays, monthDays, nth, dates].filter(({ length }) => length > 0).length;
  const isWithin = every?.unit === 'minute' || every?.unit === 'hour';
  const isChecked = weekdays.length === 1 && !facts.repeats && dates.length + Number(day !== undefined) === 1;
  if (facts.delay && (day !== undefined || facts.instant !== undefined)) throw refuse('twoTimes');
  if (isOnce && (facts.repeats || kinds > Number(isChecked) || months.length + facts.marks.length > 0 || facts.start))
    throw refuse('onceAndAgain');
  if (facts.joins ? kinds !== 2 || monthDays.length === 0 : kinds > 1 && !isChecked) throw refuse('twoWays');
  if (
    dates.length > 0 &&
    (months.length > 0 || (every && every.unit !== 'year') || (facts.repeats && dates.some(({ year }) => year)))
  )
    throw refuse('twoRhythms');
  if (!facts.repeats && !facts.joins && weekdays.length === 1 && months.length > 0) throw refuse('again');
  if (facts.needsMonth && !facts.ofMonth && every?.unit !== 'month' && months.length === 0) throw refuse('whichMonth');
  if (facts.times.some(({ seconds }) => seconds > 0) && !facts.start && !(facts.isOnce && dates.length === 1))
    throw refuse('seconds');
  if ((window.length > 0 || marks.length > 0 || facts.isEven) && !isWithin) throw refuse('needsRhythm');
  const { count = 0 } = facts;
  const said =
    { day: times.length, week: weekdays.length, month: monthDays.length + nth.length }[String(every?.unit)] ?? count;
  if (count > 1 ? said !== count : count === 1 && said > 1) throw refuse('count', { n: count });
  for (const said of monthDays.map((each) => Number.parseInt(each, 10)).filter((each) => each > 0))
    if (months.length > 0 && months.every((of) => dayFrom(LEAP_YEAR, of, said) === undefined)) throw refuse('noDay');
  if (facts.ofMonth && monthDays.length + nth.length === 0) throw refuse('whichMonthDay');
  if (isWithin && facts.isYearly && months.length === 0) throw refuse('twoRhythms');
  const isDaySaid = isOnce || kinds > 0;
  if (isDaySaid && facts.times.some(({ named }) => named === 'midnight')) throw refuse('midnight');
}
