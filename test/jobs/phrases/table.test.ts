/** Phrases of the documented forms, each with the next times it means, and what is left to the model. */
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../src/errors.ts';
import { nextSlots, parseSchedule } from '../../../src/features/jobs/schedule.ts';
import { CHANGES, ROWS, TRANSLATED } from './rows.ts';

const NOW = new Date('2026-11-21T18:05:30Z');
const TIMEZONE = 'Europe/Berlin';

function timesOf(phrase: string, now = NOW, timezone = TIMEZONE): string {
  const { schedule } = parseSchedule(phrase, { timezone, now });
  const local = (date: Date) => date.toLocaleString('sv', { timeZone: timezone }).slice(0, 16);
  return nextSlots(schedule, now, 3).map(local).join(', ');
}

function refusalOf(phrase: string): string {
  try {
    timesOf(phrase);
  } catch (error) {
    if (error instanceof UserError) return error.message;
  }
  return '';
}

describe('the phrases', () => {
  const cases = ROWS.flatMap(([slots, ...phrases]) => phrases.map((phrase) => ({ phrase, slots })));
  test('are 300 different ones', () => {
    expect(new Set(cases.map(({ phrase }) => phrase)).size).toBeGreaterThanOrEqual(300);
  });
  test.each(cases)('$phrase', ({ phrase, slots }) => {
    expect(timesOf(phrase)).toBe(slots);
  });
  const changes = CHANGES.flatMap(([zone, now, slots, ...phrases]) =>
    phrases.map((phrase) => ({ zone, now, slots, phrase })),
  );
  test.each(changes)('$phrase in $zone after $now', ({ zone, now, slots, phrase }) => {
    expect(timesOf(phrase, new Date(now), zone)).toBe(slots);
  });
  test.each(TRANSLATED)('%s is refused with forms that are read', (phrase) => {
    let message = '';
    try {
      timesOf(phrase);
    } catch (error) {
      if (error instanceof UserError) message = error.message;
    }
    const [, forms = ''] = /Say for example "(.*)"\.$/.exec(message) ?? [];
    expect(message).not.toBe('');
    for (const form of forms.split('" or "')) expect(() => timesOf(form), form).not.toThrow();
  });

  test.each([
    ['weekday nearest to the 99th at 9', 'no month has a day 99'],
    ['weekday nearest to the 0th at 9', 'no month has a day 0'],
    ['weekday nearest to the 32nd at 9', 'no month has a day 32'],
    ['every 1 january at 9 and 1 july at 10', 'unclear'],
    ['yearly on 24 december at 18:00 and 25 december at 9:00', 'unclear'],
    ['every monday at 9 and tuesday at 10', 'unclear'],
    ['monday and every tuesday at 9', 'unclear'],
    ['monday and every other tuesday at 9', 'unclear'],
    ['31st of february', 'there is no such day'],
    ['on the 31st of april at 9', 'there is no such day'],
    ['every 30th of february at 9', 'there is no such day'],
    ['every 30 minutes evenly spaced on monday', 'evenly spaced'],
    ['every 30 minutes evenly spaced in june', 'evenly spaced'],
    ['every 30 minutes evenly spaced at :15', 'evenly spaced'],
    ['every 30 minutes evenly spaced from 9:00 to 17:00', 'evenly spaced'],
    ['every every day', 'two rhythms'],
    ['hourly daily', 'two rhythms'],
    ['every day on the at 9', 'a word is missing'],
    ['every business day at 9', '"weekdays at 9"'],
    ['daily at 9 except on saturdays', '"weekdays at 9"'],
    ['every quarter', '"quarterly on the 1st at 9"'],
  ])('%s is refused: %s', (phrase, reason) => {
    expect(() => timesOf(phrase)).toThrow(UserError);
    expect(() => timesOf(phrase)).toThrow(reason);
    const [, forms = ''] = /Say for example "(.*)"\.$/.exec(refusalOf(phrase)) ?? [];
    for (const form of forms.split('" or "')) expect(() => timesOf(form), form).not.toThrow();
  });
  test.each([
    ['24 december at 9 and every monday at 10', 'once, cron'],
    ['monday at 9 and every tuesday at 10', 'once, cron'],
    ['monday at 9 and weekly on tuesday at 10', 'once, cron'],
    ['every 24 december at 18:00 and every 25 december at 19:00', 'cron, cron'],
    ['at 9 every monday and every thursday', 'cron'],
    ['24 december at 18:00, every year', 'cron'],
    ['weds at 9', 'once'],
  ])('%s: each part is %s', (phrase, kinds) => {
    const { schedule } = parseSchedule(phrase, { timezone: TIMEZONE, now: NOW });
    const parts = schedule.kind === 'any' ? schedule.of : [schedule];
    expect(parts.map(({ kind }) => kind).join(', ')).toBe(kinds);
  });
});
