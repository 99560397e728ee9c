/** Days and their times in pairs, with a word between or none. */
import { expect, it } from 'vitest';
import { parseSchedule } from '../../src/jobs/schedule.ts';

const now = new Date('2026-01-12T09:00:00Z');
const wordsOf = (text: string) => parseSchedule(text, { timezone: 'UTC', now, anchor: now }).words;

it.each([
  ['mondays 9am fridays 5pm', 'mondays 9am and fridays 5pm'],
  ['mondays at 9 fridays at 17:00', 'mondays 9am and fridays 5pm'],
  ['every monday 9am, every friday 5pm', 'mondays 9am and fridays 5pm'],
  ['weekdays 9am weekends 11am', 'weekdays 9am and weekends 11am'],
])('%j is read as %j', (text, same) => {
  expect(wordsOf(text)).toBe(wordsOf(same));
});

it.each(['mondays 9am fridays', 'mondays fridays 9am 5pm tuesdays'])('%j is not guessed at', (text) => {
  expect(() => wordsOf(text)).toThrow();
});
