/**
 * What the jobs in force name that there is not: looked up when files change, when somebody asks, and before each run, so that what
 * has come since counts without a restart. The owners are told once of each.
 */
import { hashText } from '../lib/files.ts';
import type { Logger } from '../log.ts';
import { type Said, say } from '../messages/messages.ts';
import type { KnownNames } from '../runtime/contract/job-service.ts';
import { quotedName } from '../runtime/conversations/asked-places.ts';
import { escaped } from '../runtime/conversations/places.ts';
import type { Jobs } from './files.ts';
import type { Job } from './job.ts';
import { type Naming, sayAll, sayUnknown, type Unknown, unknownIn } from './unknown.ts';

/** What there is; of the skills only those of the vibers that are named. */
export type LookUp = (vibers: readonly string[]) => Promise<KnownNames>;

export interface JobNamesOptions {
  jobs: Pick<Jobs, 'all'>;
  /** The viber of jobs that name none. */
  usual: string;
  lookUp: LookUp;
  tellOwners: (id: string, said: Said) => Promise<void>;
  log: Pick<Logger, 'warn' | 'error'>;
}

/** More files than this at once are told of in one message. */
const MAX_TOLD = 5;

export class JobNames {
  readonly #options: JobNamesOptions;
  #known: KnownNames | undefined;
  readonly #told = new Map<string, string>();

  constructor(options: JobNamesOptions) {
    this.#options = options;
  }

  /** Has `of` know what there is now. Never rejects: what cannot be looked up is not unknown. */
  async refresh(): Promise<void> {
    this.#known = await this.#look(this.#inForce());
  }

  /** By what there was at the last `refresh`. */
  of(job: Naming): Unknown[] {
    return this.#known ? unknownIn(job, this.#options.usual, this.#known) : [];
  }

  /** By what there is now. Never rejects. */
  async now(job: Naming): Promise<Unknown[]> {
    const known = await this.#look([job]);
    return known ? unknownIn(job, this.#options.usual, known) : [];
  }

  /** Tells the owners what they have not been told yet. Never rejects. */
  async check(): Promise<void> {
    await this.refresh();
    const jobs = this.#inForce();
    const ids = new Set(jobs.map(({ id }) => id));
    for (const id of this.#told.keys()) if (!ids.has(id)) this.#told.delete(id);
    const found = jobs.map((job) => ({ job, unknown: this.of(job) })).filter(({ unknown }) => unknown.length > 0);
    const fresh = found.filter(({ job, unknown }) => this.#told.get(job.id) !== sumOf(unknown));
    for (const { job, unknown } of fresh)
      this.#options.log.warn({ job: job.id, unknown }, 'a job names what there is not');
    if (fresh.length <= MAX_TOLD) {
      for (const { job, unknown } of fresh) await this.tell(job, unknown);
      return;
    }
    for (const { job, unknown } of fresh) this.#told.set(job.id, sumOf(unknown));
    const id = hashText(fresh.map(({ job, unknown }) => `${job.id} ${sumOf(unknown)}`).join('\n')).slice(0, 16);
    await this.#options.tellOwners(`jobs-unknown-${id}`, say('jobs.manyUnknown', { n: fresh.length }));
  }

  /** Once for the same names, also after a restart: the message is known by them. */
  async tell({ id, name }: Job, unknown: readonly Unknown[]): Promise<void> {
    const sum = sumOf(unknown);
    this.#told.set(id, sum);
    const what = sayAll(sayUnknown(unknown, escaped));
    await this.#options.tellOwners(`job-${id}-unknown-${sum}`, say('jobs.names', { name: quotedName(name), what }));
  }

  #inForce(): Job[] {
    return this.#options.jobs.all().flatMap(({ job, state }) => (job && state !== 'disabled' ? [job] : []));
  }

  async #look(jobs: readonly Naming[]): Promise<KnownNames | undefined> {
    // Most jobs name nothing, and nothing is loaded for them.
    if (!jobs.some(namesSomething)) return undefined;
    const vibers = jobs.filter(namesTools).map(({ viber }) => viber ?? this.#options.usual);
    try {
      return await this.#options.lookUp([...new Set(vibers)]);
    } catch (err) {
      this.#options.log.error({ err }, 'what jobs may name could not be looked up');
      return undefined;
    }
  }
}

const namesTools = ({ agent }: Naming): boolean => agent.skills !== undefined || agent.tools !== undefined;
const namesSomething = (job: Naming): boolean =>
  job.viber !== undefined || job.agent.model !== undefined || namesTools(job);

const sumOf = (unknown: readonly Unknown[]): string => hashText(JSON.stringify(unknown)).slice(0, 16);
