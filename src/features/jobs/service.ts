/**
 * Scheduled jobs for the rest of the gateway: their runs enter the same queue as messages, with their creator's current
 * rights (promise 41).
 */
import type { Principal } from '../../access/principal.ts';
import type { Address } from '../../channels/channel.ts';
import { ended } from '../../channels/lead.ts';
import { UserError } from '../../errors.ts';
import { hashText } from '../../lib/files.ts';
import { say, type Wording } from '../../messages/messages.ts';
import { type Entry, shareOf, taskLane } from '../../runtime/contract/entry.ts';
import type { JobChange, JobService, JobView, NewJob } from '../../runtime/contract/job-service.ts';
import { quotedName } from '../../runtime/conversations/asked-places.ts';
import { escapeMarkdown } from '../../runtime/conversations/places.ts';
import type { JobFile, Jobs } from './files.ts';
import type { Job, JobFields } from './job.ts';
import { JobNames } from './names.ts';
import { createNewJobs, type NewJobs } from './new-job.ts';
import { noteJobRun } from './past-runs.ts';
import { nextSlot } from './schedule.ts';
import { Scheduler, type Trouble } from './scheduler.ts';
import type { JobServiceOptions } from './service-options.ts';
import { placeText, principalOf, slotEntry, taskIdOf } from './slot-entry.ts';
import { scheduleIn } from './state.ts';
import { holdsUp, sayAll, sayUnknown } from './unknown.ts';
import { viewOf } from './view.ts';

const SHOWN_TIMES = 3;

/** It may still be being written. */
const isUnfinished = ({ key }: Wording): boolean => key === 'jobFiles.unfinished';

export class ScheduledJobs implements JobService {
  readonly #options: JobServiceOptions;
  readonly #jobs: Jobs;
  readonly #fresh: NewJobs;
  readonly #names: JobNames;
  #unsubscribe: (() => void) | undefined;
  #stopScheduling: (() => Promise<void>) | undefined;
  readonly scheduler: Scheduler;

  constructor(options: JobServiceOptions) {
    const { clock, jobs, states: state, targets, settings, log, lookUp, people } = options;
    const { owners } = people;
    this.#options = options;
    this.#jobs = jobs;
    this.#fresh = createNewJobs({ clock, jobs, targets, settings, directOf: (by) => owners.directOf(by) });
    this.#names = new JobNames({
      jobs,
      usual: options.viber,
      lookUp,
      tellOwners: (id, said) => owners.tellOwners(id, said),
      log,
    });
    this.scheduler = new Scheduler({
      clock,
      jobs,
      state,
      log,
      fire: (job, slot) => this.#fire(job, slot),
      isBusy: (id) => this.#isBusy(id),
      onTrouble: (job, trouble) => this.#tellTrouble(job, trouble),
      onSkip: (job, slot) => this.#tellSkipped(job, slot),
      onRun: (id) => options.onChanged(id),
    });
  }

  /** Call it once the job files have been read. */
  start(): void {
    this.#tellStopped();
    this.#stopScheduling ??= this.#options.lead('jobs', async (turn) => {
      // Another process may have fired jobs in between.
      this.#options.states.reread();
      this.scheduler.start();
      await ended(turn);
      await this.scheduler.stop();
    });
    const { onChanged } = this.#options;
    this.#unsubscribe ??= this.#jobs.onChange((changed) => {
      for (const id of changed) onChanged(id);
      void this.#names.check();
    });
    for (const { id } of this.#jobs.all()) onChanged(id);
    void this.#names.check();
  }

  /**
   * Tells the owners about jobs that were in force when the gateway stopped and whose files this version can't read.
   */
  #tellStopped(): void {
    const { states, people } = this.#options;
    const entries = this.#jobs.all();
    const inForce = new Set(entries.flatMap(({ id, job }) => (job ? [id] : [])));
    const stopped = entries.filter(
      ({ id, state, wrong = [] }) =>
        state === 'broken' && !inForce.has(id) && !wrong.some(isUnfinished) && scheduleIn(states.get(id)),
    );
    if (stopped.length === 0) return;
    const names = stopped.map(({ id }) => escapeMarkdown(id)).join(', ');
    const id = hashText(stopped.map(({ file, problem }) => `${file} ${problem}`).join('\n')).slice(0, 16);
    void people.owners.tellOwners(`jobs-stopped-${id}`, say('jobs.stopped', { n: stopped.length, names }));
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#stopScheduling?.();
    await this.#options.states.flush();
  }

  /** Another process has changed the state of this job, or of any job without an ID. */
  async noticed(id?: string): Promise<void> {
    const { states, onChanged } = this.#options;
    states.reread(id);
    if (id !== undefined) onChanged(id);
    for (const each of id === undefined ? states.ids() : [id]) await this.scheduler.noticed(each);
  }

  /** Updates the views from the files, and the unknown names of jobs. Never rejects. */
  async refresh(): Promise<void> {
    await this.#jobs.refresh();
    await this.#names.refresh();
  }

  /** Records the end of a queued run. */
  async ended({ job, taskId }: Entry, state: 'completed' | 'error' | 'stopped', error?: string): Promise<void> {
    if (job) await this.scheduler.ended(job.id, state, { task: taskId, ...(error === undefined ? {} : { error }) });
  }

  list(): JobView[] {
    return this.#jobs.all().map((file) => this.#view(file));
  }

  find(name: string): JobView {
    return this.#view(this.#locate(name));
  }

  preview(job: NewJob): ReturnType<JobService['preview']> {
    return this.#fresh.preview(job);
  }

  async check(job: NewJob, by: Principal, from: Address): Promise<string[]> {
    onlyOwners(by);
    const fields = await this.#fields(job, by, from, 0);
    await this.#jobs.check(fields);
    return fields.deliver ?? [];
  }

  /** Checks the names as well: the person who requests the job can still correct them. */
  async #fields(job: NewJob, by: Principal, from: Address, agoMs: number): Promise<JobFields> {
    const { viber, model, skills } = job;
    const fields = await this.#fresh.fields(job, by, from, agoMs);
    const agent = { ...(model === undefined ? {} : { model }), ...(skills === undefined ? {} : { skills }) };
    const unknown = await this.#names.now({ ...(viber === undefined ? {} : { viber }), agent });
    if (unknown.length > 0) throw new UserError(sayAll(sayUnknown(unknown, String)));
    return fields;
  }

  async create(job: NewJob, by: Principal, from: Address, agoMs = 0): Promise<JobView> {
    onlyOwners(by);
    const { id } = await this.#jobs.create(await this.#fields(job, by, from, agoMs));
    await this.scheduler.asked(id, agoMs);
    return this.#view(this.#jobs.find(id));
  }

  async remove(name: string, by: Principal): Promise<JobView> {
    onlyOwners(by);
    const found = this.#locate(name);
    const shown = this.#view(found);
    await this.#jobs.remove(found.id);
    return shown;
  }

  previewChange(name: string, to: JobChange): ReturnType<JobService['preview']> {
    return this.#fresh.changed(this.#changing(this.#locate(name), to));
  }

  async change(name: string, to: JobChange, by: Principal, agoMs = 0): Promise<JobView> {
    onlyOwners(by);
    const found = this.#locate(name);
    const { stored, timezone } = this.#fresh.changed(this.#changing(found, to), agoMs);
    await this.#jobs.change(found.id, { schedule: stored, timezone });
    await this.scheduler.asked(found.id, agoMs);
    return this.#view(this.#jobs.find(found.id));
  }

  /** Fills in the unchanged values. */
  #changing({ id, job }: JobFile, to: JobChange): Required<JobChange> {
    if (!job) throw new UserError(say('jobs.unreadable', { name: id }));
    return { schedule: to.schedule ?? job.scheduleText, timezone: to.timezone ?? job.timezone };
  }

  async pause(name: string, by: Principal): Promise<JobView> {
    onlyOwners(by);
    const { id } = this.#locate(name);
    await this.#jobs.pause(id);
    return this.#view(this.#jobs.find(id));
  }

  async resume(name: string, by: Principal): Promise<JobView> {
    onlyOwners(by);
    const { id } = this.#locate(name);
    await this.#jobs.resume(id);
    return this.#view(this.#jobs.find(id));
  }

  async runNow(name: string, by: Principal): Promise<JobView> {
    onlyOwners(by);
    const file = this.#locate(name);
    if (file.job && principalOf(file.job, this.#options.people).role !== 'owner')
      throw new UserError(withoutRights(file.job));
    const unknown = file.job ? (await this.#names.now(file.job)).filter(holdsUp) : [];
    if (unknown.length > 0) throw new UserError(sayAll(sayUnknown(unknown, escapeMarkdown)));
    // Under a lock, so that two requests on two machines start it once.
    await this.#options.engine.lock(`job-now:${file.id}`, () => this.scheduler.runNow(file.id));
    return this.#view(file);
  }

  async #isBusy(id: string): Promise<boolean> {
    const { states, engine } = this.#options;
    const slot = states.get(id)?.lastRun?.slot;
    if (slot === undefined) return false;
    const { busy, depth } = await engine.queue.look(taskLane(taskIdOf(id, new Date(slot))));
    return busy || depth > 0;
  }

  /** Queues the run of a slot, unless its creator has lost the right to it, or its viber or model is unknown. */
  async #fire(job: Job, slot: Date): Promise<'accepted' | 'duplicate'> {
    const principal = principalOf(job, this.#options.people);
    if (principal.role !== 'owner') {
      await this.#options.people.owners.tellOwners(
        `job-${job.id}-rights-${Date.parse(job.createdAt ?? '') || 0}`,
        withoutRights(job),
      );
      this.#options.log.warn(
        { job: job.id, by: job.createdBy },
        'a job is not run: whoever made it is no owner any more',
      );
      return 'duplicate';
    }
    const unknown = await this.#names.now(job);
    if (unknown.length > 0) await this.#names.tell(job, unknown);
    if (unknown.some(holdsUp)) {
      this.#options.log.warn({ job: job.id, unknown }, 'a job is not run: it names what there is not');
      return 'duplicate';
    }
    const now = this.#options.clock.now();
    const entry = slotEntry(job, slot, {
      principal,
      viber: job.viber ?? this.#options.viber,
      sentAt: now,
      deliver: job.deliver.map((written) => placeText(written, this.#options.targets)),
      asks: this.#options.people.owners.ownerAddresses(),
      language: this.#options.people.languages.of(principal),
    });
    await this.#options.engine.lock('job-runs', () => noteJobRun(this.#options.home, entry.taskId, new Date(now)));
    const lane = taskLane(entry.taskId);
    const outcome = await this.#options.engine.queue.enqueue(lane, entry, {
      dedupeId: entry.message.id,
      by: shareOf(entry),
    });
    return outcome === 'duplicate' ? 'duplicate' : 'accepted';
  }

  async #tellTrouble({ id, name }: Job, { since, error }: Trouble): Promise<void> {
    const why = error === '' ? '' : ` ${error}`;
    const hasNext = this.scheduler.next(id, 1).length > 0;
    const told = say(hasNext ? 'jobs.failed' : 'jobs.failedForGood', { name: quotedName(name), why });
    await this.#options.people.owners.tellOwners(`job-${id}-failing-${since.getTime()}`, told);
  }

  /** Reports a skipped slot only if it was the last one; otherwise nobody would notice. */
  #tellSkipped({ id, name, schedule, timezone, createdBy }: Job, slot: Date): void {
    if (nextSlot(schedule, slot) !== undefined) return;
    const due = { at: slot.toISOString(), zone: timezone };
    const key = createdBy === undefined ? 'jobs.missed' : 'jobs.missedAsked';
    const told = say(key, { name: quotedName(name), due, zone: timezone });
    void this.#options.people.owners.tellOwners(`job-${id}-missed-${slot.getTime()}`, told);
  }

  #view(file: JobFile): JobView {
    const { id, job } = file;
    return viewOf(file, {
      next: this.scheduler.next(id, SHOWN_TIMES),
      lastRun: this.#options.states.get(id)?.lastRun,
      lacks: job ? sayUnknown(this.#names.of(job), escapeMarkdown) : [],
      timezone: this.#options.settings.timezone,
    });
  }

  /** Finds a job by its ID, its name or an unambiguous beginning. */
  #locate(name: string): JobFile {
    const wanted = name.trim().toLowerCase();
    const begun = this.#jobs
      .all()
      .filter(({ id, job }) => id.startsWith(wanted) || job?.name.toLowerCase().startsWith(wanted));
    const isExact = begun.some(({ id, job }) => id === wanted || job?.name.toLowerCase() === wanted);
    const [only, other] = begun;
    return only && !other && !isExact && wanted !== '' ? only : this.#jobs.find(name);
  }
}

function onlyOwners({ role }: Principal): void {
  if (role !== 'owner') throw new UserError(say('jobs.ownersOnly'));
}

const withoutRights = ({ name, createdBy }: Job): Wording =>
  say('jobs.withoutRights', { name: quotedName(name), who: createdBy ?? '' });
