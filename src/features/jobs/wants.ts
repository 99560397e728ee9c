/** Describes for people what each key of a job file accepts. An issue's text is a key of this table. */
import type { Data } from '../../config/parse.ts';
import { shownValue } from '../../config/validate.ts';
import { say, type Wording } from '../../messages/messages.ts';

const WANTS = {
  list: say('jobFiles.list'),
  upTo20: say('jobFiles.atMost', { max: 20 }),
  upTo100: say('jobFiles.atMost', { max: 100 }),
  upTo32KB: say('jobFiles.atMost', { max: '32 KB' }),
  name: say('jobFiles.name'),
  flag: say('jobFiles.flag'),
  zone: say('jobFiles.zone'),
  prompt: say('jobFiles.prompt'),
  address: say('jobFiles.address'),
  section: say('jobFiles.section'),
  model: say('jobFiles.model'),
  steps: say('jobFiles.steps'),
  jobName: say('jobFiles.jobName'),
  schedule: say('jobFiles.schedule'),
  viber: say('jobFiles.viber'),
  mode: say('jobFiles.mode'),
  jitter: say('jobFiles.jitter'),
  person: say('jobFiles.person'),
  time: say('jobFiles.time'),
};
export type Want = keyof typeof WANTS;

const BY_NAME: ReadonlyMap<string, Wording> = new Map(Object.entries(WANTS));

/** Returns `expected a list, found "x"`. */
export function wanted(want: string, value: Data | undefined): Wording {
  const what = BY_NAME.get(want) ?? say('common.asItIs', { text: want });
  return say('jobFiles.wants', { what, found: foundOf(value) });
}

function foundOf(value: Data | undefined): Wording {
  if (value === undefined) return say('jobFiles.missing');
  if (value === null) return say('jobFiles.foundNothing');
  if (Array.isArray(value)) return say('jobFiles.foundList');
  if (typeof value === 'object') return say('jobFiles.foundSection');
  return say('jobFiles.found', { value: shownValue(value) });
}
