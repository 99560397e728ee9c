/** Says that a phrase is no schedule, and why. */
import { UserError } from '../../../errors.ts';
import { say } from '../../../messages/messages.ts';

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
];

/** Builds every refusal: the phrase, the reason and what to say instead. */
export function phraseError(phrase: string, reason: string, example: string): UserError {
  const text = phrase.length > 80 ? `${phrase.slice(0, 80)}...` : phrase;
  const kind = TOLD.find(([pattern]) => pattern.test(reason))?.[1] ?? 'other';
  return new UserError(say('jobs.notUnderstood', { text, reason, example, kind }));
}
