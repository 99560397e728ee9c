/** Days and their times in pairs, with a word between or none. */
import { expect, it } from 'vitest';
import { parseSchedule } from '../../src/features/jobs/schedule.ts';

const now = new Date('2026-01-12T09:00:00Z');
const wordsOf = (text: string) => parseSchedule(text, { timezone: 'UTC', now, anchor: now }).words;

it.each([
  ['mondays 9am fridays 5pm', 'mondays 9am and fridays 5pm'],
  ['mondays at 9 fridays at 17:00', 'mondays 9am and fridays 5pm'],
  ['every monday 9am, every friday 5pm', 'mondays 9am and fridays 5pm'],
  ['weekdays 9am weekends 11am', 'weekdays 9am and weekends 11am'],
  ['every monday 9am every friday 5pm', 'mondays 9am and fridays 5pm'],
  ['9am mondays 5pm fridays', 'mondays 9am and fridays 5pm'],
  ['at 9 on mondays and at 17 on fridays', 'mondays 9am and fridays 5pm'],
  ['mon, tue 9am wed 5pm', 'mondays and tuesdays 9am and wednesdays 5pm'],
  ['mon 9am tue, wed 5pm', 'mondays 9am and tuesdays and wednesdays 5pm'],
  ['monday mornings and friday evenings', 'mondays 8am and fridays 6pm'],
  ['every monday morning and every friday evening', 'mondays 8am and fridays 6pm'],
])('%j is read as %j', (text, same) => {
  expect(wordsOf(text)).toBe(wordsOf(same));
});

it.each([
  'mondays 9am fridays',
  'mondays fridays 9am 5pm tuesdays',
  '9am mondays 5pm',
  'every monday morning and every friday',
])('%j is not guessed at', (text) => {
  expect(() => wordsOf(text)).toThrow();
});
