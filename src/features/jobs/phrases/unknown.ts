/** Refuses a word that no part of a phrase can begin with, with the reason. */
import { DATE_FORMS } from './clock.ts';
import type { Reader } from './tokens.ts';
import { REFUSED } from './words.ts';

/** The documented forms, each valid in a file and in a chat: words, once, and cron. */
const EXAMPLE = 'every weekday at 9:00" or "2027-12-24 18:00" or "0 9 * * 1-5';

/** Returns whether there is a specific reason against the word. */
export const isRefused = (reader: Reader): boolean => REFUSED.has(reader.peek().text);

export function unknown(reader: Reader): never {
  const { text } = reader.peek();
  const known = REFUSED.get(text);
  if (known) throw reader.refuse(known.reason, known.example);
  if (reader.peek(1).text === 'time')
    throw reader.refuse(`"${text.slice(0, 40)}" is no place whose clock I know`, 'daily at 9 Berlin time');
  // "after lunch", "in a few minutes", "the end of the day"
  const after = ['after', 'before', 'a', 'an'].includes(text) ? REFUSED.get(reader.peek(1).text) : undefined;
  if (after) throw reader.refuse(after.reason, after.example);
  if (text === '') throw reader.refuse('it ends too early', EXAMPLE);
  if (reader.peek().kind === 'number') {
    const next = REFUSED.get(reader.peek(1).text);
    if (next) throw reader.refuse(next.reason, next.example);
    if (reader.peek(1).text === '/') throw reader.refuse(DATE_FORMS, '2027-12-24 18:00');
    throw reader.refuse(`it is unclear what ${text} is, a time has "at", a colon, am or pm`, 'every monday at 9');
  }
  throw reader.refuse(`"${text.slice(0, 40)}" is not understood there`, EXAMPLE);
}
