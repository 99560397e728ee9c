/** Reads a phrase form by form, part by part, and refuses what is unclear. `grammar.ts` has the forms. */
import { UserError } from '../../../errors.ts';
import { distance, nearest } from '../../../lib/nearest.ts';
import { say } from '../../../messages/messages.ts';
import type { Facts } from './facts.ts';
import { COMPILED } from './grammar.ts';
import { asWritten, refusedPhrase, refusing } from './refusal.ts';
import { all, CLOCK, FIGURES, MONTH, NTH, PARTS, RHYTHMS, WD } from './words.ts';

/** Matches a time of day, which a separate part needs. */
const HAS_TIME = new RegExp(`(?:at|@) ?\\d|${CLOCK}|${Object.keys(PARTS).join('|')}`, 'u');

/** Suggests phrases in place of words that many people try. */
const INSTEAD: Readonly<Record<string, readonly string[]>> = {
  business: ['weekdays at 9', 'last weekday of the month at 16:00'],
  except: ['weekdays at 9', 'monday to thursday and saturday at 9'],
  quarter: ['quarterly on the 1st at 9', 'every hour at :15'],
};

const WORDS = [
  ...all(`${WD} ${MONTH}`, '\\p{L}{3,}'),
  ...[...Object.keys(RHYTHMS), ...Object.keys(PARTS), ...NTH, ...FIGURES],
  ...'sunday monday tuesday wednesday thursday friday saturday weekday weekdays weekend'.split(' '),
  ...'january february march april june july august september october november december'.split(' '),
  ...'every each other minutes minute hours hour days weeks week months month year today tomorrow next'.split(' '),
  ...'noon midnight between starting from counted once twice times'.split(' '),
];

/**
 * Returns the facts once, or once for each part with its own days and times ("mondays 9am and fridays 5pm"). "9 on
 * monday and 10 on friday" must not become both hours on both days, so a second group of days and times begins another
 * part.
 * @param phrase as written, for refusals
 * @param folded the phrase after `fold`, without a time zone
 * @throws {UserError} with the words that were not understood
 */
export function readFacts(
  phrase: string,
  folded: string,
  { now, timezone }: { now: number; timezone: string },
): Facts[] {
  const text = folded
    .replace(/(?<=\d ?)([ap])\.m\b\.?/g, '$1m')
    .replace(/\bhalf (?:an )?hour\b/g, '30 minutes')
    .replace(/\beveryday\b/g, 'every day')
    .replace(new RegExp(`\\b(?:${FIGURES.join('|')})\\b`, 'g'), (word) => String(FIGURES.indexOf(word) + 1));
  const parts = readParts(text, () => ({
    ...nothingSaid(),
    text,
    now,
    timezone,
    phrase,
    refuse: refusing(phrase),
  }));
  return checked(parts, text);
}

/** The facts of one part, the order of its kinds of words, and whether it contains "every" itself. */
interface Part {
  facts: Facts;
  order: string[];
  hasEvery: boolean;
}

const nothingSaid = () => ({
  repeats: false,
  isOnce: false,
  needsMonth: false,
  ofMonth: false,
  isYearly: false,
  isEven: false,
  relative: false,
  weekdays: [],
  monthDays: [],
  nth: [],
  months: [],
  dates: [],
  times: [],
  marks: [],
  window: [],
});

/** Reads one form after the other. An "every" belongs to the next day or time, which may begin another part. */
function readParts(text: string, begin: () => Facts): Part[] {
  let facts = begin();
  const parts: Part[] = [{ facts, order: [], hasEvery: false }];
  let isPending = false;
  for (let at = 0; at < text.length; ) {
    const form = COMPILED.find(({ pattern }) => {
      pattern.lastIndex = at;
      return pattern.test(text);
    });
    if (!form) throw unknown(facts, at);
    form.pattern.lastIndex = at;
    const found = form.pattern.exec(text) ?? [''];
    const { kind } = form;
    let part = parts.at(-1) ?? { facts, order: [], hasEvery: false };
    if (isPending && (kind === 'every' || kind === 'rhythm')) throw facts.refuse('twoRhythms');
    const isNext =
      kind === 'rhythm'
        ? part.order.length > 1 && /(?:[,&]|and) ?$/.test(text.slice(0, at)) && HAS_TIME.test(text.slice(at))
        : kind !== undefined && part.order.at(-1) !== kind && part.order.includes(kind);
    if (isNext) {
      facts = begin();
      part = { facts, order: [], hasEvery: false };
      parts.push(part);
    }
    const isOwn = kind === 'rhythm' || (kind === 'day' && /^(?:every|each) /.test(found[0]));
    if (kind === 'day' && (isPending || isOwn) && part.order.includes('day') && !facts.repeats && !facts.joins)
      throw facts.refuse('again');
    if (kind === 'day' || kind === 'time') {
      facts.repeats ||= isPending;
      part.hasEvery ||= isPending;
      isPending = false;
      if (part.order.at(-1) !== kind) part.order.push(kind);
    }
    part.hasEvery ||= isOwn;
    isPending ||= kind === 'every';
    form.take(facts, found, at);
    at += found[0].length;
  }
  if (/(?:^|[ ,&])(?:and|every|each|on|[,&/])$/.test(text)) throw facts.refuse('endsEarly');
  if (isPending) throw facts.refuse('everyWhat');
  return parts;
}

/** @throws {UserError} if it is unclear how the parts are combined */
function checked(parts: readonly Part[], text: string): Facts[] {
  const facts = parts.at(-1)?.facts;
  if (facts === undefined) return [];
  if (/\b(?:on|the) (?:at|and|in|from|between)\b|\bthe (?:on|every|each)\b/.test(text))
    throw facts.refuse('missingWord');
  if (parts.length > 1 && parts.some(({ order }) => order.length < 2)) throw facts.refuse('pairs');
  const first = parts.findIndex(({ hasEvery }) => hasEvery);
  const isUnclear = ({ repeats, weekdays, dates, months }: Facts) =>
    !repeats && weekdays.length + dates.length + months.length > 0;
  if (first >= 0 && parts.slice(first + 1).some((part) => isUnclear(part.facts))) throw facts.refuse('again');
  const isEvery =
    parts.length > 1 && first < 0 && parts.some((part) => part.facts.repeats || part.facts.weekdays.length > 1);
  for (const part of parts) part.facts.repeats ||= isEvery && part.facts.weekdays.length > 0;
  return parts.map((part) => part.facts);
}

function unknown(facts: Facts, at: number): UserError {
  const all = facts.text.slice(at);
  const rest = all.replace(/^(?:(?:at|in|from|between|next|this|of|an?|every|each|other) )+(?=\S)/, '');
  const [word = ''] = /^(?:\p{L}+|[\d.,:/-]+|\S)/u.exec(rest) ?? [];
  if (/^(?:at|from|between|in)$/.test(rest)) return facts.refuse('endsEarly');
  if (/^bi[- ]?\p{L}+ly/u.test(rest)) return facts.refuse('twoMeanings');
  if (/^\d+[./]\d/.test(rest)) return facts.refuse('points');
  if (/^\d/.test(word)) return facts.refuse('whatIs', { word: word.slice(0, 40) });
  const shown = asWritten(facts.phrase, word.slice(0, 40));
  const instead = INSTEAD[/\b(?:business|except|quarter)\b/.exec(all)?.[0] ?? ''];
  if (instead) return refusedPhrase(facts.phrase, say('schedules.word', { word: shown }), instead);
  const near = word.length < 4 || WORDS.includes(word) ? undefined : nearest(word, WORDS);
  return near !== undefined && isMeant(facts, at + all.indexOf(word), word, near)
    ? facts.refuse('wordNear', { word: shown, near })
    : facts.refuse('word', { word: shown });
}

/** Returns whether a word is similar enough to another, for its length, and the phrase can be read with that one. */
function isMeant({ text, now, timezone }: Facts, at: number, word: string, near: string): boolean {
  if (distance(word, near) > (word.length < 6 ? 1 : 2)) return false;
  try {
    const corrected = `${text.slice(0, at)}${near}${text.slice(at + word.length)}`;
    return readFacts(corrected, corrected, { now, timezone }).length > 0;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return false;
  }
}
