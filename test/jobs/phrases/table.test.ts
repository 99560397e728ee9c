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
});
