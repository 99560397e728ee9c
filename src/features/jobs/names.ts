/**
 * Checks the names that active jobs use: when files change, on request, and before each run, so that additions take
 * effect without a restart. Reports each unknown name to the owners once.
 */
import { hashText } from '../../lib/files.ts';
import type { Logger } from '../../log.ts';
import { say, type Wording } from '../../messages/messages.ts';
import type { KnownNames } from '../../runtime/contract/job-service.ts';
import { quotedName } from '../../runtime/conversations/asked-places.ts';
import { escapeMarkdown } from '../../runtime/conversations/places.ts';
import type { Jobs } from './files.ts';
import type { Job } from './job.ts';
import { type Naming, sayAll, sayUnknown, type UnknownName, unknownIn } from './unknown.ts';

/** Looks up the known names; loads skills only of the given vibers. */
export type LookUp = (vibers: readonly string[]) => Promise<KnownNames>;

export interface JobNamesOptions {
  jobs: Pick<Jobs, 'all'>;
  /** The viber of jobs that name none. */
  usual: string;
  lookUp: LookUp;
  tellOwners: (id: string, said: Wording) => Promise<void>;
  log: Pick<Logger, 'warn' | 'error'>;
}

/** If more files than this have unknown names, the owners get one combined message. */
const MAX_REPORTS = 5;

export class JobNames {
  readonly #options: JobNamesOptions;
  #known: KnownNames | undefined;
  readonly #reported = new Map<string, string>();

  constructor(options: JobNamesOptions) {
    this.#options = options;
  }

  /** Updates the known names for `of`. Never rejects: if the lookup fails, no name counts as unknown. */
  async refresh(): Promise<void> {
    this.#known = await this.#look(this.#inForce());
  }

  /** Returns the unknown names found by the last `refresh`. */
  of(job: Naming): UnknownName[] {
    return this.#known ? unknownIn(job, this.#options.usual, this.#known) : [];
  }

  /** Returns the names that are currently unknown. Never rejects. */
  async now(job: Naming): Promise<UnknownName[]> {
    const known = await this.#look([job]);
    return known ? unknownIn(job, this.#options.usual, known) : [];
  }

  /** Reports new unknown names to the owners. Never rejects. */
  async check(): Promise<void> {
    await this.refresh();
    const jobs = this.#inForce();
    const ids = new Set(jobs.map(({ id }) => id));
    for (const id of this.#reported.keys()) if (!ids.has(id)) this.#reported.delete(id);
    const found = jobs.map((job) => ({ job, unknown: this.of(job) })).filter(({ unknown }) => unknown.length > 0);
    const fresh = found.filter(({ job, unknown }) => this.#reported.get(job.id) !== unknownSum(unknown));
    for (const { job, unknown } of fresh)
      this.#options.log.warn({ job: job.id, unknown }, "a job names something that doesn't exist");
    if (fresh.length <= MAX_REPORTS) {
      for (const { job, unknown } of fresh) await this.report(job, unknown);
      return;
    }
    for (const { job, unknown } of fresh) this.#reported.set(job.id, unknownSum(unknown));
    const id = hashText(fresh.map(({ job, unknown }) => `${job.id} ${unknownSum(unknown)}`).join('\n')).slice(0, 16);
    await this.#options.tellOwners(`jobs-unknown-${id}`, say('jobs.manyUnknown', { n: fresh.length }));
  }

  /** Reports the same names to the owners once, also across restarts: the message's ID is derived from them. */
  async report({ id, name }: Job, unknown: readonly UnknownName[]): Promise<void> {
    const sum = unknownSum(unknown);
    this.#reported.set(id, sum);
    const what = sayAll(sayUnknown(unknown, escapeMarkdown));
    await this.#options.tellOwners(`job-${id}-unknown-${sum}`, say('jobs.names', { name: quotedName(name), what }));
  }

  #inForce(): Job[] {
    return this.#options.jobs.all().flatMap(({ job, state }) => (job && state !== 'disabled' ? [job] : []));
  }

  async #look(jobs: readonly Naming[]): Promise<KnownNames | undefined> {
    // Most jobs use no names; nothing is loaded for them.
    if (!jobs.some(namesSomething)) return undefined;
    const vibers = jobs.filter(namesTools).map(({ viber }) => viber ?? this.#options.usual);
    try {
      return await this.#options.lookUp([...new Set(vibers)]);
    } catch (err) {
      this.#options.log.error({ err }, 'could not look up the names that jobs may use');
      return undefined;
    }
  }
}

const namesTools = ({ agent }: Naming): boolean => agent.skills !== undefined || agent.tools !== undefined;
const namesSomething = (job: Naming): boolean =>
  job.viber !== undefined || job.agent.model !== undefined || namesTools(job);

const unknownSum = (unknown: readonly UnknownName[]): string => hashText(JSON.stringify(unknown)).slice(0, 16);
