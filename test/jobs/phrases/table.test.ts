/** 500 phrases, each with the next times it means. */
import { describe, expect, test } from 'vitest';
import { nextSlots, parseSchedule } from '../../../src/jobs/schedule.ts';
import { FIRST, type Row } from './first.ts';

const NOW = new Date('2026-11-21T18:05:30Z');
const TIMEZONE = 'Europe/Berlin';

const casesOf = (rows: readonly Row[]) =>
  rows.flatMap(([slots, ...phrases]) => phrases.map((phrase) => ({ phrase, slots })));

function timesOf(phrase: string, now = NOW, timezone = TIMEZONE): string {
  const { schedule } = parseSchedule(phrase, { timezone, now });
  const local = (date: Date) => date.toLocaleString('sv', { timeZone: timezone }).slice(0, 16);
  return nextSlots(schedule, now, 3).map(local).join(', ');
}

describe('the first phrases', () => {
  test('are 250 different ones', () => {
    expect(new Set(casesOf(FIRST).map(({ phrase }) => phrase)).size).toBeGreaterThanOrEqual(250);
  });
  test.each(casesOf(FIRST))('$phrase', ({ phrase, slots }) => {
    expect(timesOf(phrase)).toBe(slots);
  });
});
