/** Finds the time zone in a phrase: "7pm UTC", "9 Berlin time", "(Europe/Berlin)", "in Europe/London". */
import { readZone } from '../../../lib/timezone.ts';
import { refusal } from './tokens.ts';

/** Zones that people call by a part of a country, including summer time. */
const WIDE = new Map([
  ['eastern', 'America/New_York'],
  ['central', 'America/Chicago'],
  ['mountain', 'America/Denver'],
  ['pacific', 'America/Los_Angeles'],
  ['et', 'America/New_York'],
  ['ct', 'America/Chicago'],
  ['mt', 'America/Denver'],
  ['pt', 'America/Los_Angeles'],
]);
const MAX_NAMES = 4;
/** The first group of each is the name; a name of several words may include preceding ones. */
const NAMES = [
  /(?:\b(?:in|timezone|zone|tz) )?\(?\b([a-z]+(?:[_-][a-z0-9]+)*(?:\/[a-z0-9_+-]+){1,2})\)?(?![\p{L}\d])/gu,
  /\(?\b(utc|gmt)\b(?: time)?\)?/gu,
  // "9am PT"; in "9am et 5pm" it joins two times.
  /(?<=\d ?[ap]\.?m\.? )\(?\b(eastern|central|mountain|pacific|et|ct|mt|pt)\b\)?(?! ?(?:time|\d|a |at ))/gu,
  /\(?((?:\p{L}+ ){0,2}\p{L}+) time\b\)?/gu,
];

/** @param text the output of `fold` */
export function takeZone(text: string): { text: string; zone?: string } {
  if (/\b(?:utc|gmt) ?[+-] ?\d/.test(text)) {
    const reason = 'a distance from UTC does not follow the clocks of a place';
    throw refusal(text, reason, 'daily at 9 Berlin time" or "daily at 9 UTC');
  }
  const plain = text.replace(/ ?\b(?:my|our|local) time\b/g, '');
  for (const pattern of NAMES) {
    // A phrase has one zone; hostile input could have hundreds of candidates.
    for (const { 0: whole, 1: name = '', index } of plain.matchAll(pattern).take(MAX_NAMES)) {
      const found = zoneAtEnd(name);
      if (!found) continue;
      const before = plain.slice(0, index) + (whole.startsWith('(') ? '' : found.before);
      const rest = `${before.replace(/ in $/, ' ')} ${plain.slice(index + whole.length)}`;
      return { text: rest.replace(/\s+/g, ' ').trim(), zone: found.zone };
    }
  }
  return { text: plain };
}

/** Returns the zone that the last words name, using as many of them as possible. */
function zoneAtEnd(name: string): { zone: string; before: string } | undefined {
  const words = name.split(' ');
  for (let start = 0; start < words.length; start += 1) {
    const wanted = words.slice(start).join(' ');
    const zone = WIDE.get(wanted) ?? readZone(wanted);
    if (zone !== undefined) return { zone, before: words.slice(0, start).join(' ') };
  }
  return undefined;
}
