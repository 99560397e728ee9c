/** /jobs: lists scheduled jobs with their next times; runs, pauses, resumes or deletes one. Owners only. */

import { UserError } from '../../errors.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { labelOf, lines, type Messages, say, sentences, type Text, words } from '../../messages/messages.ts';
import { scheduleText } from '../../messages/schedules.ts';
import { askedAgain, shownStamp, stamped, withStamp } from '../../runtime/commands/as-shown.ts';
import type { Command, CommandReply, Invocation } from '../../runtime/commands/command.ts';
import type { ButtonAction } from '../../runtime/contract/buttons.ts';
import type { JobService, JobView } from '../../runtime/contract/job-service.ts';
import { OFFLINE_MODEL } from '../../runtime/contract/providers.ts';
import { escapeMarkdown } from '../../runtime/conversations/places.ts';
import { jobsOf } from './on-demand.ts';

const LISTED = 20;
const WITH_BUTTONS = 5;

const jobButton = (label: Text, verb: string, { id }: JobView) => ({
  label: labelOf(label),
  command: 'jobs',
  args: `${verb} ${id}`,
});

function actions(job: JobView, messages: Messages): ButtonAction[] {
  const { name, state } = job;
  const named = (verb: 'run' | 'resume' | 'show') => jobButton(messages.text(`jobs.${verb}`, { name }), verb, job);
  const first =
    state === 'on'
      ? [named('run'), jobButton(messages.text('jobs.pause'), 'pause', job)]
      : [named(state === 'paused' ? 'resume' : 'show')];
  return [...first, jobButton(messages.text('jobs.delete'), 'delete', job)];
}

function line(job: JobView, messages: Messages): Text {
  const [next] = job.next;
  const when = next === undefined ? '' : `; ${messages.text('jobs.next', { when: timeOf(next, job, messages) })}`;
  const problem = (job.wrong ?? []).map((said) => `\n  ${escapeMarkdown(messages.said(said))}`).join('');
  const lacks = (job.lacks ?? []).map((said) => `\n  ${messages.said(said)}`).join('');
  const rhythm = escapeMarkdown(job.words ? scheduleText(job.words, messages) : job.schedule);
  const state = job.state === 'on' ? '' : ` ${messages.text(`jobs.${job.state}`)}`;
  return words(
    `- **${escapeMarkdown(job.name)}**${state}${rhythm === '' ? '' : `: ${rhythm}`}${when}${problem}${lacks}`,
  );
}

const timeOf = (time: string, { timezone }: JobView, messages: Messages): Text =>
  messages.when(new Date(time), timezone);

const placesText = (deliver: JobView['deliver'], messages: Messages): Text =>
  deliver.length > 0
    ? messages.text('jobs.goesTo', { places: messages.list(deliver.map((each) => `\`${each}\``)) })
    : messages.text('jobs.goesNowhere');

function details(job: JobView, messages: Messages): CommandReply {
  const { deliver, createdBy, lastRun, timezone, next } = job;
  const about = [
    placesText(deliver, messages),
    lastRun
      ? messages.text('jobs.lastRun', { state: say(`tasks.${lastRun.state}`), task: lastRun.task })
      : messages.text('jobs.neverRun'),
    createdBy === undefined ? '' : messages.text('jobs.madeBy', { who: createdBy }),
  ] as const;
  const times = next.map((time) => words(`- ${timeOf(time, job, messages)}`));
  const then = times.length > 0 ? (['', messages.text('jobs.nextTimes', { zone: timezone }), ...times] as const) : [];
  return {
    text: lines(line(job, messages), ...then, '', sentences(...about)),
    buttons: [actions(job, messages)],
  };
}

function replyWithJobs(service: JobService, { gw, messages }: Invocation): CommandReply {
  const jobs = service.list();
  // The built-in model can't create jobs.
  if (jobs.length === 0) {
    const shell = { init: viberCommand('init'), add: viberCommand('jobs add NAME') };
    const isOffline = gw.models.choices.usual().id === OFFLINE_MODEL;
    return { text: isOffline ? messages.text('jobs.noneOffline', shell) : messages.text('jobs.none') };
  }
  const rest = jobs.length - LISTED;
  const more = rest > 0 ? (['', messages.text('common.more', { n: rest })] as const) : [];
  return {
    text: lines(...jobs.slice(0, LISTED).map((job) => line(job, messages)), ...more),
    buttons: jobs.slice(0, WITH_BUTTONS).map((job) => actions(job, messages)),
  };
}

function askToDelete(job: JobView, messages: Messages): CommandReply {
  const { args, ...yes } = jobButton(messages.text('jobs.yesDelete'), 'delete!', job);
  const text = messages.text('jobs.reallyDelete', { name: escapeMarkdown(job.name) });
  return { text, buttons: [[{ ...yes, args: stamped(args, job.version) }]] };
}

type Act = (service: JobService, name: string, context: Invocation) => CommandReply | Promise<CommandReply>;

/** `delete` asks first; `delete!` confirms it and is what the command line uses. */
const VERBS: Readonly<Record<string, Act>> = {
  show: (service, name, { messages }) => details(service.find(name), messages),
  async run(service, name, { principal, messages }) {
    const job = await service.runNow(name, principal);
    const begun = messages.text('jobs.runsNow', { name: escapeMarkdown(job.name) });
    return { text: sentences(begun, placesText(job.deliver, messages)) };
  },
  async pause(service, name, { principal, messages }) {
    const job = await service.pause(name, principal);
    const resume = jobButton(messages.text('jobs.resume', { name: job.name }), 'resume', job);
    return { text: messages.text('jobs.pausedNow', { name: escapeMarkdown(job.name) }), buttons: [[resume]] };
  },
  resume: async (service, name, { principal, messages }) => details(await service.resume(name, principal), messages),
  delete: (service, name, { messages }) => askToDelete(service.find(name), messages),
  async 'delete!'(service, args, { principal, messages }) {
    const { given: name, stamp } = withStamp(args);
    const now = service.find(name);
    if (stamp !== undefined && stamp !== shownStamp(now.version))
      return askedAgain(askToDelete(now, messages), messages);
    const gone = await service.remove(name, principal);
    return { text: messages.text('jobs.deleted', { name: escapeMarkdown(gone.name) }) };
  },
};

export const jobs: Command = {
  name: 'jobs',
  help: { group: 'routine', does: 'does.jobs', for: 'owner' },
  description: 'Scheduled jobs (/jobs run|pause|resume|delete NAME)',
  argument: {
    name: 'action',
    description: 'show, run, pause, resume or delete, and the name',
    suggests: false,
    pattern: '^(show|run|pause|resume|delete!?)\\s+\\S[\\s\\S]{0,100}$',
  },
  action: 'administer',
  async run(context) {
    const { messages } = context;
    const service = await jobsOf(context.gw).service();
    if (!service) throw new UserError(say('jobs.notHere'));
    const [, first = '', name = ''] = /^\s*(\S*)\s*([\s\S]*?)\s*$/.exec(context.args) ?? [];
    if (first === '') return replyWithJobs(service, context);
    const verb = first.toLowerCase();
    const act = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (!act) return details(service.find(`${first} ${name}`), messages);
    if (name === '') return { text: messages.text('jobs.which', { verb }) };
    return act(service, name, context);
  },
};
