/** The dependencies of the scheduled jobs. */
import type { Languages } from '../../access/known.ts';
import type { OutboundTargets } from '../../access/outbound-targets.ts';
import type { People } from '../../access/people.ts';
import type { Principal } from '../../access/principal.ts';
import type { Address } from '../../channels/channel.ts';
import type { Lead } from '../../channels/lead.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../log.ts';
import type { Wording } from '../../messages/messages.ts';
import type { Entry } from '../../runtime/contract/entry.ts';
import type { Home } from '../../workspace/home.ts';
import type { Jobs } from './files.ts';
import type { LookUp } from './names.ts';
import type { JobStates } from './state.ts';

export interface JobPeople extends People {
  languages: Pick<Languages, 'of'>;
  owners: {
    /** Returns the direct conversations of owners, for a job's questions. */
    ownerAddresses(): Address[];
    /** Returns an owner's direct conversations, for jobs requested where no message can be sent first. */
    directOf(principal: Principal): Address[];
    tellOwners(id: string, said: Wording): Promise<void>;
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
  lookUp: LookUp;
  /** Called when a job's file or its known runs have changed. Must not throw. */
  onChanged: (id: string) => void;
  log: Logger;
}
