/** Schedules as people read them: in English as they are described, in German where there are words for them. */
import { expect, test } from 'vitest';
import { parseSchedule } from '../../src/jobs/schedule.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { scheduleText } from '../../src/messages/schedules.ts';

const now = new Date('2026-11-23T08:00:00Z');
const told = (text: string) => parseSchedule(text, { timezone: 'Europe/Berlin', now }).words;

test.each([
  ['every day at 9', 'jeden Tag um 09:00 (Europe/Berlin)'],
  ['every weekday at 8:30 and 17:00', 'jeden Werktag um 08:30 und 17:00 (Europe/Berlin)'],
  ['every monday, wednesday and friday at 9', 'jeden Montag, Mittwoch und Freitag um 09:00 (Europe/Berlin)'],
  ['0 9 1 * *', 'am 1. jedes Monats um 09:00 (Europe/Berlin)'],
  ['0 9 22 * *', 'am 22. jedes Monats um 09:00 (Europe/Berlin)'],
  ['every hour', 'jede Stunde (Europe/Berlin)'],
  ['*/15 * * * *', 'alle 15 Minuten (Europe/Berlin)'],
  ['every hour between 9:00 and 17:00', 'jede Stunde von 09:00 bis 17:00 (Europe/Berlin)'],
  ['0 9-17 * * 1-5', 'jede Stunde von 09:00 bis 17:00, jeden Werktag (Europe/Berlin)'],
  ['daily at 9; mondays at 17:00', 'jeden Tag um 09:00; und jeden Montag um 17:00 (Europe/Berlin)'],
])('%s', (text, german) => {
  expect(scheduleText(told(text), messagesIn('de'))).toBe(german);
  expect(scheduleText(told(text), messagesIn('en'))).toBe(told(text));
});

test.each(['last friday of the month at 16:00', 'yearly on 24 december at 18:00', '5 0-3 * 8 1', 'tomorrow at 9'])(
  '%s has no German words yet, and is told whole',
  (text) => {
    for (const language of ['de', 'en']) expect(scheduleText(told(text), messagesIn(language))).toBe(told(text));
  },
);
