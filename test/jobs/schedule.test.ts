/** Slots of schedules: against a clock read minute by minute, through changes of the clocks, from any starting point. */
import { describe, expect, test } from 'vitest';
import {
  formatSchedule,
  isTimezone,
  latestSlot,
  nextSlot,
  nextSlots,
  parseSchedule,
  type Schedule,
  shortestGapMs,
  systemTimezone,
} from '../../src/features/jobs/schedule.ts';
import { ownTime } from '../helpers/own-time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const now = new Date('2026-01-01T00:00:00Z');

const read = (text: string, timezone = 'Europe/Berlin'): Schedule => parseSchedule(text, { timezone, now }).schedule;
const wall = (date: Date, timezone: string) => date.toLocaleString('sv', { timeZone: timezone }).slice(0, 16);

function between(schedule: Schedule, from: string | Date, until: string | Date): Date[] {
  const end = new Date(until);
  const slots: Date[] = [];
  for (let slot = nextSlot(schedule, new Date(from)); slot && slot <= end; slot = nextSlot(schedule, slot))
    slots.push(slot);
  return slots;
}

describe('cron', () => {
  const next = (pattern: string, n = 3) =>
    nextSlots(read(pattern, 'UTC'), now, n).map((slot) => slot.toISOString().slice(0, 16));

  test('names, ranges, steps, lists, L, W, #, ?, +', () => {
    expect(next('0 9 * * MON-FRI')).toEqual(['2026-01-01T09:00', '2026-01-02T09:00', '2026-01-05T09:00']);
    expect(next('0 9 * feb,MAR mon')).toEqual(['2026-02-02T09:00', '2026-02-09T09:00', '2026-02-16T09:00']);
    expect(next('10-50/20 9 * * *')).toEqual(['2026-01-01T09:10', '2026-01-01T09:30', '2026-01-01T09:50']);
    expect(next('0 9 L * ?')).toEqual(['2026-01-31T09:00', '2026-02-28T09:00', '2026-03-31T09:00']);
    expect(next('0 9 15W * *')).toEqual(['2026-01-15T09:00', '2026-02-16T09:00', '2026-03-16T09:00']);
    expect(next('0 9 LW * *')).toEqual(['2026-01-30T09:00', '2026-02-27T09:00', '2026-03-31T09:00']);
    expect(next('0 9 * * FRI#L')).toEqual(['2026-01-30T09:00', '2026-02-27T09:00', '2026-03-27T09:00']);
    expect(next('0 9 * * 1#2')).toEqual(['2026-01-12T09:00', '2026-02-09T09:00', '2026-03-09T09:00']);
    expect(next('0 9 * * 7')).toEqual(['2026-01-04T09:00', '2026-01-11T09:00', '2026-01-18T09:00']);
  });

  test('day of month or day of week, both with a plus', () => {
    expect(next('0 9 13 * FRI', 4)).toEqual([
      '2026-01-02T09:00',
      '2026-01-09T09:00',
      '2026-01-13T09:00',
      '2026-01-16T09:00',
    ]);
    expect(next('0 9 13 * +FRI')).toEqual(['2026-02-13T09:00', '2026-03-13T09:00', '2026-11-13T09:00']);
    expect(parseSchedule('0 9 13 * FRI', { timezone: 'UTC', now }).words).toBe(
      'on the 13th of the month and also every Friday at 09:00 (UTC)',
    );
  });

  test('nicknames', () => {
    expect(read('@hourly')).toEqual(read('0 * * * *'));
    expect(read('@DAILY')).toEqual(read('0 0 * * *'));
    expect(read('@midnight')).toEqual(read('0 0 * * *'));
    expect(read('@weekly')).toEqual(read('0 0 * * 0'));
    expect(read('@monthly')).toEqual(read('0 0 1 * *'));
    expect(read('@yearly')).toEqual(read('0 0 1 1 *'));
    expect(read('@annually')).toEqual(read('0 0 1 1 *'));
  });

  test('the words tell what runs', () => {
    const words = (text: string) => parseSchedule(text, { timezone: 'UTC', now }).words;
    expect(words('*/40 * * * *')).toBe('every hour at :00 and :40 (UTC)');
    expect(words('* * * * *')).toBe('every minute (UTC)');
    expect(words('*/15 9-17 * * 1-5')).toBe('every 15 minutes from 09:00 to 17:45, every weekday (UTC)');
    expect(words('0 9 29 2 *')).toBe('every year on the 29th of February at 09:00 (UTC)');
    expect(words('7,19,50 3,4,5,6,20 * * *')).toMatch(/^by the cron pattern 7,19,50 3,4,5,6,20 \* \* \*/);
  });

  test('rare and dense patterns are answered at once', () => {
    const rare = read('0 9 29 2 +MON');
    const start = ownTime();
    expect(nextSlot(rare, now)?.toISOString()).toBe('2044-02-29T08:00:00.000Z');
    expect(latestSlot(rare, new Date(0), now)?.toISOString()).toBe('2016-02-29T08:00:00.000Z');
    expect(latestSlot(read('* * * * *'), new Date(0), now)?.getTime()).toBe(now.getTime());
    expect(latestSlot(read('every 45 minutes'), new Date(0), new Date('2200-01-01T00:10:00Z'))).toBeDefined();
    expect(ownTime() - start).toBeLessThan(300);
  });
});

describe('changes of the clocks', () => {
  const zones = [
    { zone: 'Europe/Berlin', spring: '2026-03-29', autumn: '2026-10-25', at: '02:30', after: '03:00' },
    { zone: 'America/New_York', spring: '2026-03-08', autumn: '2026-11-01', at: '02:30', after: '03:00' },
    { zone: 'Australia/Lord_Howe', spring: '2026-10-04', autumn: '2026-04-05', at: '02:15', after: '02:30' },
    { zone: 'America/Santiago', spring: '2026-09-06', autumn: '2026-04-05', at: '00:30', after: '01:00' },
  ];
  const slotsOf = (text: string, zone: string) =>
    between(read(text, zone), '2026-01-02T00:00:00Z', '2026-12-31T00:00:00Z');

  test.each(zones)('$zone: a daily time comes once on each day', ({ zone, spring, at, after }) => {
    for (const text of [`daily at ${at}`, `daily at ${at} and 14:00`]) {
      const days = slotsOf(text, zone)
        .map((slot) => wall(slot, zone))
        .filter((slot) => !slot.endsWith('14:00'));
      expect(new Set(days.map((slot) => slot.slice(0, 10))).size).toBe(days.length);
      expect(days.length).toBeGreaterThanOrEqual(362);
      expect(days.filter((slot) => !slot.endsWith(at))).toEqual([`${spring} ${after}`]);
    }
  });

  test.each(zones)('$zone: every nth day keeps its local time', ({ zone, at }) => {
    const daily = slotsOf(`daily at ${at}`, zone);
    const [first] = daily;
    const local = wall(first ?? now, zone).slice(0, 10);
    const kept = slotsOf(`every 2 days at ${at} from ${local}`, zone);
    expect(kept).toEqual(daily.filter((_, index) => index % 2 === 0));
  });

  test.each(zones)(
    '$zone: an hourly one comes each real hour, an even one at even distance',
    ({ zone, spring, autumn }) => {
      const gaps = (text: string) => {
        const around = [spring, autumn].flatMap((day) => {
          const slots = between(
            read(text, zone),
            new Date(Date.parse(day) - 2 * DAY),
            new Date(Date.parse(day) + 3 * DAY),
          ).map(Number);
          return slots.slice(1).map((slot, index) => (slot - (slots[index] ?? 0)) / MINUTE);
        });
        return new Set(around);
      };
      // The clocks of Lord Howe are set by half an hour, so twice a year the next full hour is that much later.
      expect(gaps('hourly')).toEqual(zone === 'Australia/Lord_Howe' ? new Set([60, 90]) : new Set([60]));
      expect(gaps('every 45 minutes')).toEqual(new Set([45]));
    },
  );

  test('where the clocks stay, days have 24 hours', () => {
    const slots = slotsOf('daily at 02:30', 'Asia/Kolkata').map(Number);
    expect(new Set(slots.slice(1).map((slot, index) => slot - (slots[index] ?? 0)))).toEqual(new Set([DAY]));
  });

  test('a list of hours comes once, also where an hour comes twice', () => {
    const slots = nextSlots(read('30 2,14 * * *', 'Europe/Berlin'), new Date('2026-10-24T22:00:00Z'), 3);
    expect(slots.map((slot) => slot.toISOString())).toEqual(
      ['2026-10-25T00:30', '2026-10-25T13:30', '2026-10-26T01:30'].map((time) => `${time}:00.000Z`),
    );
  });

  test('one time that is left out or comes twice', () => {
    expect(read('2026-03-29 02:30')).toEqual({ kind: 'once', at: '2026-03-29T01:00:00.000Z' });
    expect(read('2026-10-25 02:30')).toEqual({ kind: 'once', at: '2026-10-25T00:30:00.000Z' });
  });
});

interface Wall {
  minute: number;
  hour: number;
  day: number;
  weekday: string;
}

/** By zone and time: the same minutes are looked at for each schedule. */
const walls = new Map<string, Wall>();

/** A schedule read minute by minute, with none of the code under test. */
function oracle(zone: string, matches: (wall: Wall) => boolean) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (from: number, until: number) => {
    const slots: number[] = [];
    for (let time = Math.floor(from / MINUTE) * MINUTE + MINUTE; time <= until; time += MINUTE) {
      let at = walls.get(`${zone} ${time}`);
      if (!at) {
        const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
        const { minute, hour, day, weekday = '' } = part;
        at = { minute: Number(minute), hour: Number(hour), day: Number(day), weekday };
        walls.set(`${zone} ${time}`, at);
      }
      if (matches(at)) slots.push(time);
    }
    return slots;
  };
}

test('slots are those of a clock read minute by minute', () => {
  // biome-ignore format: a row is a line
  const cases: [string, Parameters<typeof oracle>[1]][] = [
    ['*/20 * * * *', ({ minute }) => minute % 20 === 0],
    ['7 */3 * * *', ({ minute, hour }) => minute === 7 && hour % 3 === 0],
    ['every 15 minutes on weekdays', ({ minute, weekday }) => minute % 15 === 0 && !weekday.startsWith('S')],
    [
      'at 9:30 and 17:00 on mon, wed and the sun',
      ({ minute, hour, weekday }) => ['Mon', 'Wed', 'Sun'].includes(weekday) && ((hour === 9 && minute === 30) || (hour === 17 && minute === 0)),
    ],
    ['0 12 29 * SUN', ({ minute, hour, day, weekday }) => minute === 0 && hour === 12 && (day === 29 || weekday === 'Sun')],
  ];
  for (const zone of ['Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu']) {
    for (const [text, matches] of cases) {
      for (const day of ['2026-03-28', '2026-10-03', '2026-10-24', '2026-04-04']) {
        const from = Date.parse(`${day}T11:59:00Z`);
        const until = from + 2 * DAY;
        expect(
          between(read(text, zone), new Date(from), new Date(until)).map(Number),
          `${zone} ${text} ${day}`,
        ).toEqual(oracle(zone, matches)(from, until));
      }
    }
  }
});

/** A small generator, so that a failure can be repeated. */
function random(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const below = (n: number) => Math.floor(next() * n);
  return { below, of: <T>(items: readonly [T, ...T[]]): T => items[below(items.length)] ?? items[0] };
}

function randomSchedule({ below, of }: ReturnType<typeof random>): { text: string; zone: string } {
  const zone = of([
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
    'America/Santiago',
    'UTC',
    'Africa/Casablanca',
  ]);
  const time = () => `${below(24)}:${of(['00', '15', '30', '59'])}`;
  const texts: [string, ...string[]] = [
    `${below(60)} ${below(24)} * * *`,
    `${of(['*/5', '0,30', '*', '3-9'])} ${of(['*', '*/4', '1-3', '2'])} * * ${of(['*', '1-5', '0'])}`,
    `${below(60)} 2 ${1 + below(28)} * ${of(['*', 'SUN', '+SUN'])}`,
    `${below(60)} ${below(4)} * * ${of(['SUN#1', 'SUN#L', 'MON#2', 'SUN'])}`,
    `0 ${below(4)} ${of(['L', 'LW', '1W', '15W'])} * *`,
    `every ${7 + below(200)} minutes`,
    `every ${2 + below(70)} hours`,
    `every ${2 + below(30)} days at ${time()} and ${time()}`,
    `every ${2 + below(5)} weeks on sunday and tuesday at ${time()}`,
    `daily at ${time()}; sundays at ${time()}; every ${2 + below(9)} days at ${time()}`,
    `2026-0${1 + below(9)}-1${below(9)} 02:30`,
  ];
  return { text: of(texts), zone };
}

/** With PROPERTY_RUNS set, so many. */
const SEEDS = Number(process.env.PROPERTY_RUNS ?? 25);

test('forward, backward and from any point the slots are the same', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const chance = random(seed);
    const { text, zone } = randomSchedule(chance);
    const label = `seed ${seed}: ${text} in ${zone}`;
    const schedule = read(text, zone);
    const start =
      Date.parse(
        chance.of(['2026-03-06', '2026-03-27', '2026-04-03', '2026-10-02', '2026-10-23', '2026-10-30', '2026-09-04']),
      ) + chance.below(DAY);
    // A pattern of minutes has its say within the day of the change, one of days within two months.
    const isDense = shortestGapMs(schedule, new Date(start)) < HOUR;
    const end = start + chance.of(isDense ? [DAY, 2 * DAY] : [4 * DAY, 60 * DAY]);
    const slots = between(schedule, new Date(start), new Date(end)).map(Number);

    expect(slots, label).toEqual([...new Set(slots)].sort((a, b) => a - b));
    for (let probe = 0; probe < 12; probe += 1) {
      const point =
        probe < 4 && slots.length > 0
          ? (slots[chance.below(slots.length)] ?? start) + chance.of([-1, 0, 1, 999])
          : start + chance.below(end - start);
      if (point < start || point > end) continue;
      expect(nextSlot(schedule, new Date(point))?.getTime(), `${label}: after ${point}`).toBe(
        slots.find((slot) => slot > point) ?? nextSlot(schedule, new Date(end))?.getTime(),
      );
      const earlier = slots.findLast((slot) => slot <= point);
      expect(latestSlot(schedule, new Date(start), new Date(point))?.getTime(), `${label}: up to ${point}`).toBe(
        earlier,
      );
      if (earlier !== undefined)
        expect(latestSlot(schedule, new Date(earlier), new Date(point)), label).toBeUndefined();
    }
  }
});

test('a schedule as text is the same schedule, whenever it is read', () => {
  const later = new Date('2026-06-06T06:06:06Z');
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { text, zone } = randomSchedule(random(seed));
    for (const anchor of [undefined, new Date('2026-01-07T13:14:15Z')]) {
      const { schedule } = parseSchedule(text, { timezone: zone, now, anchor });
      const written = formatSchedule(schedule);
      if (schedule.kind === 'once' && new Date(schedule.at) <= later) continue;
      const again = parseSchedule(written, { timezone: zone, now: later });
      expect(again.relative, written).toBe(false);
      expect(nextSlots(again.schedule, later, 5), `${text} -> ${written}`).toEqual(nextSlots(schedule, later, 5));
    }
  }
});

test('the end of a schedule', () => {
  const once: Schedule = { kind: 'once', at: '2026-12-24T17:00:00.000Z' };
  expect(nextSlot(once, now)).toEqual(new Date(once.at));
  expect(nextSlot(once, new Date(once.at))).toBeUndefined();
  expect(latestSlot(once, now, new Date(once.at))).toEqual(new Date(once.at));
  expect(latestSlot(once, new Date(once.at), new Date('2030-01-01'))).toBeUndefined();
  expect(nextSlots(once, now, 3)).toHaveLength(1);
  expect(nextSlot({ kind: 'any', of: [once] }, new Date('2030-01-01'))).toBeUndefined();
  expect(nextSlots(read('daily at 9'), now, 0)).toEqual([]);
});

test('the shortest distance between two slots', () => {
  const gap = (text: string, zone = 'UTC') => shortestGapMs(read(text, zone), now) / MINUTE;
  expect(gap('* * * * *')).toBe(1);
  expect(gap('*/5 * * * *')).toBe(5);
  expect(gap('*/40 * * * *')).toBe(20);
  expect(gap('every 45 minutes')).toBe(45);
  expect(gap('0,3 9 * * *')).toBe(3);
  expect(gap('59 23 * * *; 1 0 1 * *')).toBe(2);
  expect(gap('*/10 * * * *; 4 0 15 6 *')).toBe(4);
  expect(gap('daily at 9')).toBe(24 * 60);
  // In the night in which the clocks go forward.
  expect(gap('daily at 9', 'Europe/Berlin')).toBe(23 * 60);
  expect(gap('daily at 2:30 and 3:02', 'Europe/Berlin')).toBe(2);
  expect(gap('every 2 days at 9', 'Europe/Berlin')).toBe(47 * 60);
  expect(gap('2026-12-24 18:00')).toBe(Number.POSITIVE_INFINITY);
  expect(gap('2026-12-24 18:00; 2026-12-24 18:04')).toBe(4);
});

test('time zones', () => {
  expect(['Europe/Berlin', 'UTC', 'Asia/Kolkata', systemTimezone()].map(isTimezone)).toEqual([true, true, true, true]);
  expect(['', 'Mars/Olympus', '__proto__', 'Europe/Berlin; rm'].map(isTimezone)).toEqual([false, false, false, false]);
});

test('where the gap of spring ends the day, a time in it comes with the next', () => {
  const zone = 'America/Nuuk';
  const first = (text: string) =>
    nextSlots(read(text, zone), new Date('2026-03-26T12:00:00Z'), 2).map((slot) => wall(slot, zone));
  expect(first('2026-03-28 23:30')).toEqual(['2026-03-29 00:00']);
  expect(first('every 2 days at 23:30 from 2026-03-28')).toEqual(['2026-03-29 00:00', '2026-03-30 23:30']);
  const schedule = read('every 2 days at 23:30 from 2026-03-28', zone);
  const latest = latestSlot(schedule, new Date('2026-03-26T12:00:00Z'), new Date('2026-03-30T12:00:00Z'));
  expect(latest && wall(latest, zone)).toBe('2026-03-29 00:00');
  // A zone may leave out a whole day.
  expect(() => parseSchedule('2011-12-30 09:00', { timezone: 'Pacific/Apia', now: new Date('2011-12-01') })).toThrow(
    'there is no such day',
  );
});

test('the shortest distance is found in a moment, however many parts there are', () => {
  const times = Array.from({ length: 26 }, (_, n) => n * 36).map(
    (at) => `${at % 60} ${Math.floor(at / 60) % 24} * * *`,
  );
  const start = ownTime();
  expect(shortestGapMs(read(times.join('; '), 'Europe/Berlin'), now) / MINUTE).toBe(12);
  expect(ownTime() - start).toBeLessThan(4_000);
});

test('3,000 slots take a moment', () => {
  const took = (text: string) => {
    const schedule = read(text);
    const start = ownTime();
    let slot: Date | undefined = now;
    for (let count = 0; count < 3_000 && slot; count += 1) slot = nextSlot(schedule, slot);
    return ownTime() - start;
  };
  // Bounds are wide: they show a wrong order of growth, not a slow machine.
  for (const text of ['every weekday at 9', 'every 45 minutes', 'every 2 days at 9'])
    expect(took(text), text).toBeLessThan(3000);
});
