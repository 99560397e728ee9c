/** Checks the time zone of this machine and the variable TZ. */

import type { Config } from '../../config.ts';
import { systemTimezone } from '../../lib/timezone.ts';
import { say } from '../../messages/messages.ts';
import { timezoneNote, useTimezone } from '../timezone-variable.ts';
import { type Finding, wrong } from './finding.ts';

const NAME = 'time zone';

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
  const detail = timezone === undefined ? systemTimezone() : say('doctor.timezone', { zone: timezone });
  return [{ name: NAME, state: 'ok', detail }];
}
