/** How often something comes, in the words of each language. */
import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../../src/features/jobs/schedule.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { scheduleText } from '../../src/messages/schedules.ts';
import { ROWS } from '../jobs/phrases/rows.ts';

const [english, german] = [messagesIn('en'), messagesIn('de')];
const now = new Date('2026-11-21T18:05:30Z');
const schedules = new Set(
  ROWS.flatMap(([, ...phrases]) => phrases).map(
    (phrase) => parseSchedule(phrase, { timezone: 'Europe/Berlin', now }).words,
  ),
);

describe('a schedule', () => {
  it.each<[told: string, german: string]>([
    ['every weekday at 09:00', 'jeden Werktag um 09:00'],
    ['every Monday and Thursday at 09:30 and 17:00', 'jeden Montag und Donnerstag um 09:30 und 17:00'],
    ['once, on Thursday 24 December 2026 at 18:00', 'einmal, am Donnerstag, 24. Dezember 2026 um 18:00'],
    ['every 2 weeks on Monday at 09:00', 'alle 2 Wochen am Montag um 09:00'],
    [
      'every week on Monday at 09:00, counted from Monday 14 December 2026',
      'jede Woche am Montag um 09:00, gezählt ab Montag, 14. Dezember 2026',
    ],
    ['every 2 days at 09:00', 'alle 2 Tage um 09:00'],
    ['every 4 hours from 00:00', 'alle 4 Stunden ab 00:00'],
    ['every 15 minutes from 09:00 to 17:00, every weekday', 'alle 15 Minuten von 09:00 bis 17:00, jeden Werktag'],
    ['every hour at :15 and :45', 'jede Stunde um :15 und :45'],
    ['every 90 minutes, evenly spaced', 'alle 90 Minuten in gleichem Abstand'],
    [
      'every 90 minutes, counted from Monday 23 November 2026 at 09:00',
      'alle 90 Minuten, gezählt ab Montag, 23. November 2026 um 09:00',
    ],
    ['on the 1st and 15th of the month at 09:00', 'am 1. und 15. jedes Monats um 09:00'],
    [
      'on the 31st of the month (in months that have it) at 09:00',
      'am 31. jedes Monats um 09:00 (in Monaten, die ihn haben)',
    ],
    ['on the last day of the month at 18:00', 'am letzten Tag jedes Monats um 18:00'],
    ['on the first weekday of the month at 09:00', 'am ersten Werktag jedes Monats um 09:00'],
    [
      'on the first Monday and third Monday of the month at 09:00',
      'am ersten Montag und dritten Montag jedes Monats um 09:00',
    ],
    ['on the 1st of January, April, July and October at 09:00', 'am 1. im Januar, April, Juli und Oktober um 09:00'],
    ['every year on the 25th of December at 09:00', 'jedes Jahr am 25. Dezember um 09:00'],
  ])('%s', (told, inGerman) => {
    expect(scheduleText(`${told} (Europe/Berlin)`, german)).toBe(`${inGerman} (Europe/Berlin)`);
    expect(scheduleText(told, english)).toBe(told);
  });

  it.each([...schedules])('of the tables is told in German, and in English as it was: %s', (told) => {
    expect(scheduleText(told, english)).toBe(told);
    expect(scheduleText(told, german)).not.toMatch(/\b(?:every|once|the|of|at|from|counted)\b|day\b/);
  });

  it.each([
    'by the cron pattern 7 3 * * * (UTC)',
    'on the weekday nearest to the 15th of the month at 09:00 (UTC)',
    'something else',
    '',
  ])('that has no other words stays as it is: %j', (told) => {
    expect(scheduleText(told, german)).toBe(told);
  });
});
