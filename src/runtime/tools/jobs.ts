/**
 * `create_scheduled_job`, `list_scheduled_jobs`, `delete_scheduled_job`: for owners; everybody else's model is told to say so.
 * What is about to be made or deleted is shown before it is (promise 41), whatever the viber's mode asks about otherwise.
 */
import { z } from 'zod';
import type { Principal } from '../../access/principal.ts';
import { type Address, formatAddress } from '../../channels/channel.ts';
import { DeliveryError, UserError } from '../../errors.ts';
import { lines, type Messages, messagesIn, type Text, words } from '../../messages/messages.ts';
import { scheduleText } from '../../messages/schedules.ts';
import { findRun } from '../../workspace/sessions.ts';
import type { JobChange, JobService, JobView, NewJob } from '../contract/job-service.ts';
import type { RuntimeTool } from '../contract/task.ts';
import { defineTool, type ToolScope } from '../contract/tool-scope.ts';
import { askForJob, type Timing, whenText, zoneText } from './job-sentences.ts';

export interface JobToolDeps {
  /** Once the jobs have been read; undefined when they cannot be. */
  service: () => Promise<JobService | undefined>;
  principal: Principal;
  /** Where it is asked for; the default of `deliver`. */
  from: Address;
  /** By whose clock they live, where that is known. */
  zone?: string | undefined;
  /** Whose work jobs are that name none: another one's name stands in its jobs. */
  usualViber?: string;
}

/** The gateway reads English alone; the model knows every language. */
const SCHEDULE =
  'cron or English, translated from what they said: "8am daily", "every monday 17:30", "tomorrow 9am", "in 20 minutes"';

const createInput = z.object({
  name: z.string().max(200),
  schedule: z.string().max(4_000).describe(SCHEDULE),
  prompt: z.string().describe('what to do each time'),
  deliver: z
    .array(z.string().max(300))
    .max(10)
    .describe('addresses; default: this conversation, or where the person can be written to')
    .exactOptional(),
  timezone: z.string().max(100).describe('IANA').exactOptional(),
  skills: z.array(z.string()).exactOptional(),
  model: z.string().exactOptional(),
});

const listInput = z.object({});
const changeInput = z.object({
  name: z.string().max(200),
  schedule: z.string().max(4_000).describe(SCHEDULE).exactOptional(),
  timezone: z.string().max(100).describe('IANA').exactOptional(),
});
const changeOf = ({ schedule, timezone }: z.infer<typeof changeInput>): JobChange => ({
  ...(schedule?.trim() ? { schedule } : {}),
  ...(timezone?.trim() ? { timezone } : {}),
});
const changeKey = (input: z.infer<typeof changeInput>): string => JSON.stringify(['change', input]);
const deleteInput = z.object({ name: z.string().max(200) });

/** What is known of a call that people are asked about. */
type Known = Timing & { stored: string; name?: string; id?: string; places?: readonly string[] };

const LISTED = 50;
const UNKNOWN: Omit<Known, 'name'> = { words: '', stored: '', timezone: 'UTC', next: [], now: '' };

/** Models leave out by empty texts and lists. */
function jobOf({ deliver, timezone, skills, model, ...rest }: z.infer<typeof createInput>, zone?: string): NewJob {
  return {
    ...rest,
    ...(deliver?.length ? { deliver } : {}),
    ...(timezone?.trim() ? { timezone } : zone === undefined ? {} : { timezone: zone }),
    ...(skills?.length ? { skills } : {}),
    ...(model?.trim() ? { model } : {}),
  };
}

const shown = ({ id, name, words, timezone, state, next, deliver, lacks = [] }: JobView) => ({
  ...{ id, name, schedule: words, timezone, state, next, deliver },
  ...(lacks.length > 0 && { problems: lacks.map((said) => messagesIn('en').said(said)) }),
});

/** Times as people read them, in the zone they are meant in, each with its whole date. */
const timesText = (head: Text, { next, timezone }: Timing, { when }: Messages): Text =>
  lines(head, ...next.map((time) => words(`- ${when(new Date(time), timezone, new Date(0))}`)));

export const jobTools = (scope: ToolScope, deps: JobToolDeps): RuntimeTool[] => new JobTools(scope, deps).all();

const keyOf = ({ schedule, timezone, deliver }: NewJob) => JSON.stringify([schedule, timezone, deliver]);

/** The tools of one run. */
class JobTools {
  readonly #scope: ToolScope;
  readonly #deps: JobToolDeps;
  /** What people are shown of the calls of this run that wait. */
  readonly #notes = new Map<string, (messages: Messages) => Text>();
  readonly #timings = new Map<string, Known>();

  constructor(scope: ToolScope, deps: JobToolDeps) {
    this.#scope = scope;
    this.#deps = deps;
  }

  all(): RuntimeTool[] {
    return [this.#create(), this.#list(), this.#change(), this.#delete()];
  }

  #create(): RuntimeTool {
    const { principal, from } = this.#deps;
    return defineTool({
      name: 'create_scheduled_job',
      description:
        'Schedule work: a fresh agent does the prompt each time, its answer is sent. The person confirms it.',
      input: createInput,
      effect: 'idempotent',
      consent: 'each',
      asksBefore: async (input) => {
        const job = this.#newJob(input);
        const opened = await this.#service();
        const places = await opened.check(job, principal, from).catch(unreachable);
        const timing = { ...opened.preview(job), places };
        this.#timings.set(keyOf(job), timing);
        return true;
      },
      settled: (input) => {
        const known = this.#timings.get(keyOf(this.#newJob(input)));
        if (!known) return input;
        const settled = {
          ...input,
          schedule: known.stored,
          timezone: known.timezone,
          deliver: [...(known.places ?? [])],
        };
        this.#timings.set(keyOf(this.#newJob(settled)), known);
        return settled;
      },
      noteFor: (input, messages) => {
        const job = this.#newJob(input);
        const timing = this.#timings.get(keyOf(job));
        if (!timing) return '';
        const where = this.#elsewhere(job)?.join(', ') ?? messages.text('details.here');
        const given = { when: scheduleText(timing.words, messages), places: where, zone: timing.timezone };
        return timesText(messages.text('details.job', given), timing, messages);
      },
      asks: (input, phrasing) => {
        const job = this.#newJob(input);
        const timing = this.#timings.get(keyOf(job)) ?? { ...UNKNOWN, words: input.schedule };
        const { deliver: _all, ...what } = job;
        const deliver = this.#elsewhere(job);
        return askForJob(deliver ? { ...what, deliver } : what, timing, phrasing);
      },
      at: (input, when) => ({ ...input, schedule: when }),
      execute: async (input, { callId }) => {
        const opened = await this.#service();
        const ago = await this.#agoOf(callId);
        return shown(await opened.create(this.#newJob(input), principal, from, ago).catch(unreachable));
      },
    });
  }

  #list(): RuntimeTool {
    return defineTool({
      name: 'list_scheduled_jobs',
      description: 'The scheduled jobs with their next times.',
      input: listInput,
      effect: 'read',
      execute: async () => {
        return { jobs: (await this.#service()).list().slice(0, LISTED).map(shown) };
      },
    });
  }

  #change(): RuntimeTool {
    const { principal } = this.#deps;
    return defineTool({
      name: 'change_scheduled_job',
      description: 'Another time, or another time zone, for a scheduled job. The person confirms it.',
      input: changeInput,
      effect: 'idempotent',
      consent: 'each',
      asksBefore: async (input) => {
        const opened = await this.#service();
        const { id, name } = opened.find(input.name);
        const timing = opened.previewChange(input.name, changeOf(input));
        this.#timings.set(changeKey(input), { ...timing, id, name });
        this.#notes.set(changeKey(input), (messages) => {
          const given = { when: scheduleText(timing.words, messages), zone: timing.timezone };
          return timesText(messages.text('details.jobMoved', given), timing, messages);
        });
        return true;
      },
      settled: (input) => {
        const known = this.#timings.get(changeKey(input));
        const note = this.#notes.get(changeKey(input));
        if (known?.id === undefined || !note) return input;
        const settled = { name: known.id, schedule: known.stored, timezone: known.timezone };
        this.#timings.set(changeKey(settled), known);
        this.#notes.set(changeKey(settled), note);
        return settled;
      },
      shows: ({ name }) => this.#standing(name),
      noteFor: (input, messages) => this.#notes.get(changeKey(input))?.(messages) ?? '',
      asks: (input, { messages, plain }) => {
        const timing = this.#timings.get(changeKey(input)) ?? { ...UNKNOWN, words: input.schedule ?? '' };
        const when = whenText(timing, messages);
        const given = { name: plain(timing.name ?? input.name), when, zone: zoneText(timing.timezone, messages) };
        return { text: messages.text('consent.changeJob', given), asksWhen: true };
      },
      at: (input, when) => ({ ...input, schedule: when }),
      execute: async (input, { callId }) => {
        return shown(
          await (await this.#service()).change(input.name, changeOf(input), principal, await this.#agoOf(callId)),
        );
      },
    });
  }

  #delete(): RuntimeTool {
    const { principal } = this.#deps;
    return defineTool({
      name: 'delete_scheduled_job',
      description: 'Delete a scheduled job. The person confirms it.',
      input: deleteInput,
      effect: 'idempotent',
      consent: 'each',
      asksBefore: async ({ name }) => {
        const found = (await this.#service()).find(name);
        const { id, name: full, words: phrase, createdBy } = found;
        const known = { ...found, stored: found.schedule, now: new Date().toISOString() };
        this.#timings.set(name, known).set(id, known);
        const given = { name: full, id, made: createdBy === undefined ? 'hand' : 'chat' };
        const note = (messages: Messages) =>
          messages.text('details.jobDeleted', { ...given, when: scheduleText(phrase, messages) });
        this.#notes.set(name, note).set(id, note);
        return true;
      },
      settled: ({ name }) => ({ name: this.#timings.get(name)?.id ?? name }),
      shows: ({ name }) => this.#standing(name),
      noteFor: ({ name }, messages) => this.#notes.get(name)?.(messages) ?? '',
      asks: ({ name }, { messages, plain }) => {
        const timing = this.#timings.get(name);
        const when =
          timing === undefined ? '' : `${whenText(timing, messages)} (${zoneText(timing.timezone, messages)})`;
        return { text: messages.text('consent.deleteJob', { name: plain(timing?.name ?? name), when }) };
      },
      execute: async ({ name }) => {
        const { id } = await (await this.#service()).remove(name, principal);
        return { deleted: id };
      },
    });
  }

  /** The places that a question names: undefined for the conversation in which it is asked alone. */
  #elsewhere(job: NewJob): readonly string[] | undefined {
    const places = job.deliver ?? this.#timings.get(keyOf(job))?.places;
    const isHere = places?.length === 1 && places[0] === formatAddress(this.#deps.from);
    return isHere ? undefined : places;
  }

  #newJob(input: z.infer<typeof createInput>): NewJob {
    const { zone, usualViber } = this.#deps;
    const { viber } = this.#scope;
    return { ...jobOf(input, zone), ...(usualViber !== undefined && usualViber !== viber && { viber }) };
  }

  /** The job as it is now. */
  async #standing(name: string): Promise<string> {
    return (await this.#service()).find(name).version;
  }

  async #service(): Promise<JobService> {
    if (this.#deps.principal.role !== 'owner')
      throw new UserError('Only an owner of this bot may schedule jobs; ask one of them.');
    const opened = await this.#deps.service();
    if (!opened) throw new UserError('Scheduled jobs are not available now; the log of the gateway says why.');
    return opened;
  }

  /** How long ago the person was asked about a call, in ms; 0 for one nobody was asked about. */
  async #agoOf(callId: string): Promise<number> {
    const { home, viber, taskId, runId } = this.#scope;
    const lines = await findRun(home, viber, taskId, runId);
    const asked = lines.findLast((line) => line.type === 'approval' && line.callId === callId);
    return asked?.type === 'approval' ? Math.max(0, Date.now() - Date.parse(asked.at)) : 0;
  }
}

function unreachable(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  throw new UserError('One of the places to deliver to cannot be reached now; try again later.');
}
