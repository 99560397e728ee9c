/** Phrases people write, each with the next three times it means. */
import { describe, expect, test } from 'vitest';
import { nextSlots, parseSchedule } from '../../src/features/jobs/schedule.ts';

/** A Saturday, 19:05:30 in Berlin. */
const now = new Date('2026-11-21T18:05:30Z');
const timezone = 'Europe/Berlin';

const local = (date: Date) => date.toLocaleString('sv', { timeZone: timezone }).slice(0, 16);
const read = (text: string) => parseSchedule(text, { timezone, now });

/** The phrase, its next three times (the date is left out where it is the one before), how it was understood. */
// biome-ignore format: a row is a line
const PHRASES: [phrase: string, slots: string, words: string][] = [
  // each day
  ['8am daily', '2026-11-22 08:00, 2026-11-23 08:00, 2026-11-24 08:00', 'every day at 08:00'],
  ['daily at 8', '2026-11-22 08:00, 2026-11-23 08:00, 2026-11-24 08:00', 'every day at 08:00'],
  ['Daily @ 8', '2026-11-22 08:00, 2026-11-23 08:00, 2026-11-24 08:00', 'every day at 08:00'],
  ['daily', '2026-11-22 09:00, 2026-11-23 09:00, 2026-11-24 09:00', 'every day at 09:00'],
  ['every day at 8:30 pm', '2026-11-21 20:30, 2026-11-22 20:30, 2026-11-23 20:30', 'every day at 20:30'],
  ['at 9:30 and 17:00 every day', '2026-11-22 09:30, 2026-11-22 17:00, 2026-11-23 09:30', 'every day at 09:30 and 17:00'],
  ['every day at 9am, 1pm and 5pm', '2026-11-22 09:00, 2026-11-22 13:00, 2026-11-22 17:00', 'every day at 09:00, 13:00 and 17:00'],
  ['daily at 8, 12 and 18', '2026-11-22 08:00, 2026-11-22 12:00, 2026-11-22 18:00', 'every day at 08:00, 12:00 and 18:00'],
  ['every day at 12am and 12:30pm', '2026-11-22 00:00, 2026-11-22 12:30, 2026-11-23 00:00', 'every day at 00:00 and 12:30'],
  ['noon every day', '2026-11-22 12:00, 2026-11-23 12:00, 2026-11-24 12:00', 'every day at 12:00'],
  ['every morning', '2026-11-22 08:00, 2026-11-23 08:00, 2026-11-24 08:00', 'every day at 08:00'],
  ['every morning at 7', '2026-11-22 07:00, 2026-11-23 07:00, 2026-11-24 07:00', 'every day at 07:00'],
  ['every evening', '2026-11-22 18:00, 2026-11-23 18:00, 2026-11-24 18:00', 'every day at 18:00'],
  ['every evening at 8', '2026-11-21 20:00, 2026-11-22 20:00, 2026-11-23 20:00', 'every day at 20:00'],
  ['at 8 in the evening every day', '2026-11-21 20:00, 2026-11-22 20:00, 2026-11-23 20:00', 'every day at 20:00'],
  ['once a day at 9', '2026-11-22 09:00, 2026-11-23 09:00, 2026-11-24 09:00', 'every day at 09:00'],
  // days of the week
  ['every weekday at 9', '2026-11-23 09:00, 2026-11-24 09:00, 2026-11-25 09:00', 'every weekday at 09:00'],
  ['weekdays at 9am and 5pm', '2026-11-23 09:00, 2026-11-23 17:00, 2026-11-24 09:00', 'every weekday at 09:00 and 17:00'],
  ['every monday and friday 17:30', '2026-11-23 17:30, 2026-11-27 17:30, 2026-11-30 17:30', 'every Monday and Friday at 17:30'],
  ['every Monday, Wednesday and Friday at 6:45 a.m.', '2026-11-23 06:45, 2026-11-25 06:45, 2026-11-27 06:45', 'every Monday, Wednesday and Friday at 06:45'],
  ['mon-fri 9:15', '2026-11-23 09:15, 2026-11-24 09:15, 2026-11-25 09:15', 'every weekday at 09:15'],
  ['from monday to friday at 9', '2026-11-23 09:00, 2026-11-24 09:00, 2026-11-25 09:00', 'every weekday at 09:00'],
  ['fri-mon at 8', '2026-11-22 08:00, 2026-11-23 08:00, 2026-11-27 08:00', 'every Monday, Friday, Saturday and Sunday at 08:00'],
  ['sat,sun 10:00', '2026-11-22 10:00, 2026-11-28 10:00, 2026-11-29 10:00', 'every Saturday and Sunday at 10:00'],
  ['weekends at noon', '2026-11-22 12:00, 2026-11-28 12:00, 2026-11-29 12:00', 'every Saturday and Sunday at 12:00'],
  ['mondays', '2026-11-23 09:00, 2026-11-30 09:00, 2026-12-07 09:00', 'every Monday at 09:00'],
  ['weekly', '2026-11-23 09:00, 2026-11-30 09:00, 2026-12-07 09:00', 'every Monday at 09:00'],
  ['once a week on friday at 16:00', '2026-11-27 16:00, 2026-12-04 16:00, 2026-12-11 16:00', 'every Friday at 16:00'],
  ['every monday in december at 10', '2026-12-07 10:00, 2026-12-14 10:00, 2026-12-21 10:00', 'every Monday in December at 10:00'],
  // hours and minutes
  ['hourly', '2026-11-21 20:00, 2026-11-21 21:00, 2026-11-21 22:00', 'every hour'],
  ['every hour', '2026-11-21 20:00, 2026-11-21 21:00, 2026-11-21 22:00', 'every hour'],
  ['every hour at :15', '2026-11-21 19:15, 2026-11-21 20:15, 2026-11-21 21:15', 'every hour at :15'],
  ['hourly at :10 and :40', '2026-11-21 19:10, 2026-11-21 19:40, 2026-11-21 20:10', 'every 30 minutes at :10'],
  ['every 15 minutes', '2026-11-21 19:15, 2026-11-21 19:30, 2026-11-21 19:45', 'every 15 minutes'],
  ['every 20 min', '2026-11-21 19:20, 2026-11-21 19:40, 2026-11-21 20:00', 'every 20 minutes'],
  ['every half hour', '2026-11-21 19:30, 2026-11-21 20:00, 2026-11-21 20:30', 'every 30 minutes'],
  ['every 2 hours', '2026-11-21 20:00, 2026-11-21 22:00, 2026-11-22 00:00', 'every 2 hours from 00:00'],
  ['every other hour', '2026-11-21 20:00, 2026-11-21 22:00, 2026-11-22 00:00', 'every 2 hours from 00:00'],
  ['every 6 hours at :15', '2026-11-22 00:15, 2026-11-22 06:15, 2026-11-22 12:15', 'every 6 hours from 00:15'],
  ['every hour between 9am and 5pm', '2026-11-22 09:00, 2026-11-22 10:00, 2026-11-22 11:00', 'every hour from 09:00 to 17:00'],
  ['hourly from 9 to 17 on mon-fri', '2026-11-23 09:00, 2026-11-23 10:00, 2026-11-23 11:00', 'every hour from 09:00 to 17:00, every weekday'],
  ['every 45 minutes between 9 and 17 on weekdays', '2026-11-23 09:00, 2026-11-23 09:45, 2026-11-23 10:30', 'every 45 minutes from 09:00 to 16:30, every weekday'],
  ['every 30 minutes on weekends', '2026-11-21 19:30, 2026-11-21 20:00, 2026-11-21 20:30', 'every 30 minutes, every Saturday and Sunday'],
  ['every 40 minutes on weekdays', '2026-11-23 00:00, 2026-11-23 00:40, 2026-11-23 01:20', 'every 40 minutes, every weekday'],
  // what cron cannot say
  ['every 40 minutes', '2026-11-21 19:40, 2026-11-21 20:20, 2026-11-21 21:00', 'every 40 minutes, evenly spaced'],
  ['every 45 minutes', '2026-11-21 19:45, 2026-11-21 20:30, 2026-11-21 21:15', 'every 45 minutes, evenly spaced'],
  ['every 5 hours', '2026-11-22 00:00, 2026-11-22 05:00, 2026-11-22 10:00', 'every 5 hours, evenly spaced'],
  ['every 90 minutes', '2026-11-21 20:30, 2026-11-21 22:00, 2026-11-21 23:30', 'every 90 minutes, evenly spaced'],
  ['every 36 hours', '2026-11-22 13:00, 2026-11-24 01:00, 2026-11-25 13:00', 'every 36 hours, evenly spaced'],
  ['every 90 minutes from 2026-11-25 09:00', '2026-11-25 09:00, 2026-11-25 10:30, 2026-11-25 12:00', 'every 90 minutes, counted from Wednesday 25 November 2026 at 09:00'],
  ['every other day at 9', '2026-11-23 09:00, 2026-11-25 09:00, 2026-11-27 09:00', 'every 2 days at 09:00'],
  ['every third day at 7', '2026-11-24 07:00, 2026-11-27 07:00, 2026-11-30 07:00', 'every 3 days at 07:00'],
  ['every 10 days', '2026-11-23 09:00, 2026-12-03 09:00, 2026-12-13 09:00', 'every 10 days at 09:00'],
  ['every 3 days from tomorrow at 9', '2026-11-22 09:00, 2026-11-25 09:00, 2026-11-28 09:00', 'every 3 days at 09:00, counted from Sunday 22 November 2026'],
  ['every 2 weeks', '2026-11-23 09:00, 2026-12-07 09:00, 2026-12-21 09:00', 'every 2 weeks on Monday at 09:00'],
  ['every two weeks on monday', '2026-11-23 09:00, 2026-12-07 09:00, 2026-12-21 09:00', 'every 2 weeks on Monday at 09:00'],
  ['every other friday at 16:00', '2026-11-27 16:00, 2026-12-11 16:00, 2026-12-25 16:00', 'every 2 weeks on Friday at 16:00'],
  ['every 2 weeks on monday and friday at 8', '2026-11-23 08:00, 2026-11-27 08:00, 2026-12-07 08:00', 'every 2 weeks on Monday at 08:00; and every 2 weeks on Friday at 08:00'],
  ['every 2 weeks from 2026-11-25', '2026-11-25 09:00, 2026-12-09 09:00, 2026-12-23 09:00', 'every 2 weeks on Wednesday at 09:00, counted from Wednesday 25 November 2026'],
  [
    'every 2 weeks on monday and friday from 2026-12-02',
    '2026-12-04 09:00, 2026-12-14 09:00, 2026-12-18 09:00',
    'every 2 weeks on Friday at 09:00, counted from Friday 4 December 2026; and every 2 weeks on Monday at 09:00, counted from Monday 14 December 2026',
  ],
  ['fortnightly', '2026-11-23 09:00, 2026-12-07 09:00, 2026-12-21 09:00', 'every 2 weeks on Monday at 09:00'],
  // days of the month
  ['first day of the month at noon', '2026-12-01 12:00, 2027-01-01 12:00, 2027-02-01 12:00', 'on the 1st of the month at 12:00'],
  ['last day of the month 18:00', '2026-11-30 18:00, 2026-12-31 18:00, 2027-01-31 18:00', 'on the last day of the month at 18:00'],
  ['on the 15th at 10', '2026-12-15 10:00, 2027-01-15 10:00, 2027-02-15 10:00', 'on the 15th of the month at 10:00'],
  ['on the 31st at 9', '2026-12-31 09:00, 2027-01-31 09:00, 2027-03-31 09:00', 'on the 31st of the month (in months that have it) at 09:00'],
  ['1st and 15th of every month at 8', '2026-12-01 08:00, 2026-12-15 08:00, 2027-01-01 08:00', 'on the 1st and 15th of the month at 08:00'],
  ['on the first and 15th at noon', '2026-12-01 12:00, 2026-12-15 12:00, 2027-01-01 12:00', 'on the 1st and 15th of the month at 12:00'],
  ['monthly', '2026-12-01 09:00, 2027-01-01 09:00, 2027-02-01 09:00', 'on the 1st of the month at 09:00'],
  ['every month on the last day at 18:00', '2026-11-30 18:00, 2026-12-31 18:00, 2027-01-31 18:00', 'on the last day of the month at 18:00'],
  ['first monday of the month at 9', '2026-12-07 09:00, 2027-01-04 09:00, 2027-02-01 09:00', 'on the first Monday of the month at 09:00'],
  ['last friday of every month at 4pm', '2026-11-27 16:00, 2026-12-25 16:00, 2027-01-29 16:00', 'on the last Friday of the month at 16:00'],
  ['second and fourth tuesday of the month at 3pm', '2026-11-24 15:00, 2026-12-08 15:00, 2026-12-22 15:00', 'on the second Tuesday and fourth Tuesday of the month at 15:00'],
  ['first weekday of the month', '2026-12-01 09:00, 2027-01-01 09:00, 2027-02-01 09:00', 'on the first weekday of the month at 09:00'],
  ['last weekday of the month at 16:00', '2026-11-30 16:00, 2026-12-31 16:00, 2027-01-29 16:00', 'on the last weekday of the month at 16:00'],
  // months and years
  ['last day every month at 18:00', '2026-11-30 18:00, 2026-12-31 18:00, 2027-01-31 18:00', 'on the last day of the month at 18:00'],
  ['once on friday at 14:00', '2026-11-27 14:00', 'once, on Friday 27 November 2026 at 14:00'],
  ['quarterly', '2027-01-01 09:00, 2027-04-01 09:00, 2027-07-01 09:00', 'on the 1st of January, April, July and October at 09:00'],
  ['every 3 months on the 15th', '2027-01-15 09:00, 2027-04-15 09:00, 2027-07-15 09:00', 'on the 15th of January, April, July and October at 09:00'],
  ['every january 1st at 00:01', '2027-01-01 00:01, 2028-01-01 00:01, 2029-01-01 00:01', 'every year on the 1st of January at 00:01'],
  ['yearly on 24 december at 18:00', '2026-12-24 18:00, 2027-12-24 18:00, 2028-12-24 18:00', 'every year on the 24th of December at 18:00'],
  ['every february 29', '2028-02-29 09:00, 2032-02-29 09:00, 2036-02-29 09:00', 'every year on the 29th of February at 09:00'],
  ['annually', '2027-01-01 09:00, 2028-01-01 09:00, 2029-01-01 09:00', 'every year on the 1st of January at 09:00'],
  // once
  ['in 20 minutes', '2026-11-21 19:25', 'once, on Saturday 21 November 2026 at 19:25:30'],
  ['in an hour', '2026-11-21 20:05', 'once, on Saturday 21 November 2026 at 20:05:30'],
  ['in half an hour', '2026-11-21 19:35', 'once, on Saturday 21 November 2026 at 19:35:30'],
  ['in 1 hour and 30 minutes', '2026-11-21 20:35', 'once, on Saturday 21 November 2026 at 20:35:30'],
  ['in 2 days', '2026-11-23 19:05', 'once, on Monday 23 November 2026 at 19:05:30'],
  ['in 2 days at 9', '2026-11-23 09:00', 'once, on Monday 23 November 2026 at 09:00'],
  ['in 3 months at 8:00', '2027-02-21 08:00', 'once, on Sunday 21 February 2027 at 08:00'],
  ['tomorrow 9am', '2026-11-22 09:00', 'once, on Sunday 22 November 2026 at 09:00'],
  ['tomorrow at 9 and 17:00', '2026-11-22 09:00, 2026-11-22 17:00', 'once, on Sunday 22 November 2026 at 09:00; and once, on Sunday 22 November 2026 at 17:00'],
  ['tomorrow at noon', '2026-11-22 12:00', 'once, on Sunday 22 November 2026 at 12:00'],
  ['tomorrow evening at 7', '2026-11-22 19:00', 'once, on Sunday 22 November 2026 at 19:00'],
  ['the day after tomorrow at 10', '2026-11-23 10:00', 'once, on Monday 23 November 2026 at 10:00'],
  ['today at 20:00', '2026-11-21 20:00', 'once, on Saturday 21 November 2026 at 20:00'],
  ['tonight at 8', '2026-11-21 20:00', 'once, on Saturday 21 November 2026 at 20:00'],
  ['next monday at 9', '2026-11-23 09:00', 'once, on Monday 23 November 2026 at 09:00'],
  ['next saturday at 9', '2026-11-28 09:00', 'once, on Saturday 28 November 2026 at 09:00'],
  ['on friday at 14:00', '2026-11-27 14:00', 'once, on Friday 27 November 2026 at 14:00'],
  ['saturday at 20:00', '2026-11-21 20:00', 'once, on Saturday 21 November 2026 at 20:00'],
  ['saturday at 18:00', '2026-11-28 18:00', 'once, on Saturday 28 November 2026 at 18:00'],
  ['on 24 december at 18:00', '2026-12-24 18:00', 'once, on Thursday 24 December 2026 at 18:00'],
  ['on january 2nd at 7', '2027-01-02 07:00', 'once, on Saturday 2 January 2027 at 07:00'],
  ['december 24, 2027 at 18:00', '2027-12-24 18:00', 'once, on Friday 24 December 2027 at 18:00'],
  ['2026-12-24 18:00', '2026-12-24 18:00', 'once, on Thursday 24 December 2026 at 18:00'],
  ['2026-12-24T18:00', '2026-12-24 18:00', 'once, on Thursday 24 December 2026 at 18:00'],
  ['2026-12-24T18:00:00Z', '2026-12-24 19:00', 'once, on Thursday 24 December 2026 at 19:00'],
  ['2026-12-24T18:00+05:30', '2026-12-24 13:30', 'once, on Thursday 24 December 2026 at 13:30'],
  // several
  ['daily at 9; mondays at 17:00', '2026-11-22 09:00, 2026-11-23 09:00, 2026-11-23 17:00', 'every day at 09:00; and every Monday at 17:00'],
];

describe('phrases', () => {
  test.each(PHRASES)('%s', (phrase, slots, words) => {
    const parsed = read(phrase);
    expect(nextSlots(parsed.schedule, now, 3).map(local).join(', ')).toBe(slots);
    expect(parsed.words).toBe(`${words} (${timezone})`);
  });

  test('what does not say "once" or a moment means the same whenever it is read', () => {
    const later = new Date('2027-03-03T03:03:03Z');
    const lasting = PHRASES.filter(([phrase]) => !phrase.includes('2026-') && !read(phrase).relative);
    expect(lasting.length).toBeGreaterThan(60);
    for (const [phrase] of lasting) {
      expect(parseSchedule(phrase, { timezone, now: later }).schedule, phrase).toEqual(read(phrase).schedule);
    }
    expect(read('tomorrow 9am').relative).toBe(true);
    expect(read('on friday at 14:00').relative).toBe(true);
    expect(read('on 24 december at 18:00').relative).toBe(true);
    expect(read('every 2 days from tomorrow').relative).toBe(true);
    expect(read('2026-12-24 18:00').relative).toBe(false);
    expect(read('daily at 9; in 20 minutes').relative).toBe(true);
  });

  test('an anchor decides where a count begins when the phrase does not', () => {
    const from = (phrase: string, iso: string) => {
      const anchor = new Date(iso);
      const { schedule, relative } = parseSchedule(phrase, { timezone, now: anchor, anchor });
      expect(relative).toBe(true);
      return nextSlots(schedule, anchor, 2).map(local).join(', ');
    };
    expect(from('every 45 minutes', '2026-11-21T18:05:30Z')).toBe('2026-11-21 19:50, 2026-11-21 20:35');
    expect(from('every 2 weeks on monday', '2026-11-25T10:00:00Z')).toBe('2026-11-30 09:00, 2026-12-14 09:00');
    expect(from('every 2 weeks on monday', '2026-11-30T10:00:00Z')).toBe('2026-12-07 09:00, 2026-12-21 09:00');
    expect(from('every other day at 9', '2026-11-25T07:00:00Z')).toBe('2026-11-25 09:00, 2026-11-27 09:00');
    expect(from('every other day at 9', '2026-11-25T09:00:00Z')).toBe('2026-11-26 09:00, 2026-11-28 09:00');
  });
});
