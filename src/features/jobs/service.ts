/**
 * Gives the rest of the gateway access to scheduled jobs. Their runs enter the same queue as messages, with their
 * creator's current rights (promise 41).
 */
import type { Principal } from '../../access/principal.ts';
import type { Address } from '../../channels/channel.ts';
import { ended } from '../../channels/lead.ts';
import { UserError } from '../../errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { say } from '../../messages/messages.ts';
import { type Entry, shareOf, taskLane } from '../../runtime/contract/entry.ts';
import type { JobChange, JobService, JobView, NewJob } from '../../runtime/contract/job-service.ts';
import { escapeMarkdown } from '../../runtime/conversations/places.ts';
import { configOf, type Gateway } from '../gateway.ts';
import type { Jobs } from './files.ts';
import type { Job, JobFields } from './job.ts';
import { defaultViber, namesKnownTo } from './known-names.ts';
import { JobNames } from './names.ts';
import { createNewJobs, type NewJobs } from './new-job.ts';
import { noteJobRun } from './past-runs.ts';
import { placeProblem } from './places.ts';
import { reportMissed, reportStopped, reportTrouble, withoutRights } from './reports.ts';
import { Scheduler } from './scheduler.ts';
import { placeText, principalOf, slotEntry, taskIdOf } from './slot-entry.ts';
import type { JobStates } from './state.ts';
import { holdsUp, sayAll, sayUnknown } from './unknown.ts';
import { viewOf } from './view.ts';
import type { JobFile } from './written/job-file.ts';

const SHOWN_TIMES = 3;

export interface JobParts {
  jobs: Jobs;
  states: JobStates;
  clock: Clock;
  /** The time zone of jobs that name none. */
  timezone: string;
}

export class ScheduledJobs implements JobService {
  readonly #gw: Gateway;
  readonly #jobs: Jobs;
  readonly #parts: JobParts;
  readonly #fresh: NewJobs;
  readonly #names: JobNames;
  #unsubscribe: (() => void) | undefined;
  #stopScheduling: (() => Promise<void>) | undefined;
  readonly scheduler: Scheduler;

  constructor(parts: JobParts, gw: Gateway) {
    const { jobs, states, clock, timezone } = parts;
    const { log, people, places } = gw;
    const { owners } = people;
    this.#gw = gw;
    this.#jobs = jobs;
    this.#parts = parts;
    const settings = { ...configOf(gw).jobs, timezone };
    this.#fresh = createNewJobs({
      clock,
      jobs,
      targets: places.targets,
      settings,
      directOf: (by) => owners.directOf(by),
    });
    this.#names = new JobNames({
      jobs,
      usual: defaultViber(gw),
      lookUp: (vibers) => namesKnownTo(gw, vibers),
      tellOwners: (id, said) => owners.tellOwners(id, said),
      log,
    });
    this.scheduler = new Scheduler({
      clock,
      jobs,
      state: states,
      log,
      fire: (job, slot) => this.#fire(job, slot),
      isBusy: (id) => this.#isBusy(id),
      onTrouble: (job, trouble) => reportTrouble(job, trouble, this.scheduler.next(job.id, 1).length > 0, owners),
      onSkip: (job, slot) => reportMissed(job, slot, owners),
      onRun: (id) => this.#changed(id),
    });
  }

  #changed(job: string): void {
    this.#gw.tasks.news.emit({ type: 'job:changed', job });
  }

  /** Starts the scheduler. Must be called after the job files have been read. */
  start(): void {
    reportStopped(this.#jobs.all(), this.#parts.states, this.#gw.people.owners);
    this.#stopScheduling ??= this.#gw.features.lead('jobs', async (turn) => {
      // Another process may have fired jobs in the meantime.
      this.#parts.states.reread();
      this.scheduler.start();
      await ended(turn);
      await this.scheduler.stop();
    });
    this.#unsubscribe ??= this.#jobs.onChange((changed) => {
      for (const id of changed) this.#changed(id);
      void this.#names.check();
    });
    for (const { id } of this.#jobs.all()) this.#changed(id);
    void this.#names.check();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#stopScheduling?.();
    await this.#parts.states.flush();
  }

  /** Must be called when another process has changed the state of this job, or of any job if there is no ID. */
  async noticed(id?: string): Promise<void> {
    this.#parts.states.reread(id);
    if (id !== undefined) this.#changed(id);
    for (const each of id === undefined ? this.#parts.states.ids() : [id]) await this.scheduler.noticed(each);
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
    return this.#view(this.#jobs.find(name));
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

  /** Returns the fields of a new job. Also checks the names, because the person who requests it can still fix them. */
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
    return this.find(id);
  }

  async remove(name: string, by: Principal): Promise<JobView> {
    onlyOwners(by);
    const found = this.#jobs.find(name);
    const shown = this.#view(found);
    await this.#jobs.remove(found.id);
    return shown;
  }

  previewChange(name: string, to: JobChange): ReturnType<JobService['preview']> {
    return this.#fresh.changed(this.#changing(this.#jobs.find(name), to));
  }

  async change(name: string, to: JobChange, by: Principal, agoMs = 0): Promise<JobView> {
    onlyOwners(by);
    const found = this.#jobs.find(name);
    const { stored, timezone } = this.#fresh.changed(this.#changing(found, to), agoMs);
    await this.#jobs.change(found.id, { schedule: stored, timezone });
    await this.scheduler.asked(found.id, agoMs);
    return this.find(found.id);
  }

  /** Fills in the unchanged values. */
  #changing({ id, job }: JobFile, to: JobChange): Required<JobChange> {
    if (!job) throw new UserError(say('jobs.unreadable', { name: id }));
    return { schedule: to.schedule ?? job.scheduleText, timezone: to.timezone ?? job.timezone };
  }

  async pause(name: string, by: Principal): Promise<JobView> {
    onlyOwners(by);
    const { id } = this.#jobs.find(name);
    await this.#jobs.pause(id);
    return this.find(id);
  }

  async resume(name: string, by: Principal): Promise<JobView> {
    onlyOwners(by);
    const { id } = this.#jobs.find(name);
    await this.#jobs.resume(id);
    return this.find(id);
  }

  async runNow(name: string, by: Principal): Promise<JobView> {
    onlyOwners(by);
    const file = this.#jobs.find(name);
    if (file.job && principalOf(file.job, this.#gw.people).role !== 'owner')
      throw new UserError(withoutRights(file.job));
    const unknown = file.job ? (await this.#names.now(file.job)).filter(holdsUp) : [];
    if (unknown.length > 0) throw new UserError(sayAll(sayUnknown(unknown, escapeMarkdown)));
    // Under a lock, so that two requests on two machines start it only once.
    await this.#gw.engine.lock(`job-now:${file.id}`, () => this.scheduler.runNow(file.id));
    return this.#view(file);
  }

  async #isBusy(id: string): Promise<boolean> {
    const slot = this.#parts.states.get(id)?.lastRun?.slot;
    if (slot === undefined) return false;
    const { busy, depth } = await this.#gw.engine.queue.look(taskLane(taskIdOf(id, new Date(slot))));
    return busy || depth > 0;
  }

  /** Queues the run of a slot, unless its creator has lost the right to it, or its viber or model is unknown. */
  async #fire(job: Job, slot: Date): Promise<'accepted' | 'duplicate'> {
    const { engine, home, log, people, places } = this.#gw;
    const principal = principalOf(job, people);
    if (principal.role !== 'owner') {
      const id = `job-${job.id}-rights-${Date.parse(job.createdAt ?? '') || 0}`;
      await people.owners.tellOwners(id, withoutRights(job));
      log.warn({ job: job.id, by: job.createdBy }, 'a job was not run: its creator is no longer an owner');
      return 'duplicate';
    }
    const unknown = await this.#names.now(job);
    if (unknown.length > 0) await this.#names.report(job, unknown);
    if (unknown.some(holdsUp)) {
      log.warn({ job: job.id, unknown }, "a job was not run: it names something that doesn't exist");
      return 'duplicate';
    }
    const now = this.#parts.clock.now();
    const entry = slotEntry(job, slot, {
      principal,
      viber: job.viber ?? defaultViber(this.#gw),
      sentAt: now,
      deliver: job.deliver.map((written) => placeText(written, places.targets)),
      asks: people.owners.ownerAddresses(),
      language: people.languages.of(principal),
    });
    await engine.lock('job-runs', () => noteJobRun(home, entry.taskId, new Date(now)));
    const about = { dedupeId: entry.message.id, by: shareOf(entry) };
    const outcome = await engine.queue.enqueue(taskLane(entry.taskId), entry, about);
    return outcome === 'duplicate' ? 'duplicate' : 'accepted';
  }

  #view(file: JobFile): JobView {
    const { id, job } = file;
    const next = this.scheduler.next(id, SHOWN_TIMES);
    const unsent = (job?.deliver ?? []).flatMap((place) => placeProblem(place, configOf(this.#gw)) ?? []);
    const lacks = [...(job ? sayUnknown(this.#names.of(job), escapeMarkdown) : []), ...unsent];
    return viewOf(file, { next, lastRun: this.#parts.states.get(id)?.lastRun, lacks, timezone: this.#parts.timezone });
  }
}

function onlyOwners({ role }: Principal): void {
  if (role !== 'owner') throw new UserError(say('jobs.ownersOnly'));
}
