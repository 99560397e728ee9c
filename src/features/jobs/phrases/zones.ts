/** Finds the time zone in a phrase: "7pm UTC", "9 Berlin time", "(Europe/Berlin)", "in Europe/London". */
import { readZone } from '../../../lib/timezone.ts';
import { refusing } from './refusal.ts';

const MAX_NAMES = 4;
/** The first group of each is the name. If it has several words, it may include preceding ones. */
const NAMES = [
  /(?:\b(?:in|timezone|zone|tz) )?\(?\b([a-z]+(?:[_-][a-z0-9]+)*(?:\/[a-z0-9_+-]+){1,2})\)?(?![\p{L}\d])/gu,
  /\(?\b(utc|gmt)\b(?: time)?\)?/gu,
  /\(?((?:\p{L}+ ){0,2}\p{L}+) time\b\)?/gu,
];

/** @param text the output of `fold` */
export function takeZone(text: string): { text: string; zone?: string } {
  if (/\b(?:utc|gmt) ?[+-] ?\d/.test(text)) throw refusing(text)('utcDistance');
  for (const pattern of NAMES) {
    // A phrase has one zone, but hostile input could have hundreds of candidates.
    for (const { 0: whole, 1: name = '', index } of text.matchAll(pattern).take(MAX_NAMES)) {
      const words = name.split(' ');
      // The last words name the zone, as many of them as possible.
      for (let start = 0; start < words.length; start += 1) {
        const zone = readZone(words.slice(start).join(' '));
        if (zone === undefined) continue;
        const before = text.slice(0, index) + (whole.startsWith('(') ? '' : words.slice(0, start).join(' '));
        const rest = `${before.replace(/ in $/, ' ')} ${text.slice(index + whole.length)}`;
        return { text: rest.replace(/\s+/g, ' ').trim(), zone };
      }
    }
  }
  return { text };
}
