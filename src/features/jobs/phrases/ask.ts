/** "Daily at 5" can mean two times: asks which one, with both written out in the words of the phrase. */
import { UserError } from '../../../errors.ts';

/** Thrown for hours whose half of the day is unclear: neither am or pm nor anything else in the phrase decides it. */
export class HalfOfDay extends Error {
  readonly hours: readonly number[];

  constructor(hours: readonly number[]) {
    super('it does not say am or pm');
    this.hours = hours;
  }
}

const two = (hour: number) => String(hour).padStart(2, '0');

/** @param isSchedule returns whether a phrase is a valid schedule */
export function askHalf(phrase: string, hours: readonly number[], isSchedule: (phrase: string) => boolean): UserError {
  const [hour = 0] = hours;
  const alone = new RegExp(`(?<![\\d:./-])(?:${hours.join('|')})(?=\\D|$)(?![:.]\\d|th|\\.?/)`, 'g');
  const last = new RegExp(`${alone.source}(?!.*${alone.source})`);
  const written = [alone, last]
    .map((found) => [0, 12].map((more) => phrase.replace(found, (text) => timeText(Number(text) + more, phrase))))
    .find((both) => both.every((text) => text !== phrase && text.length <= phrase.length + 40 && isSchedule(text)));
  const [early, late] = written ?? [`daily at ${two(hour)}:00`, `daily at ${hour + 12}:00`];
  const shown = phrase.length > 80 ? `${phrase.slice(0, 80)}...` : phrase;
  const which = hours.map((each) => `${two(each)}:00 or ${each + 12}:00`).join(', ');
  return new UserError(`"${shown}" leaves open which half of the day is meant: ${which}? Say "${early}" or "${late}".`);
}

const timeText = (hour: number, phrase: string): string =>
  /\d ?(?:h\b|am|pm)/i.test(phrase) ? two(hour) : `${two(hour)}:00`;
