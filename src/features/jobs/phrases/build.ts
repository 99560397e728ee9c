/** The input for building a schedule: a phrase's facts with its times settled. */

import type { Schedule } from '../slots.ts';
import type { Context } from './facts.ts';

export interface Build extends Context {
  /** Minutes of the day, sorted; empty if the phrase names none. */
  times: number[];
  /** The instant from which a rhythm without a start is counted, in ms. */
  base: number | undefined;
  allowPast: boolean;
}

/** The time of day of "daily", "mondays" and the like, in minutes. */
export const DEFAULT_TIME = 9 * 60;

export function together(schedules: readonly Schedule[]): Schedule {
  const [first] = schedules;
  return schedules.length === 1 && first ? first : { kind: 'any', of: schedules };
}
