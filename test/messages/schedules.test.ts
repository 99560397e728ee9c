/** How often something comes, in the words of each language. */
import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../../src/features/jobs/schedule.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { scheduleText } from '../../src/messages/schedules.ts';
import { ROWS } from '../jobs/phrases/rows.ts';

const [english, german, spanish] = [messagesIn('en'), messagesIn('de'), messagesIn('es')];
const now = new Date('2026-11-21T18:05:30Z');
const schedules = new Set(
  ROWS.flatMap(([, ...phrases]) => phrases).map(
    (phrase) => parseSchedule(phrase, { timezone: 'Europe/Berlin', now }).words,
  ),
);

describe('a schedule', () => {
  it.each<[told: string, german: string]>(
    // biome-ignore format: a row is a line
    [
      ['every weekday at 09:00', 'jeden Werktag um 09:00'],
      ['every Monday and Thursday at 09:30 and 17:00', 'jeden Montag und Donnerstag um 09:30 und 17:00'],
      ['once, on Thursday 24 December 2026 at 18:00', 'einmal, am Donnerstag, 24. Dezember 2026 um 18:00'],
      ['every 2 weeks on Monday at 09:00', 'alle 2 Wochen am Montag um 09:00'],
      ['every week on Monday at 09:00, counted from Monday 14 December 2026', 'jede Woche am Montag um 09:00, gezählt ab Montag, 14. Dezember 2026'],
      ['every 2 days at 09:00', 'alle 2 Tage um 09:00'],
      ['every 4 hours from 00:00', 'alle 4 Stunden ab 00:00'],
      ['every 15 minutes from 09:00 to 17:00, every weekday', 'alle 15 Minuten von 09:00 bis 17:00, jeden Werktag'],
      ['every hour at :15 and :45', 'jede Stunde um :15 und :45'],
      ['every 90 minutes, evenly spaced', 'alle 90 Minuten in gleichem Abstand'],
      ['every 90 minutes, counted from Monday 23 November 2026 at 09:00', 'alle 90 Minuten, gezählt ab Montag, 23. November 2026 um 09:00'],
      ['on the 1st and 15th of the month at 09:00', 'am 1. und 15. jedes Monats um 09:00'],
      ['on the 31st of the month (in months that have it) at 09:00', 'am 31. jedes Monats um 09:00 (in Monaten, die ihn haben)'],
      ['on the last day of the month at 18:00', 'am letzten Tag jedes Monats um 18:00'],
      ['on the first weekday of the month at 09:00', 'am ersten Werktag jedes Monats um 09:00'],
      ['on the first Monday and third Monday of the month at 09:00', 'am ersten Montag und dritten Montag jedes Monats um 09:00'],
      ['on the 1st of January, April, July and October at 09:00', 'am 1. im Januar, April, Juli und Oktober um 09:00'],
      ['every year on the 25th of December at 09:00', 'jedes Jahr am 25. Dezember um 09:00'],
    ],
  )('%s', (told, inGerman) => {
    expect(scheduleText(`${told} (Europe/Berlin)`, german)).toBe(`${inGerman} (Europe/Berlin)`);
    expect(scheduleText(told, english)).toBe(told);
  });

  it.each<[told: string, spanish: string]>(
    // biome-ignore format: a row is a line
    [
      ['every Monday at 09:00', 'cada lunes a las 09:00'],
      ['every weekday at 09:00', 'de lunes a viernes a las 09:00'],
      ['every Monday and Thursday at 09:30 and 17:00', 'cada lunes y jueves a las 09:30 y 17:00'],
      ['once, on Thursday 24 December 2026 at 18:00', 'una vez, el jueves, 24 de diciembre de 2026 a las 18:00'],
      ['every 2 weeks on Monday at 09:00', 'cada 2 semanas, el lunes a las 09:00'],
      ['every week on Monday at 09:00, counted from Monday 14 December 2026', 'cada semana, el lunes a las 09:00, a contar desde el lunes, 14 de diciembre de 2026'],
      ['every 4 hours from 00:00', 'cada 4 horas desde las 00:00'],
      ['every 15 minutes from 09:00 to 17:00, every weekday', 'cada 15 minutos de 09:00 a 17:00, de lunes a viernes'],
      ['every hour at :15 and :45', 'cada hora, en los minutos :15 y :45'],
      ['every 90 minutes, evenly spaced', 'cada 90 minutos, a intervalos iguales'],
      ['on the 1st and 15th of the month at 09:00', 'el 1 y 15 de cada mes a las 09:00'],
      ['on the 31st of the month (in months that have it) at 09:00', 'el 31 de cada mes a las 09:00 (en los meses que lo tienen)'],
      ['on the last day of the month at 18:00', 'el último día de cada mes a las 18:00'],
      ['on the first weekday of the month at 09:00', 'el primer día laborable de cada mes a las 09:00'],
      ['on the first Monday and third Monday of the month at 09:00', 'el primer lunes y tercer lunes de cada mes a las 09:00'],
      ['every year on the 25th of December at 09:00', 'cada año, el 25 de diciembre a las 09:00'],
    ],
  )('in Spanish: %s', (told, inSpanish) => {
    expect(scheduleText(`${told} (Europe/Madrid)`, spanish)).toBe(`${inSpanish} (Europe/Madrid)`);
  });

  it.each([...schedules])('of the tables is told in German and Spanish, and in English as it was: %s', (told) => {
    expect(scheduleText(told, english)).toBe(told);
    for (const other of [german, spanish])
      expect(scheduleText(told, other)).not.toMatch(/\b(?:every|once|the|of|at|from|counted)\b|day\b/);
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
