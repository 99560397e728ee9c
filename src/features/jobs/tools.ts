/**
 * `create_scheduled_job`, `list_scheduled_jobs`, `change_scheduled_job` and `delete_scheduled_job`, for owners. For
 * others, the error makes the model explain this. A job is shown before it is created or deleted (promise 41), in every
 * mode of the viber.
 */
import { z } from 'zod';
import { formatAddress } from '../../channels/channel.ts';
import { DeliveryError, UserError } from '../../errors.ts';
import { lines, type Messages, messagesIn, type Text, words } from '../../messages/messages.ts';
import { scheduleText, zoneText } from '../../messages/schedules.ts';
import type { JobChange, JobService, JobView, NewJob } from '../../runtime/contract/job-service.ts';
import { type Ability, defineTool } from '../../runtime/contract/tool.ts';
import { perRun } from '../../runtime/tools/bind.ts';
import { toPeopleHere } from '../../runtime/tools/offered.ts';
import { addressOfRun } from '../../runtime/tools/run.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { FeatureRun } from '../gateway.ts';
import { defaultViber } from './known-names.ts';
import { jobsOf } from './on-demand.ts';
import { askForJob, type Timing, whenText } from './sentences.ts';

/** The ability that these tools add to a viber. */
const CHANGES: Ability = { line: 'jobs', words: 'change, delete and list that (..._scheduled_job)' };

/** The gateway only reads English, so the model translates. */
const SCHEDULE = 'cron, or English: "8am daily", "monday 17:30"; translate theirs';

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
  schedule: z.string().max(4_000).exactOptional(),
  timezone: z.string().max(100).describe('IANA').exactOptional(),
});
const changeOf = ({ schedule, timezone }: z.infer<typeof changeInput>): JobChange => ({
  ...(schedule?.trim() ? { schedule } : {}),
  ...(timezone?.trim() ? { timezone } : {}),
});
const changeKey = (input: z.infer<typeof changeInput>): string => JSON.stringify(['change', input]);
const deleteInput = z.object({ name: z.string().max(200) });

/** The facts about a call that people are asked to approve. */
type CallFacts = Timing & { stored: string; name?: string; id?: string; places?: readonly string[] };

const LISTED = 50;
const UNKNOWN: Omit<CallFacts, 'name'> = { words: '', stored: '', timezone: 'UTC', next: [], now: '' };

/** Drops empty texts and lists, which models use for omitted values. */
function jobOf({ deliver, timezone, skills, model, ...rest }: z.infer<typeof createInput>, zone?: string): NewJob {
  return {
    ...rest,
    ...(deliver?.length ? { deliver } : {}),
    ...(timezone?.trim() ? { timezone } : zone === undefined ? {} : { timezone: zone }),
    ...(skills?.length ? { skills } : {}),
    ...(model?.trim() ? { model } : {}),
  };
}

const jobForModel = ({ id, name, words, timezone, state, next, deliver, lacks = [] }: JobView) => ({
  id,
  name,
  schedule: words,
  timezone,
  state,
  next,
  deliver,
  ...(lacks.length > 0 && { problems: lacks.map((said) => messagesIn('en').said(said)) }),
});

/** Lists times for people in the job's time zone, each with its full date. */
const timesText = (head: Text, { next, timezone }: Timing, { when }: Messages): Text =>
  lines(head, ...next.map((time) => words(`- ${when(new Date(time), timezone, new Date(0))}`)));

const timingKey = ({ schedule, timezone, deliver }: NewJob) => JSON.stringify([schedule, timezone, deliver]);

/** The pending calls of one run: their times, and the facts that people are shown. */
const waiting = perRun((_run: FeatureRun) => ({
  timings: new Map<string, CallFacts>(),
  notes: new Map<string, (messages: Messages) => Text>(),
}));

export const createJob = defineTool({
  name: 'create_scheduled_job',
  describe:
    'Schedule work: each time a fresh agent follows the prompt, and its answer is sent. The person confirms it.',
  doing: 'doing.newJob',
  ability: { line: 'jobs', words: 'remind them and work at set times' },
  offered: toPeopleHere,
  ownWords: true,
  arranges: true,
  input: createInput,
  effect: 'idempotent',
  consent: 'each',
  async asksBefore(input, run: FeatureRun) {
    const job = newJob(input, run);
    const opened = await serviceOf(run);
    const places = await opened.check(job, run.order.principal, addressOfRun(run)).catch(unreachable);
    waiting(run).timings.set(timingKey(job), { ...opened.preview(job), places });
    return true;
  },
  settled(input, run) {
    const { timings } = waiting(run);
    const known = timings.get(timingKey(newJob(input, run)));
    if (!known) return input;
    const deliver = [...(known.places ?? [])];
    const settled = { ...input, schedule: known.stored, timezone: known.timezone, deliver };
    timings.set(timingKey(newJob(settled, run)), known);
    return settled;
  },
  noteFor(input, run, messages) {
    const job = newJob(input, run);
    const timing = waiting(run).timings.get(timingKey(job));
    if (!timing) return '';
    const where = elsewhere(job, run)?.join(', ') ?? messages.text('details.here');
    const given = { when: scheduleText(timing.words, messages), places: where, zone: timing.timezone };
    return timesText(messages.text('details.job', given), timing, messages);
  },
  asks(input, run, phrasing) {
    const job = newJob(input, run);
    const timing = waiting(run).timings.get(timingKey(job)) ?? { ...UNKNOWN, words: input.schedule };
    const { deliver: _all, ...what } = job;
    const deliver = elsewhere(job, run);
    return askForJob(deliver ? { ...what, deliver } : what, timing, phrasing);
  },
  at: (input, when) => ({ ...input, schedule: when }),
  async execute(input, run, { callId }) {
    const opened = await serviceOf(run);
    const ago = await agoOf(callId, run);
    const { principal } = run.order;
    return jobForModel(
      await opened.create(newJob(input, run), principal, addressOfRun(run), ago).catch(unreachable).catch(unread),
    );
  },
});

export const listJobs = defineTool({
  name: 'list_scheduled_jobs',
  describe: 'List the scheduled jobs with their next times.',
  doing: 'doing.jobs',
  ability: CHANGES,
  offered: toPeopleHere,
  ownWords: true,
  input: listInput,
  effect: 'read',
  async execute(_input, run: FeatureRun) {
    return { jobs: (await serviceOf(run)).list().slice(0, LISTED).map(jobForModel) };
  },
});

export const changeJob = defineTool({
  name: 'change_scheduled_job',
  describe: 'Change the time or time zone of a scheduled job. The person confirms it.',
  doing: 'doing.changeJob',
  ability: CHANGES,
  offered: toPeopleHere,
  ownWords: true,
  arranges: true,
  input: changeInput,
  effect: 'idempotent',
  consent: 'each',
  async asksBefore(input, run: FeatureRun) {
    const opened = await serviceOf(run);
    const { id, name } = opened.find(input.name);
    const timing = opened.previewChange(input.name, changeOf(input));
    const { timings, notes } = waiting(run);
    timings.set(changeKey(input), { ...timing, id, name });
    notes.set(changeKey(input), (messages) => {
      const given = { when: scheduleText(timing.words, messages), zone: timing.timezone };
      return timesText(messages.text('details.jobMoved', given), timing, messages);
    });
    return true;
  },
  settled(input, run) {
    const { timings, notes } = waiting(run);
    const known = timings.get(changeKey(input));
    const note = notes.get(changeKey(input));
    if (known?.id === undefined || !note) return input;
    const settled = { name: known.id, schedule: known.stored, timezone: known.timezone };
    timings.set(changeKey(settled), known);
    notes.set(changeKey(settled), note);
    return settled;
  },
  shows: ({ name }, run) => standing(name, run),
  noteFor: (input, run, messages) => waiting(run).notes.get(changeKey(input))?.(messages) ?? '',
  asks(input, run, { messages, plain }) {
    const timing = waiting(run).timings.get(changeKey(input)) ?? { ...UNKNOWN, words: input.schedule ?? '' };
    const when = whenText(timing, messages);
    const given = { name: plain(timing.name ?? input.name), when, zone: zoneText(timing.timezone, messages) };
    return { text: messages.text('consent.changeJob', given), asksWhen: true };
  },
  at: (input, when) => ({ ...input, schedule: when }),
  async execute(input, run, { callId }) {
    const opened = await serviceOf(run);
    const ago = await agoOf(callId, run);
    return jobForModel(await opened.change(input.name, changeOf(input), run.order.principal, ago).catch(unread));
  },
});

export const deleteJob = defineTool({
  name: 'delete_scheduled_job',
  describe: 'Delete a scheduled job. The person confirms it.',
  doing: 'doing.noJob',
  ability: CHANGES,
  offered: toPeopleHere,
  ownWords: true,
  arranges: true,
  input: deleteInput,
  effect: 'idempotent',
  consent: 'each',
  async asksBefore({ name }, run: FeatureRun) {
    const found = (await serviceOf(run)).find(name);
    const { id, name: full, words: phrase, createdBy } = found;
    const { timings, notes } = waiting(run);
    const known = { ...found, stored: found.schedule, now: new Date().toISOString() };
    timings.set(name, known).set(id, known);
    const given = { name: full, id, made: createdBy === undefined ? 'hand' : 'chat' };
    const note = (messages: Messages) =>
      messages.text('details.jobDeleted', { ...given, when: scheduleText(phrase, messages) });
    notes.set(name, note).set(id, note);
    return true;
  },
  settled: ({ name }, run) => ({ name: waiting(run).timings.get(name)?.id ?? name }),
  shows: ({ name }, run) => standing(name, run),
  noteFor: ({ name }, run, messages) => waiting(run).notes.get(name)?.(messages) ?? '',
  asks({ name }, run, { messages, plain }) {
    const timing = waiting(run).timings.get(name);
    const when = timing === undefined ? '' : `${whenText(timing, messages)} (${zoneText(timing.timezone, messages)})`;
    return { text: messages.text('consent.deleteJob', { name: plain(timing?.name ?? name), when }) };
  },
  async execute({ name }, run) {
    const { id } = await (await serviceOf(run)).remove(name, run.order.principal);
    return { deleted: id };
  },
});

/** Returns the chats that a question must name, or undefined if it is only the one in which it is asked. */
function elsewhere(job: NewJob, run: FeatureRun): readonly string[] | undefined {
  const places = job.deliver ?? waiting(run).timings.get(timingKey(job))?.places;
  const isHere = places?.length === 1 && places[0] === formatAddress(addressOfRun(run));
  return isHere ? undefined : places;
}

function newJob(input: z.infer<typeof createInput>, { scope, order, gw }: FeatureRun): NewJob {
  const { viber } = scope;
  return { ...jobOf(input, gw.people.zones.of(order.principal)), ...(defaultViber(gw) !== viber && { viber }) };
}

const standing = async (name: string, run: FeatureRun): Promise<string> => (await serviceOf(run)).find(name).version;

async function serviceOf({ order, gw }: FeatureRun): Promise<JobService> {
  if (order.principal.role !== 'owner')
    throw new UserError('Only an owner of this bot may schedule jobs; ask one of them.');
  const opened = await jobsOf(gw).service();
  if (!opened) throw new UserError('Scheduled jobs are not available now; the log of the gateway says why.');
  return opened;
}

/** Returns how long ago the person was asked about a call, in ms; 0 if they were not asked. */
async function agoOf(callId: string, { scope: { home, viber, taskId, runId } }: FeatureRun): Promise<number> {
  const lines = openTask(home, taskId, viber).session.run(runId);
  const asked = lines.findLast((line) => line.type === 'approval' && line.callId === callId);
  return asked?.type === 'approval' ? Math.max(0, Date.now() - Date.parse(asked.at)) : 0;
}

const UNREAD = ['jobs.notUnderstood', 'jobs.notSchedule'];

/**
 * Times are parsed before the question is asked. So if this fails, the question is from an older version, which could
 * read more languages.
 */
function unread(error: unknown): never {
  if (!(error instanceof UserError) || !UNREAD.includes(error.said.key)) throw error;
  const why = 'It was asked about before an upgrade; since then schedules are read only in English.';
  const next = 'Tell the person in one sentence, and ask again with the same time in English.';
  throw new UserError(`Nothing was scheduled, though they said yes: ${error.message} ${why} ${next}`, { cause: error });
}

function unreachable(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  throw new UserError("One of the places to deliver to can't be reached right now; try again later.");
}
