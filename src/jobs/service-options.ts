/** What the scheduled jobs are given of the rest of the gateway. */
import type { Languages } from '../access/languages.ts';
import type { OutboundTargets } from '../access/outbound-targets.ts';
import type { People } from '../access/people.ts';
import type { Principal } from '../access/principal.ts';
import type { Address } from '../channels/channel.ts';
import type { Lead } from '../channels/lead.ts';
import type { Engine, Queue } from '../engine/engine.ts';
import type { Logger } from '../log.ts';
import type { Said } from '../messages/messages.ts';
import type { Entry } from '../runtime/contract/entry.ts';
import type { Home } from '../workspace/home.ts';
import type { Clock } from './clock.ts';
import type { Jobs } from './files.ts';
import type { LookUp } from './names.ts';
import type { JobStates } from './state.ts';

export interface JobServiceOptions {
  home: Home;
  clock: Clock;
  jobs: Jobs;
  states: JobStates;
  queue: Pick<Queue<Entry>, 'enqueue' | 'look'>;
  lead: Lead;
  lock: Engine<Entry>['lock'];
  targets: OutboundTargets;
  people: People;
  /** The viber of jobs that name none. */
  viber: string;
  settings: { timezone: string; min_minutes: number; max: number };
  /** What jobs may name. */
  lookUp: LookUp;
  /** The direct conversations of owners, for a job's questions. */
  ownerAddresses: () => Address[];
  /** Where an owner can be written to first, for jobs asked for where nobody can be. */
  directOf: (principal: Principal) => Address[];
  languages: Pick<Languages, 'of'>;
  tellOwners: (id: string, said: Said) => Promise<void>;
  /** Its file, or what is known of its runs, has changed. Must not throw. */
  onChanged: (id: string) => void;
  log: Logger;
}
