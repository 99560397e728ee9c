/** Reads a phrase form by form, part by part, and refuses what is unclear; see `grammar.ts` for the forms. */
import { UserError } from '../../../errors.ts';
import { distance, nearest } from '../../../lib/nearest.ts';
import { all, CLOCK, COMPILED, type Facts, FIGURES, MONTH, NTH, PARTS, RHYTHMS, WD } from './grammar.ts';
import { phraseError } from './refusal.ts';

/** A time of day, which a part of its own has. */
const HAS_TIME = new RegExp(`(?:at|@) ?\\d|${CLOCK}|${Object.keys(PARTS).join('|')}`, 'u');

/** What is read instead of words that many people try. */
const INSTEAD: Readonly<Record<string, string>> = {
  business: 'weekdays at 9" or "last weekday of the month at 16:00',
  except: 'weekdays at 9" or "monday to thursday and saturday at 9',
  quarter: 'quarterly on the 1st at 9" or "every hour at :15',
};

/** The documented forms, each valid in a file and in a chat: words, once, and cron. */
const EXAMPLE = 'every weekday at 9:00" or "2027-12-24 18:00" or "0 9 * * 1-5';
const WORDS = [
  ...all(`${WD} ${MONTH}`, '\\p{L}{3,}'),
  ...[...Object.keys(RHYTHMS), ...Object.keys(PARTS), ...NTH, ...FIGURES],
  ...'sunday monday tuesday wednesday thursday friday saturday weekday weekdays weekend'.split(' '),
  ...'january february march april june july august september october november december'.split(' '),
  ...'every each other minutes minute hours hour days weeks week months month year today tomorrow next'.split(' '),
  ...'noon midnight between starting from counted once twice times'.split(' '),
];

/**
 * Returns the facts once, or once for each part with its own days and times ("mondays 9am and fridays 5pm"). "9 on monday
 * and 10 on friday" must not become both hours on both days, so days and times that come a second time begin another.
 * @param phrase as it was written, for refusals
 * @param folded the same after `fold`, without a time zone
 * @throws {UserError} with what was not understood
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
    refuse: (reason, example) => phraseError(phrase, reason, example),
  }));
  return checked(parts, text);
}

/** The facts of one part, what its words were about in order, and whether it says "every" itself. */
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

/** Reads one form after the other. An "every" waits for the day or time it belongs to, which may begin another part. */
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
    if (isPending && (kind === 'every' || kind === 'rhythm'))
      throw facts.refuse('it has two rhythms', 'every day at 9');
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
      throw facts.refuse('it is unclear which of these days come again', 'every monday and every tuesday at 9');
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
  if (/(?:^|[ ,&])(?:and|every|each|on|[,&/])$/.test(text)) throw facts.refuse('it ends too early', EXAMPLE);
  if (isPending) throw facts.refuse('it does not say every what', 'every day at 9');
  return parts;
}

/** @throws {UserError} if it is unclear how the parts go together */
function checked(parts: readonly Part[], text: string): Facts[] {
  const facts = parts.at(-1)?.facts;
  if (facts === undefined) return [];
  if (/\b(?:on|the) (?:at|and|in|from|between)\b|\bthe (?:on|every|each)\b/.test(text))
    throw facts.refuse('a word is missing there', EXAMPLE);
  if (parts.length > 1 && parts.some(({ order }) => order.length < 2))
    throw facts.refuse('which time goes with which day is unclear', 'every monday at 9; every friday at 10');
  const first = parts.findIndex(({ hasEvery }) => hasEvery);
  const isUnclear = ({ repeats, weekdays, dates, months }: Facts) =>
    !repeats && weekdays.length + dates.length + months.length > 0;
  if (first >= 0 && parts.slice(first + 1).some((part) => isUnclear(part.facts)))
    throw facts.refuse(
      'whether all of it comes again is unclear',
      'every 24 december at 18:00 and every 25 december at 9:00',
    );
  const isEvery =
    parts.length > 1 && first < 0 && parts.some((part) => part.facts.repeats || part.facts.weekdays.length > 1);
  for (const part of parts) part.facts.repeats ||= isEvery && part.facts.weekdays.length > 0;
  return parts.map((part) => part.facts);
}

function unknown(facts: Facts, at: number): UserError {
  const all = facts.text.slice(at);
  const rest = all.replace(/^(?:(?:at|in|from|between|next|this|of|an?|every|each|other) )+(?=\S)/, '');
  const [word = ''] = /^(?:\p{L}+|[\d.,:/-]+|\S)/u.exec(rest) ?? [];
  if (/^(?:at|from|between|in)$/.test(rest)) return facts.refuse('it ends too early', EXAMPLE);
  if (/^bi[- ]?\p{L}+ly/u.test(rest))
    return facts.refuse('that has two meanings', 'every 2 weeks on monday" or "every monday and thursday at 9');
  if (/^\d+[./]\d/.test(rest))
    return facts.refuse('a time has a colon, a number no point, and a date has its year first', '2027-12-24 18:00');
  if (/^\d/.test(word))
    return facts.refuse(
      `it is unclear what ${word.slice(0, 40)} is: a time has "at", a colon, am or pm`,
      'every monday at 9',
    );
  const instead = INSTEAD[/\b(?:business|except|quarter)\b/.exec(all)?.[0] ?? ''];
  const near = instead || word.length < 4 || WORDS.includes(word) ? undefined : nearest(word, WORDS);
  const meant =
    near !== undefined && isMeant(facts, at + all.indexOf(word), word, near) ? `; did you mean "${near}"` : '';
  return facts.refuse(`"${word.slice(0, 40)}" is not understood there${meant}`, instead ?? EXAMPLE);
}

/** Returns whether a word is close enough to another, for its length, and the phrase can be read with that one. */
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
