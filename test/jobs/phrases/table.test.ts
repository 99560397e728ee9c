/** 900 phrases, each with the next times it means. */
import { describe, expect, test } from 'vitest';
import { nextSlots, parseSchedule } from '../../../src/jobs/schedule.ts';
import { FIRST, type Row } from './first.ts';
import { CHANGES, SECOND } from './second.ts';
import { THIRD } from './third.ts';

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

describe('the other phrases', () => {
  test('are 250 more', () => {
    const first = new Set(casesOf(FIRST).map(({ phrase }) => phrase));
    const more = new Set([
      ...casesOf(SECOND).map(({ phrase }) => phrase),
      ...CHANGES.flatMap(([, , , ...phrases]) => phrases),
    ]);
    expect(more.difference(first).size).toBeGreaterThanOrEqual(250);
  });
  test.each(casesOf(SECOND))('$phrase', ({ phrase, slots }) => {
    expect(timesOf(phrase)).toBe(slots);
  });
  const changes = CHANGES.flatMap(([zone, now, slots, ...phrases]) =>
    phrases.map((phrase) => ({ zone, now, slots, phrase })),
  );
  test.each(changes)('$phrase in $zone after $now', ({ zone, now, slots, phrase }) => {
    expect(timesOf(phrase, new Date(now), zone)).toBe(slots);
  });
});

describe('further phrases', () => {
  test('are 250 more', () => {
    const before = new Set([...casesOf(FIRST), ...casesOf(SECOND)].map(({ phrase }) => phrase));
    expect(new Set(casesOf(THIRD).map(({ phrase }) => phrase)).difference(before).size).toBeGreaterThanOrEqual(250);
  });
  test.each(casesOf(THIRD))('$phrase', ({ phrase, slots }) => {
    expect(timesOf(phrase)).toBe(slots);
  });
});
