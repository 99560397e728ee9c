/** Refuses a phrase: says why it isn't a schedule, and suggests phrases that are. */
import { UserError } from '../../../errors.ts';
import { type GivenValues, say, type Wording } from '../../../messages/messages.ts';
import { foldPhrase } from './words.ts';

/** Words, a date, and cron, each valid in a file and in a chat. */
const FORMS = ['every weekday at 9:00', '2027-12-24 18:00', '0 9 * * 1-5'] as const;
const DATE = ['2027-12-24 18:00'] as const;

/** What to say instead, by reason. */
const EXAMPLES = {
  again: ['every monday and every tuesday at 9', 'every monday in december at 9'],
  count: ['daily at 9 and 18:00'],
  dayShare: ['every 90 minutes from 2027-01-04 09:00', 'every 6 hours at :15'],
  endsEarly: FORMS,
  evenly: ['every 30 minutes from 9:00 to 17:00 on weekdays'],
  everyWhat: ['every day at 9'],
  fiveWeekdays: ['last friday of the month at 16:00'],
  half: ['daily at 05:00', 'daily at 17:00'],
  hasNoTime: ['every 2 hours from 9:00 to 17:00'],
  leastOne: ['every 5 minutes'],
  midnight: ['every monday at 00:00'],
  missingWord: FORMS,
  monthDay: ['on the 15th at 10:00'],
  needsHours: ['every hour at :10 and :40'],
  needsRhythm: ['every 30 minutes from 9:00 to 17:00', 'every hour at :15'],
  never: ['last day of the month at 18:00'],
  noClock: DATE,
  noDate: DATE,
  noDay: ['on 24 december at 18:00'],
  noHour: ['daily at 8:30 pm'],
  noMinute: ['daily at 8:30', 'every hour at :15'],
  noTime: ['tomorrow at 9', 'every day at 9'],
  nthWeekday: ['last weekday of the month at 16:00'],
  onceAndAgain: ['tomorrow at 9', 'every day at 9'],
  otherDays: ['every 2 weeks on monday at 9'],
  otherPart: ['every evening at 8', 'daily at 20:00'],
  otherWeekday: DATE,
  overYear: ['yearly on 24 december at 18:00'],
  pairs: ['every monday at 9; every friday at 10'],
  past: ['tomorrow at 9'],
  plainStart: ['every 90 minutes from 2027-01-04 09:00', 'every 2 weeks on monday from 2027-01-04'],
  points: ['daily at 8:30', ...DATE],
  seconds: ['every 5 minutes', 'daily at 8:30'],
  semicolon: ['daily at 9; mondays at 17:00'],
  someHalves: ['daily at 8pm and 9pm'],
  tooFar: DATE,
  tooLong: ['every weekday at 9'],
  twoMeanings: ['every 2 weeks on monday', 'every monday and thursday at 9'],
  twoRhythms: ['daily at 9; mondays at 17:00'],
  twoTimes: ['daily at 8:00 and 20:00', 'every 2 hours from 9:00 to 17:00'],
  twoWays: ['on the 13th at 9; every friday at 9', '0 9 13 * +FRI'],
  uneven: ['every 3 months on the 1st at 9', 'yearly on 24 december at 18:00'],
  untilWhen: ['every 2 hours from 8:00 to 23:59 on weekdays'],
  utcDistance: ['daily at 9 Berlin time', 'daily at 9 UTC'],
  whatIs: ['every monday at 9'],
  whichMonth: ['first monday of the month at 9', 'last day of the month at 18:00', 'yearly on 24 december at 18:00'],
  whichMonthDay: ['on the 15th of the month at 9'],
  whichWeekdays: ['first monday of the month at 9'],
  word: FORMS,
  wordNear: FORMS,
  zone: ['CRON_TZ=Europe/Berlin 0 9 * * *'],
  zones: ['daily at 9 Berlin time'],
} as const;

type Reason = keyof typeof EXAMPLES;
export type Refuse = <R extends Reason>(reason: R, ...values: GivenValues<`schedules.${R}`>) => UserError;

/** Returns a function that refuses this phrase for a reason of the catalogue. */
export const refusing =
  (phrase: string): Refuse =>
  (reason, ...values) =>
    refusedPhrase(phrase, say(`schedules.${reason}`, ...values), EXAMPLES[reason]);

export function refusedPhrase(phrase: string, reason: Wording, examples: readonly string[]): UserError {
  const text = phrase.length > 80 ? `${phrase.slice(0, 80)}...` : phrase;
  const example = examples.map<Wording | string>(String).reduce((before, next) => say('jobs.or', { before, next }));
  // A phrase of one word is already quoted.
  const isNamed = reason.key === 'schedules.word' && reason.values.word === phrase.trim().toLowerCase();
  return new UserError(
    isNamed ? say('jobs.notSchedule', { text, example }) : say('jobs.notUnderstood', { text, reason, example }),
  );
}

/** Returns a word of the folded phrase with its accents. */
export const asWritten = (phrase: string, word: string): string =>
  phrase
    .toLowerCase()
    .match(/\p{L}+/gu)
    ?.find((each) => foldPhrase(each) === word) ?? word;
