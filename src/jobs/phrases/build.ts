/** What all schedules are built from: the facts of a phrase with its times settled. */

import type { Schedule } from '../slots.ts';
import type { Context } from './facts.ts';

export interface Build extends Context {
  /** Minutes of the day, sorted; empty when the phrase names none. */
  times: number[];
  /** Where a rhythm without a start is counted from, in ms. */
  base: number | undefined;
  allowPast: boolean;
}

/** The time of day of "daily", "mondays" and the like, in minutes. */
export const DEFAULT_TIME = 9 * 60;

export function together(schedules: readonly Schedule[]): Schedule {
  const [first] = schedules;
  return schedules.length === 1 && first ? first : { kind: 'any', of: schedules };
}
