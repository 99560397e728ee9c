/** What a schedule is told as is a schedule again, and the same one. */
import { describe, expect, test } from 'vitest';
import { formatSchedule, nextSlots, parseSchedule, type Schedule } from '../../../src/features/jobs/schedule.ts';
import { messagesIn } from '../../../src/messages/messages.ts';
import { CHANGES, ROWS } from './rows.ts';

const now = new Date('2026-11-21T18:05:30Z');
/** Now, and before the clocks change. */
const MOMENTS = [now, new Date('2027-03-26T12:00:00Z')];

const slotsOf = (schedule: Schedule) =>
  MOMENTS.map((moment) => nextSlots(schedule, moment, 4).map((slot) => slot.toISOString()));

const seen = new Set<string>();

function sameAgain(
  text: string,
  { timezone = 'Europe/Berlin', anchor }: { timezone?: string; anchor?: Date } = {},
): void {
  const parsed = parseSchedule(text, { timezone, now, anchor });
  // Many phrases mean the same.
  if (seen.has(parsed.words)) return;
  seen.add(parsed.words);
  // The words hold by themselves: they name their zone, and where they are counted from.
  const again = parseSchedule(parsed.words, { timezone: 'Asia/Tokyo', now, allowPast: true });
  expect(slotsOf(again.schedule), `${text} -> ${parsed.words}`).toEqual(slotsOf(parsed.schedule));
  const stored = parseSchedule(formatSchedule(parsed.schedule), { timezone: parsed.timezone, now, allowPast: true });
  expect(slotsOf(stored.schedule), `${text} -> ${formatSchedule(parsed.schedule)}`).toEqual(slotsOf(parsed.schedule));
}

const PHRASES = ROWS.flatMap(([, ...phrases]) => phrases);

function random(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

describe('the words for a schedule', () => {
  test('mean it, for each phrase of the tables', () => {
    for (const phrase of PHRASES) sameAgain(phrase);
    for (const [timezone, , , ...phrases] of CHANGES) for (const phrase of phrases) sameAgain(phrase, { timezone });
  });

  test('mean it where a count begins at the moment it is asked for', () => {
    const counts = [
      'every 45 minutes',
      'every 5 hours',
      'every other day at 9',
      'every 2 weeks on monday and friday at 8',
    ];
    for (const phrase of counts) sameAgain(phrase, { anchor: now });
    for (const phrase of counts) sameAgain(phrase);
  });

  test('mean it, for the one time of a reminder as it is shown', () => {
    const timezone = 'Europe/Berlin';
    for (const ahead of [60, 600, 1200, 2 * 1440, 5 * 1440 + 77, 40 * 1440, 400 * 1440]) {
      const at = new Date(Math.ceil(now.getTime() / 60_000) * 60_000 + ahead * 60_000);
      const shown = messagesIn('en').when(at, timezone, now);
      expect(parseSchedule(shown, { timezone, now }).schedule, shown).toEqual({ kind: 'once', at: at.toISOString() });
    }
  });

  test('mean it, for phrases put together at random', () => {
    const below = random(11);
    const one = (items: readonly string[]) => items[below(items.length)] ?? '';
    const time = () => one(['9:00', '17:30', '8am', '11:45pm', 'noon', '00:05', 'half past seven', '23:59']);
    const day = () => one(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']);
    const month = () => one(['january', 'march', 'june', 'october', 'december']);
    const shapes = [
      () => `every ${day()} at ${time()}`,
      () => `every ${day()}, ${day()} and ${day()} at ${time()} and ${time()}`,
      () => `every ${1 + below(90)} minutes`,
      () => `every ${1 + below(40)} hours`,
      () => `every ${1 + below(59)} minutes between ${below(10)}:00 and ${10 + below(14)}:00`,
      () => `every ${[10, 15, 20, 30][below(4)]} minutes between 8:00 and 18:00 on weekdays`,
      () => `every ${2 + below(6)} days at ${time()}`,
      () => `every ${2 + below(3)} weeks on ${day()} and ${day()} at ${time()}`,
      () => `on the ${1 + below(28)}th of the month at ${time()}`,
      () => `on the ${1 + below(28)}th and ${1 + below(28)}th of ${month()} at ${time()}`,
      () => `${one(['first', 'second', 'third', 'fourth', 'last'])} ${day()} of the month at ${time()}`,
      () => `first ${day()} of ${month()} and ${month()} at ${time()}`,
      () => `every day in ${month()} at ${time()}`,
      () => `last ${one(['day', 'weekday'])} of ${month()} at ${time()}`,
      () => `daily at ${time()}, ${time()} and ${time()}`,
      () => `hourly at :${10 + below(50)}`,
      () => `every ${[2, 3, 4, 6, 8, 12][below(6)]} hours starting at ${time()}`,
      () => `${day()}s at ${time()} and ${day()}s at ${time()}`,
      () => `in ${1 + below(500)} minutes`,
      () => `on ${1 + below(28)} ${month()} at ${time()}`,
    ];
    const zones = ['', '', ' UTC', ' New York time', ' Asia/Kathmandu'];
    let taken = 0;
    for (let round = 0; round < 400; round += 1) {
      const text = `${shapes[below(shapes.length)]?.()}${one(zones)}`;
      let isTaken = true;
      try {
        parseSchedule(text, { timezone: 'Europe/Berlin', now });
      } catch {
        isTaken = false;
      }
      if (!isTaken) continue;
      taken += 1;
      sameAgain(text);
    }
    expect(taken).toBeGreaterThan(320);
  });

  test('mean it, for cron patterns', () => {
    const below = random(3);
    const one = (items: readonly string[]) => items[below(items.length)] ?? '';
    for (let round = 0; round < 150; round += 1) {
      const minute = one(['0', '30', '*', '*/5', '*/7', '5,10', '0-30/10', String(below(60))]);
      const hour = one(['9', '*', '*/2', '8-18', '0,12', '*/5', '22,23', String(below(24))]);
      const dayOfMonth = one(['*', '*', '1', '15', 'L', 'LW', '1,15', '31', '15W', '10-20', '13']);
      const month = one(['*', '*', '1', '3,9', 'JAN-MAR', '*/3']);
      const dayOfWeek = one(['*', '*', '1-5', 'MON', '0,6', 'MON#1', 'FRI#L', '1#1,1#3', '2-4', '+FRI']);
      sameAgain(`${minute} ${hour} ${dayOfMonth} ${month} ${dayOfWeek}`);
    }
  });
});
