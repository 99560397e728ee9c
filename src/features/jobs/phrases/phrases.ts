/** Converts phrases about time into schedules: finds the one schedule that a phrase can mean, or why there is none. */

import { UserError } from '../../../errors.ts';
import type { Schedule } from '../slots.ts';
import { clock, DAY, dayOf, isoDay, MINUTE, toWall, weekdayOf } from '../zone.ts';
import { askHalf, HalfOfDay } from './ask.ts';
import { type Build, DEFAULT_TIME, together } from './build.ts';
import { settleTimes } from './clock.ts';
import { crons, timeFields } from './cron.ts';
import { fold, inReadersWords } from './english.ts';
import { checkCount } from './every.ts';
import type { Facts } from './facts.ts';
import { onceOf } from './once.ts';
import { readFacts } from './reader.ts';
import { everyDays, withinDays } from './rhythm.ts';
import { readTokens } from './tokens.ts';
import { ORDINALS, WEEKDAYS } from './words.ts';
import { takeZone } from './zones.ts';

export interface PhraseOptions {
  timezone: string;
  now: Date;
  /** The start of a rhythm that cron can't express if the phrase names none; 1970 if absent. */
  anchor?: Date | undefined;
  /** Accepts a past date, as a schedule without further slots: a file outlives its date. */
  allowPast?: boolean | undefined;
}

/**
 * Returns the schedule of a phrase, and whether its meaning depends on when it is read ("tomorrow at 9").
 * @throws {UserError} with the reason and an example, or with both halves of the day for an unclear hour
 */
export function parsePhrase(phrase: string, options: PhraseOptions): { schedule: Schedule; relative: boolean } {
  try {
    return readPhrase(phrase, options);
  } catch (error) {
    if (!(error instanceof HalfOfDay)) throw error;
    throw askHalf(phrase, error.hours, (text) => {
      try {
        return Boolean(readPhrase(text, options));
      } catch (failure) {
        if (failure instanceof UserError || failure instanceof HalfOfDay) return false;
        throw failure;
      }
    });
  }
}

function readPhrase(phrase: string, options: PhraseOptions): { schedule: Schedule; relative: boolean } {
  const { timezone, now, anchor, allowPast = false } = options;
  const { text } = takeZone(fold(phrase));
  const reader = readTokens(phrase, inReadersWords(text));
  const all = readFacts(reader, now.getTime(), timezone);
  // "every monday at 9 and friday at 17:00", "mon, tue 9am wed 5pm": both every week.
  const isEvery = all[0]?.repeats === true || (all.length > 1 && all.some(({ weekdays }) => weekdays.length > 1));
  const parts = all.map((facts) => {
    facts.repeats ||= isEvery && facts.weekdays.length > 0;
    const times = settleTimes(reader, facts.times, facts.part);
    if (facts.times.length === 0 && facts.part) times.push(facts.part.default);
    return scheduleOf({ reader, facts, now: now.getTime(), timezone, times, base: anchor?.getTime(), allowPast });
  });
  const of = parts.flatMap(({ schedule }) => (schedule.kind === 'any' ? schedule.of : [schedule]));
  return { schedule: together(of), relative: parts.some(({ relative }) => relative) };
}

function scheduleOf(build: Build): { schedule: Schedule; relative: boolean } {
  const { facts, base } = build;
  const checked = withoutCheck(build);
  checkTogether(checked);
  checkNight(build);
  if (facts.delay || facts.instant !== undefined || facts.day !== undefined)
    return { schedule: onTheDay(build, onceOf(checked)), relative: facts.relative };
  const isOneDate = facts.dates.length > 0 && !facts.repeats;
  const isOneWeekday = facts.weekdays.length === 1 && !facts.repeats;
  if (isOneDate || isOneWeekday) {
    const schedule = onTheDay(build, onceOf(checked));
    return { schedule, relative: isOneDate ? facts.dates.some(({ year }) => !year) : true };
  }
  const schedule = recurring(build);
  const [part] = schedule.kind === 'any' ? schedule.of : [schedule];
  const isAnchored = base !== undefined && facts.start === undefined && !facts.isEven && part?.kind !== 'cron';
  return { schedule, relative: facts.relative || isAnchored };
}

/** "Friday 4 December", "tomorrow (Sun)": the weekday confirms the day and does not add one. */
const isChecked = ({ facts }: Build): boolean =>
  facts.weekdays.length === 1 && !facts.repeats && (facts.dates.length === 1 || facts.day !== undefined);

const withoutCheck = (build: Build): Build =>
  isChecked(build) ? { ...build, facts: { ...build.facts, weekdays: [] } } : build;

function onTheDay(build: Build, schedule: Schedule): Schedule {
  if (!isChecked(build)) return schedule;
  for (const part of schedule.kind === 'any' ? schedule.of : [schedule]) {
    const wall = part.kind === 'once' ? toWall(Date.parse(part.at), build.timezone) : 0;
    if (weekdayOf(dayOf(wall)) === build.facts.weekdays[0]) continue;
    const date = isoDay(dayOf(wall));
    throw build.reader.refuse(
      `${date} is another day of the week`,
      `${date} ${clock(Math.floor((wall % DAY) / MINUTE))}`,
    );
  }
  return schedule;
}

/** @throws {UserError} for facts that contradict each other or are incomplete */
function checkTogether(build: Build): void {
  const { reader, facts } = build;
  const { rhythm, weekdays, monthDays, nth, dates, months, delay, day, instant, window, marks } = facts;
  const isOnce = Boolean(delay) || day !== undefined || instant !== undefined;
  const kinds = [weekdays.length > 0, monthDays.length > 0, nth.length > 0, dates.length > 0].filter(Boolean).length;
  if (delay?.months === 0 && delay.ms === 0 && weekdays.length === 1 && !facts.repeats)
    throw reader.refuse('that can be either of two days', eitherSide(build, delay.days));
  if (isOnce && (facts.repeats || rhythm || kinds > 0 || months.length > 0 || facts.except.length > 0)) {
    throw reader.refuse('it says both once and again and again', 'tomorrow at 9" or "every day at 9');
  }
  if (delay && (day !== undefined || instant !== undefined))
    throw reader.refuse('it names two times', 'in 2 days at 9:00');
  const isOfBoth = weekdays.length + nth.length > 0 && monthDays.length + dates.length > 0 && kinds === 2;
  if (facts.isEither && !isOfBoth)
    throw reader.refuse(
      '"and also" joins days of the month with days of the week',
      'on the 13th at 9; every friday at 9',
    );
  if (kinds > 1 && !facts.isEither) {
    const example = 'on the 13th at 9; every friday at 9" or "0 9 13 * +FRI';
    throw reader.refuse('it names days in two ways, and "both" and "either" are two meanings', example);
  }
  if (dates.length > 0 && months.length > 0 && !facts.isEither)
    throw reader.refuse('it names months in two ways', 'on 24 december at 18:00');
  if (!facts.repeats && weekdays.length === 1 && months.length + facts.except.length > 0) {
    throw reader.refuse('it does not say whether that comes again', 'every monday in december at 9');
  }
  if (facts.times.some(({ seconds }) => seconds !== undefined) && !(facts.saidOnce && dates.length === 1))
    throw reader.refuse('seconds are not supported', 'daily at 8:30');
  checkCount(reader, facts);
  if (facts.needsMonth && !facts.ofMonth && rhythm?.unit !== 'month' && months.length === 0)
    throw reader.refuse('it does not say of which month', nearestOfMonth(facts));
  const isSubDay = rhythm?.unit === 'minute' || rhythm?.unit === 'hour';
  if ((facts.startTime || facts.isEven) && !isSubDay)
    throw reader.refuse('a time to start from needs a rhythm of hours or minutes', 'every 4 hours starting at 8:00');
  if (window && !isSubDay)
    throw reader.refuse('hours "between" need a rhythm', 'every 30 minutes between 9:00 and 17:00');
  if (marks.length > 0 && !isSubDay) throw reader.refuse('a minute alone needs a rhythm of hours', 'every hour at :15');
  if (facts.start && isOnce) throw reader.refuse('a start needs a rhythm', 'every 2 days at 9 from 2027-01-04');
  if (facts.except.length > 0 && (kinds > (weekdays.length > 0 ? 1 : 0) || (rhythm?.unit === 'day' && rhythm.n > 1))) {
    throw reader.refuse('"except" goes with days of the week only', 'every day at 9 except sunday');
  }
}

/**
 * "Monday night at 1" and "friday at midnight" belong to one day by the calendar, and to the day before for many
 * people.
 */
function checkNight({ reader, facts, times, now, timezone }: Build): void {
  const { weekdays, monthDays, nth, dates, day } = facts;
  const isDaySaid = day !== undefined || weekdays.length + monthDays.length + nth.length + dates.length > 0;
  const isMidnight = facts.times.some(({ isNamed, minutes }) => isNamed && minutes === 0);
  const early = isMidnight ? 0 : facts.part?.name === 'night' ? times.find((time) => time < 6 * 60) : undefined;
  if (!isDaySaid || early === undefined) return;
  const reason = 'a night goes over midnight, so it can be either of two days';
  const time = clock(early);
  const [weekday] = weekdays;
  const name = (of: number) => [...WEEKDAYS.keys()].find((word) => WEEKDAYS.get(word) === of % 7) ?? '';
  const every = facts.repeats ? 'every ' : '';
  if (weekday !== undefined)
    throw reader.refuse(reason, `${every}${name(weekday)} at ${time}" or "${every}${name(weekday + 1)} at ${time}`);
  if (day === undefined) throw reader.refuse(reason, `on the 1st of the month at ${time}`);
  throw reader.refuse(
    reason,
    `${isoDay(Math.max(day, dayOf(toWall(now, timezone)) + 1))} ${time}" or "${isoDay(day + 1)} ${time}`,
  );
}

/** Suggests both weekdays for "in 2 weeks on monday": the one before that day, and the one after. */
function eitherSide({ facts, times, now, timezone }: Build, days: number): string {
  const target = dayOf(toWall(now, timezone)) + days;
  const after = target + (((facts.weekdays[0] ?? 1) - weekdayOf(target) + 7) % 7);
  const at = clock(times[0] ?? DEFAULT_TIME);
  return `${isoDay(after - 7)} ${at}" or "${isoDay(after)} ${at}`;
}

/** "Every third friday" can mean that of the month, or one in three weeks. */
function nearestOfMonth({ nth, monthDays, times }: Facts): string {
  if (monthDays.length > 0)
    return `${monthDays[0] === 'L' ? 'last day' : `on day ${monthDays[0]}`} of the month at ${clock(times[0]?.minutes ?? DEFAULT_TIME)}`;
  const [{ nth: which, weekday } = { nth: 1, weekday: 1 }] = nth;
  const at = `at ${clock(times[0]?.minutes ?? DEFAULT_TIME)}`;
  const day = [...WEEKDAYS.keys()].find((name) => WEEKDAYS.get(name) === weekday) ?? 'monday';
  const ordinal = [...ORDINALS.keys()].find((word) => ORDINALS.get(word) === which) ?? 'first';
  const weeks = which === 2 ? `every other ${day} ${at}` : `every ${which} weeks on ${day} ${at}`;
  return `${ordinal} ${day} of the month ${at}${which === 'L' || which === 1 ? '' : `" or "${weeks}`}`;
}

function recurring(build: Build): Schedule {
  const { reader, facts, times } = build;
  const { rhythm } = facts;
  if (facts.saidOnce) throw reader.refuse('it says both once and again and again', 'tomorrow at 9" or "every day at 9');
  if (rhythm?.unit === 'second') throw reader.refuse('seconds are not supported', 'every 5 minutes');
  if (rhythm?.unit === 'minute' || rhythm?.unit === 'hour')
    return withinDays(build, rhythm.n * (rhythm.unit === 'hour' ? 60 : 1));
  const unit = rhythm?.unit === 'day' || rhythm?.unit === 'week' ? rhythm.unit : undefined;
  if (unit && rhythm && rhythm.n > 1) return everyDays(build, unit, rhythm.n);
  // "every day starting tomorrow at 9", "every monday from 2027-01-04": cron has no first day.
  const isOfWeek = facts.weekdays.length > 0 && (unit || !rhythm);
  if (facts.start && (unit || isOfWeek)) return everyDays(build, isOfWeek ? 'week' : (unit ?? 'day'), 1);
  if (facts.start)
    throw reader.refuse(
      'a start goes with a rhythm of several days, weeks, hours or minutes',
      'every 2 weeks on monday from 2027-01-04',
    );
  const days =
    facts.weekdays.length + facts.monthDays.length + facts.nth.length + facts.dates.length + facts.months.length;
  if (facts.repeats && !rhythm && days + facts.except.length + times.length === 0)
    throw reader.refuse('it does not say every what', 'every day at 9');
  const isDaySaid = facts.repeats || days > facts.months.length;
  if (!isDaySaid && !isNickname(build)) {
    if (times.length === 0) throw reader.refuse('it says no time', 'every day at 9');
    const time = clock(times[0] ?? 0);
    throw reader.refuse('it does not say on which days', `daily at ${time}" or "today at ${time}`);
  }
  return crons(build, timeFields(times.length > 0 ? times : [DEFAULT_TIME]));
}

/**
 * "noon" and "midnight" mean every day in a file, as `@midnight` does, and when they stand alone. In a chat they can
 * mean one time: "remind me at noon".
 */
function isNickname({ facts, reader, allowPast }: Build): boolean {
  const isNamed = facts.times.length === 1 && facts.times[0]?.isNamed === true && facts.months.length === 0;
  return isNamed && (allowPast || !reader.phrase.trim().includes(' '));
}
