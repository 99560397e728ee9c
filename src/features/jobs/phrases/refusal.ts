/** Says that a phrase is no schedule, and why. */
import { UserError } from '../../../errors.ts';
import { say, type Wording } from '../../../messages/messages.ts';
import { foldPhrase } from './grammar.ts';

/** Reasons that are translated; all others are shown in English, or elsewhere as examples only. */
const TOLD: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^it says no time$/, 'noTime'],
  [/^it says two times$/, 'twoTimes'],
  [/^it does not say on which days$/, 'noDays'],
  [/^it has two rhythms$/, 'twoRhythms'],
  [/ is already past$/, 'past'],
  [/^that is more than (?:a|ten) years?/, 'tooFar'],
  [/^seconds are not supported$/, 'seconds'],
  [/^it is too long$/, 'tooLong'],
  [/^there is no such day$/, 'noDay'],
  [/^it leaves open which half of the day/, 'half'],
  [/ is not understood there\b/, 'word'],
];

/** Builds every refusal: the phrase, the reason and what to say instead. */
export function phraseError(phrase: string, reason: string, example: string): UserError {
  const text = phrase.length > 80 ? `${phrase.slice(0, 80)}...` : phrase;
  const read = /^"(.*)" is not understood/.exec(reason)?.[1] ?? '';
  // The phrase is read without accents.
  const word =
    phrase
      .toLowerCase()
      .match(/\p{L}+/gu)
      ?.find((each) => foldPhrase(each) === read) ?? read;
  const told = TOLD.find(([pattern]) => pattern.test(reason))?.[1] ?? 'other';
  // A phrase of one word is named already.
  const kind = told === 'word' && word === phrase.trim().toLowerCase() ? 'other' : told;
  const examples = example.split('" or "');
  const shown = examples
    .map<Wording | string>((each) => each)
    .reduce((before, next) => say('jobs.or', { before, next }));
  return new UserError(
    say('jobs.notUnderstood', { text, reason: reason.replace(`"${read}"`, `"${word}"`), word, example: shown, kind }),
  );
}
