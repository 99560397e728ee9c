/** Which time zone this machine goes by, and whether the variable TZ names one. */
import { timezoneNote, useTimezone } from '../../config/timezone-variable.ts';
import type { Config } from '../../config.ts';
import { systemTimezone } from '../../lib/timezone.ts';
import { type Finding, wrong } from './finding.ts';

const NAME = 'time zone';

/** Nothing where the variable is not set. */
export function checkTimezone(config: Config, env: NodeJS.ProcessEnv): Finding[] {
  if (env.TZ === undefined) return [];
  try {
    useTimezone(env);
  } catch (error) {
    return wrong(NAME, error);
  }
  const note = timezoneNote(env);
  if (note !== undefined) return [{ name: NAME, state: 'note', detail: note }];
  const { timezone } = config.jobs;
  const detail = timezone === undefined ? systemTimezone() : `${timezone} (jobs.timezone)`;
  return [{ name: NAME, state: 'ok', detail }];
}
