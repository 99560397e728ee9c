/** Looks up time zones by their names, cities and common names. */
import fs from 'node:fs';
import { errorCode } from '../errors.ts';
import { createLru } from './lru.ts';
import { zoneOfPosix } from './posix-zone.ts';

/**
 * Zones that were asked about. Hundreds of jobs are mostly in the same one, and creating a format takes a tenth of a
 * turn's time.
 */
const valid = createLru<true>(100);

export function isTimezone(name: string): boolean {
  if (!name) return false;
  if (valid.has(name)) return true;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    valid.set(name, true);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

let system: { setting: string | undefined; name: string } | undefined;

/** Returns the machine's time zone; UTC if unknown. Cached: looking it up takes a tenth of a turn's time. */
export function systemTimezone(): string {
  const setting = process.env.TZ;
  if (system?.setting !== setting || !system) {
    const found = (setting !== undefined && readTz(setting)) || new Intl.DateTimeFormat().resolvedOptions().timeZone;
    system = { setting, name: isTimezone(found) ? found : 'UTC' };
  }
  return system.name;
}

/** Values of TZ that mean the machine's own zone. */
const MACHINE = /^:?(?:\/etc\/localtime|localtime|)$/;
const MAX_ZONE_FILE = 100_000;
const ZONES = /^.*\/zoneinfo\/(?:posix\/|right\/)?/;

/**
 * Returns the zone in the TZ variable: `Europe/Berlin`, a city, a zone file, a POSIX form. Returns '' for the machine's
 * own zone; undefined when it names none.
 */
export function readTz(setting: string): string | undefined {
  const given = setting.trim();
  if (MACHINE.test(given)) return '';
  const name = given.replace(/^:/, '');
  if (!name.startsWith('/')) return zoneOfPosix(name) ?? zoneOfName(name.replace(/^(?:posix|right)\//, ''));
  if (ZONES.test(name)) return zoneOfName(name.replace(ZONES, ''));
  return zoneOfFile(name);
}

/** Accepts names without a slash too: `EST`, `Japan`, `W-SU`. */
const zoneOfName = (name: string): string | undefined =>
  /^[A-Za-z]+(?:-[A-Za-z]+)*$/.test(name) && isTimezone(name) ? canonical(name) : readZone(name);

const canonical = (zone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone;

/** Finds the zone by the file's link target, else by the rule at the end of its contents. */
function zoneOfFile(file: string): string | undefined {
  try {
    const real = fs.realpathSync(file);
    if (real === fs.realpathSync('/etc/localtime')) return '';
    if (ZONES.test(real)) return zoneOfName(real.replace(ZONES, ''));
    const stat = fs.statSync(real);
    const bytes = stat.isFile() && stat.size <= MAX_ZONE_FILE ? fs.readFileSync(real, 'latin1') : '';
    return bytes.startsWith('TZif') ? zoneOfPosix(bytes.trimEnd().split('\n').at(-1) ?? '') : undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

const comparableZone = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[_\s-]+/g, ' ')
    .trim();

/** Places that no zone is named after, and names that people use. */
const OTHERS: Readonly<Record<string, string>> = {
  munich: 'Europe/Berlin',
  hamburg: 'Europe/Berlin',
  frankfurt: 'Europe/Berlin',
  cologne: 'Europe/Berlin',
  germany: 'Europe/Berlin',
  deutschland: 'Europe/Berlin',
  austria: 'Europe/Vienna',
  wien: 'Europe/Vienna',
  uk: 'Europe/London',
  england: 'Europe/London',
  france: 'Europe/Paris',
  spain: 'Europe/Madrid',
  italy: 'Europe/Rome',
  rom: 'Europe/Rome',
  milan: 'Europe/Rome',
  barcelona: 'Europe/Madrid',
  geneva: 'Europe/Zurich',
  basel: 'Europe/Zurich',
  switzerland: 'Europe/Zurich',
  kyiv: 'Europe/Kiev',
  'san francisco': 'America/Los_Angeles',
  seattle: 'America/Los_Angeles',
  california: 'America/Los_Angeles',
  boston: 'America/New_York',
  washington: 'America/New_York',
  miami: 'America/New_York',
  nyc: 'America/New_York',
  austin: 'America/Chicago',
  dallas: 'America/Chicago',
  houston: 'America/Chicago',
  texas: 'America/Chicago',
  mumbai: 'Asia/Kolkata',
  delhi: 'Asia/Kolkata',
  bangalore: 'Asia/Kolkata',
  india: 'Asia/Kolkata',
  beijing: 'Asia/Shanghai',
  china: 'Asia/Shanghai',
  japan: 'Asia/Tokyo',
  osaka: 'Asia/Tokyo',
  // Current names of cities where the system has an older one, and their German and Spanish names.
  kolkata: 'Asia/Kolkata',
  'ho chi minh': 'Asia/Ho_Chi_Minh',
  'ho chi minh city': 'Asia/Ho_Chi_Minh',
  kathmandu: 'Asia/Kathmandu',
  yangon: 'Asia/Yangon',
  nuuk: 'America/Nuuk',
  faroe: 'Atlantic/Faroe',
  munchen: 'Europe/Berlin',
  koln: 'Europe/Berlin',
  genf: 'Europe/Zurich',
  mailand: 'Europe/Rome',
  prag: 'Europe/Prague',
  warschau: 'Europe/Warsaw',
  lissabon: 'Europe/Lisbon',
  moskau: 'Europe/Moscow',
  athen: 'Europe/Athens',
  brussel: 'Europe/Brussels',
  kopenhagen: 'Europe/Copenhagen',
  bukarest: 'Europe/Bucharest',
  osterreich: 'Europe/Vienna',
  schweiz: 'Europe/Zurich',
  tokio: 'Asia/Tokyo',
  singapur: 'Asia/Singapore',
  londres: 'Europe/London',
  roma: 'Europe/Rome',
  viena: 'Europe/Vienna',
  colonia: 'Europe/Berlin',
  ginebra: 'Europe/Zurich',
  praga: 'Europe/Prague',
  varsovia: 'Europe/Warsaw',
  lisboa: 'Europe/Lisbon',
  moscu: 'Europe/Moscow',
  atenas: 'Europe/Athens',
  bruselas: 'Europe/Brussels',
  copenhague: 'Europe/Copenhagen',
  bucarest: 'Europe/Bucharest',
  estocolmo: 'Europe/Stockholm',
  pekin: 'Asia/Shanghai',
  seul: 'Asia/Seoul',
  'nueva york': 'America/New_York',
  'ciudad de mexico': 'America/Mexico_City',
  mexico: 'America/Mexico_City',
  guadalajara: 'America/Mexico_City',
  'la habana': 'America/Havana',
  medellin: 'America/Bogota',
  colombia: 'America/Bogota',
  quito: 'America/Guayaquil',
  peru: 'America/Lima',
  chile: 'America/Santiago',
  argentina: 'America/Argentina/Buenos_Aires',
  espana: 'Europe/Madrid',
  canarias: 'Atlantic/Canary',
  gmt: 'UTC',
  utc: 'UTC',
  z: 'UTC',
};

let cities: ReadonlyMap<string, string> | undefined;

/** Returns zones by the last part of their names; the first zone wins. Built on first use. */
function zoneOfCity(): ReadonlyMap<string, string> {
  const zones = cities ? [] : Intl.supportedValuesOf('timeZone');
  cities ??= new Map(zones.reverse().map((zone) => [comparableZone(zone.split('/').at(-1) ?? ''), zone]));
  return cities;
}

/**
 * Returns the zone that a name or city stands for: `Europe/Berlin`, `berlin`, `New York time`; undefined when there is
 * none.
 */
export function readZone(text: string): string | undefined {
  const given = text.trim().slice(0, 100);
  if (/^[A-Za-z]+(?:[_+-][A-Za-z0-9]+)*(?:\/[A-Za-z0-9_+-]+){1,2}$/.test(given) && isTimezone(given))
    return canonical(given);
  const wanted = comparableZone(given)
    .replace(/[.!]+$/, '')
    .replace(/^(?:the |la )?(?:time (?:in|of|zone) |hora (?:de|en) )?/, '')
    .replace(/ (?:time|zeit)$/, '');
  const other = Object.hasOwn(OTHERS, wanted) ? OTHERS[wanted] : undefined;
  if (other !== undefined) return canonical(other);
  return zoneOfCity().get(wanted);
}
