/** What the variable TZ may hold: everything that Linux distributions, containers and people put there. */
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTimezone, readTz } from '../../src/lib/timezone.ts';
import { tempFolder } from '../helpers/temp.ts';

const MACHINE = '';

test.each([
  ...['', ' ', ':', ':/etc/localtime', '/etc/localtime', 'localtime'].map((tz) => [tz, MACHINE]),
  ...['Europe/Berlin', ':Europe/Berlin', 'europe/berlin', 'EUROPE/BERLIN', 'Berlin', 'berlin', ' Europe/Berlin\n'].map(
    (tz) => [tz, 'Europe/Berlin'],
  ),
  ['posix/Europe/Berlin', 'Europe/Berlin'],
  ['/usr/share/zoneinfo/Europe/Berlin', 'Europe/Berlin'],
  [':/usr/share/zoneinfo/right/Asia/Tokyo', 'Asia/Tokyo'],
  ['New York', 'America/New_York'],
  ['Kolkata', 'Asia/Calcutta'],
  ['München', 'Europe/Berlin'],
  ['Köln', 'Europe/Berlin'],
  ['Nueva York', 'America/New_York'],
  ['Ciudad de México', 'America/Mexico_City'],
  ['España', 'Europe/Madrid'],
  ['W-SU', 'Europe/Moscow'],
  ['utc', 'UTC'],
  ['UTC0', 'UTC'],
  ['Etc/GMT+3', 'Etc/GMT+3'],
  // The sign is that of POSIX: what is added to the local time.
  ['UTC+3', 'Etc/GMT+3'],
  ['UTC-3', 'Etc/GMT-3'],
  ['GMT-2', 'Etc/GMT-2'],
  ['<+03>-3', 'Etc/GMT-3'],
  ['JST-9', 'Etc/GMT-9'],
  ['IST-5:30', 'Asia/Calcutta'],
  ['CET-1CEST', 'Europe/Berlin'],
  ['CET-1CEST,M3.5.0,M10.5.0/3', 'Europe/Berlin'],
  ['EST5EDT', 'America/New_York'],
  ['EST5EDT,M3.2.0,M11.1.0', 'America/New_York'],
  ['NZST-12NZDT,M9.5.0,M4.1.0/3', 'Pacific/Auckland'],
  ['IST-2IDT,M3.4.4/26,M10.5.0', 'Asia/Jerusalem'],
  ['<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45', 'Pacific/Chatham'],
])('%j is %j', (tz, zone) => {
  expect(readTz(tz)).toBe(zone);
});

test.each([
  ...['Etc/Unknown', 'Mars/Olympus', 'nonsense', '+03:00', 'UTC+25', 'CET-1CEST,J60,300', 'XYZ-1ABC', 'UTC+5:17'],
  ...['/etc/passwd', '/nowhere/at/all', '../../etc/passwd', '/usr/share/zoneinfo/', '/dev/null', 'a\0b', 'undefined'],
])('%j names no zone', (tz) => {
  expect(readTz(tz)).toBeUndefined();
});

test('a copy of a file of zones goes by the rule at its end, and a link by what it leads to', () => {
  const folder = tempFolder();
  const copy = path.join(folder, 'copy');
  fs.writeFileSync(copy, `TZif2${'\0'.repeat(60)}\nEST5EDT,M3.2.0,M11.1.0\n`);
  expect(readTz(copy)).toBe('America/New_York');
  fs.mkdirSync(path.join(folder, 'zoneinfo', 'Asia'), { recursive: true });
  fs.writeFileSync(path.join(folder, 'zoneinfo', 'Asia', 'Tokyo'), 'TZif2');
  fs.symlinkSync(path.join(folder, 'zoneinfo', 'Asia', 'Tokyo'), path.join(folder, 'link'));
  expect(readTz(`:${path.join(folder, 'link')}`)).toBe('Asia/Tokyo');
});

test('whatever TZ holds, what comes of it is a zone, the machine’s, or nothing', () => {
  // biome-ignore format: a list is filled
  const parts = fc.constantFrom(
    'UTC', 'CET', '+', '-', '1', '12', ':30', 'CEST', ',', 'M3.5.0', 'M13.9.9', '/', '<', '>', 'Europe', ':', ' ',
  );
  const given = fc.oneof(
    fc.string(),
    fc.array(parts, { maxLength: 8 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(given, (tz) => {
      const zone = readTz(tz);
      expect(zone === undefined || zone === MACHINE || isTimezone(zone)).toBe(true);
    }),
  );
});
