/** /jobs: the scheduled jobs with their next times; run, pause, resume or delete one. Owners only. */
import { UserError } from '../../errors.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import type { JobService, JobView } from '../contract/job-service.ts';
import { escaped as plain } from '../conversations/places.ts';
import { timesText } from '../tools/jobs.ts';
import type { Command, CommandContext, CommandReply } from './command.ts';

const LISTED = 20;
const WITH_BUTTONS = 5;
const MAX_LABEL = 40;

const button = (label: string, verb: string, { id }: JobView): ButtonAction => ({
  ...{ label: label.slice(0, MAX_LABEL).toWellFormed(), command: 'jobs', args: `${verb} ${id}` },
});

const actions = (job: JobView): ButtonAction[] => [
  ...(job.state === 'on' ? [button(`Run ${job.name}`, 'run', job), button('Pause', 'pause', job)] : []),
  ...(job.state === 'paused' ? [button(`Resume ${job.name}`, 'resume', job)] : []),
  ...(job.state === 'on' || job.state === 'paused' ? [] : [button(`Show ${job.name}`, 'show', job)]),
  button('Delete', 'delete', job),
];

const STATE = { on: '', paused: ' (paused)', broken: ' (broken)', done: ' (done)' } as const;

function line(job: JobView): string {
  const [next] = job.next;
  const when = next === undefined ? '' : `; next ${timesText([next], job.timezone).slice(2)}`;
  const problem = job.problem === undefined ? '' : `\n  ${plain(job.problem)}`;
  const words = plain(job.words || job.schedule);
  return `- **${plain(job.name)}**${STATE[job.state]}${words === '' ? '' : `: ${words}`}${when}${problem}`;
}

function details(job: JobView): CommandReply {
  const last = job.lastRun ? `Last run: ${job.lastRun.state} (task \`${job.lastRun.task}\`).` : 'It has not run yet.';
  const to = job.deliver.length > 0 ? `Goes to ${job.deliver.map((each) => `\`${each}\``).join(', ')}.` : '';
  const by = job.createdBy === undefined ? '' : `Made by \`${job.createdBy}\`.`;
  const times = job.next.length > 0 ? `Next (${job.timezone}):\n${timesText(job.next, job.timezone)}` : '';
  const text = [line(job), times, [to, last, by].filter(Boolean).join(' ')].filter(Boolean).join('\n\n');
  return { text, buttons: [actions(job)] };
}

function list(service: JobService): CommandReply {
  const jobs = service.list();
  if (jobs.length === 0)
    return { text: 'There are no scheduled jobs. Ask me, for example: every weekday at 9, send me a digest here.' };
  const more = jobs.length > LISTED ? `\n\nand ${jobs.length - LISTED} more` : '';
  return {
    text: `${jobs.slice(0, LISTED).map(line).join('\n')}${more}`,
    buttons: jobs.slice(0, WITH_BUTTONS).map(actions),
  };
}

type Act = (service: JobService, name: string, context: CommandContext) => CommandReply | Promise<CommandReply>;

/** `delete` asks first; `delete!` is what the button under that question means, and the command line. */
const VERBS: Readonly<Record<string, Act>> = {
  show: (service, name) => details(service.find(name)),
  async run(service, name, { principal }) {
    const job = await service.runNow(name, principal);
    return { text: `I run **${plain(job.name)}** now; its result goes where it always goes.` };
  },
  async pause(service, name, { principal }) {
    const job = await service.pause(name, principal);
    return { text: `Paused: **${plain(job.name)}**.`, buttons: [[button('Resume', 'resume', job)]] };
  },
  resume: async (service, name, { principal }) => details(await service.resume(name, principal)),
  delete(service, name) {
    const job = service.find(name);
    const text = `Delete **${plain(job.name)}** for good?`;
    return { text, buttons: [[button('Yes, delete it', 'delete!', job)]] };
  },
  async 'delete!'(service, name, { principal }) {
    return { text: `Deleted: **${plain((await service.remove(name, principal)).name)}**.` };
  },
};

export const jobs: Command = {
  name: 'jobs',
  description: 'Scheduled jobs (/jobs run|pause|resume|delete NAME)',
  argument: {
    ...{ name: 'action', description: 'show, run, pause, resume or delete, and the name', suggests: false },
    pattern: '^(show|run|pause|resume|delete!?)\\s+\\S[\\s\\S]{0,100}$',
  },
  action: 'administer',
  async run(context) {
    const service = await context.jobs();
    if (!service) throw new UserError('There are no scheduled jobs here; the log of the gateway may say why.');
    const [, first = '', name = ''] = /^\s*(\S*)\s*([\s\S]*?)\s*$/.exec(context.args) ?? [];
    if (first === '') return list(service);
    const verb = first.toLowerCase();
    const act = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (!act) return details(service.find(`${first} ${name}`));
    if (name === '') return { text: `Which one? Write /jobs ${verb} and the name; /jobs lists them.` };
    return act(service, name, context);
  },
};
