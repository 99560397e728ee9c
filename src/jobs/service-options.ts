/** What the scheduled jobs are given of the rest of the gateway. */
import type { Languages } from '../access/languages.ts';
import type { OutboundTargets } from '../access/outbound-targets.ts';
import type { People } from '../access/people.ts';
import type { Principal } from '../access/principal.ts';
import type { Address } from '../channels/channel.ts';
import type { Lead } from '../channels/lead.ts';
import type { Engine } from '../engine/engine.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../log.ts';
import type { Said } from '../messages/messages.ts';
import type { Entry } from '../runtime/contract/entry.ts';
import type { Home } from '../workspace/home.ts';
import type { Jobs } from './files.ts';
import type { LookUp } from './names.ts';
import type { JobStates } from './state.ts';

/** Who jobs belong to, and how owners are reached. */
export interface JobPeople extends People {
  languages: Pick<Languages, 'of'>;
  owners: {
    /** The direct conversations of owners, for a job's questions. */
    ownerAddresses(): Address[];
    /** Where an owner can be written to first, for jobs asked for where nobody can be. */
    directOf(principal: Principal): Address[];
    tellOwners(id: string, said: Said): Promise<void>;
  };
}

export interface JobServiceOptions {
  home: Home;
  clock: Clock;
  jobs: Jobs;
  states: JobStates;
  engine: Pick<Engine<Entry>, 'queue' | 'lock'>;
  lead: Lead;
  targets: OutboundTargets;
  people: JobPeople;
  /** The viber of jobs that name none. */
  viber: string;
  settings: { timezone: string; min_minutes: number; max: number };
  /** What jobs may name. */
  lookUp: LookUp;
  /** Its file, or what is known of its runs, has changed. Must not throw. */
  onChanged: (id: string) => void;
  log: Logger;
}
