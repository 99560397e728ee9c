/** /jobs: the scheduled jobs with their next times; run, pause, resume or delete one. Owners only. */
import { UserError } from '../../errors.ts';
import type { JobDesk, JobView } from '../job-desk.ts';
import type { ButtonAction } from '../reply/buttons.ts';
import { timesText } from '../tools/jobs.ts';
import type { Command, CommandContext, CommandReply } from './command.ts';

const VERBS = ['run', 'pause', 'resume', 'delete', 'show'] as const;
const LISTED = 20;
const WITH_BUTTONS = 5;

const button = (label: string, verb: string, { id }: JobView): ButtonAction => ({
  ...{ label, command: 'jobs', args: `${verb} ${id}` },
});

const actions = (job: JobView): ButtonAction[] => [
  ...(job.state === 'on' ? [button(`Run ${job.name}`.slice(0, 40), 'run', job), button('Pause', 'pause', job)] : []),
  ...(job.state === 'paused' ? [button(`Resume ${job.name}`.slice(0, 40), 'resume', job)] : []),
  button('Delete', 'delete?', job),
];

/** Names are the person's own words; they must not become markup. */
const plain = (text: string): string => text.replace(/[\\`*_~[\]<>|#]/g, '\\$&');

const STATE = { on: '', paused: ' (paused)', broken: ' (broken)', done: ' (done)' } as const;

function line(job: JobView): string {
  const [next] = job.next;
  const when = next === undefined ? '' : `; next ${timesText([next], job.timezone).slice(2)}`;
  const problem = job.problem === undefined ? '' : `\n  ${plain(job.problem)}`;
  return `- **${plain(job.name)}**${STATE[job.state]}: ${plain(job.words || job.schedule)}${when}${problem}`;
}

function details(job: JobView): CommandReply {
  const last = job.lastRun ? `Last run: ${job.lastRun.state} (task ${job.lastRun.task}).` : 'It has not run yet.';
  const to = job.deliver.length > 0 ? `Goes to ${job.deliver.map((each) => `\`${each}\``).join(', ')}.` : '';
  const times = job.next.length > 0 ? `Next (${job.timezone}):\n${timesText(job.next, job.timezone)}` : '';
  const text = [line(job), times, [to, last].filter(Boolean).join(' ')].filter(Boolean).join('\n\n');
  return { text, buttons: [actions(job)] };
}

function list(desk: JobDesk): CommandReply {
  const jobs = desk.list();
  if (jobs.length === 0)
    return { text: 'There are no scheduled jobs. Ask me, for example: every weekday at 9, send me a digest here.' };
  const more = jobs.length > LISTED ? `\n\nand ${jobs.length - LISTED} more` : '';
  return {
    text: `${jobs.slice(0, LISTED).map(line).join('\n')}${more}`,
    buttons: jobs.slice(0, WITH_BUTTONS).map(actions),
  };
}

async function act(verb: string, name: string, { jobs: openDesk, principal }: CommandContext): Promise<CommandReply> {
  const desk = openDesk();
  if (!desk) throw new UserError('There are no jobs here.');
  switch (verb) {
    case 'run': {
      const job = desk.find(name);
      if ((await desk.runNow(name, principal)) === 'busy') return { text: 'Its last run is still under way.' };
      return { text: `I run **${plain(job?.name ?? name)}** now; its result goes where it always goes.` };
    }
    case 'pause':
      return { text: `Paused: **${plain((await desk.pause(name, principal)).name)}**.` };
    case 'resume':
      return details(await desk.resume(name, principal));
    case 'delete?': {
      const job = desk.find(name);
      if (!job) throw new UserError(`There is no job ${JSON.stringify(name.slice(0, 60))}; /jobs lists them.`);
      const text = `Delete **${plain(job.name)}** for good?`;
      return { text, buttons: [[button('Yes, delete it', 'delete', job)]] };
    }
    case 'delete':
      return { text: `Deleted: **${plain((await desk.remove(name, principal)).name)}**.` };
    default: {
      const job = desk.find(name);
      if (!job) throw new UserError(`There is no job ${JSON.stringify(name.slice(0, 60))}; /jobs lists them.`);
      return details(job);
    }
  }
}

export const jobs: Command = {
  name: 'jobs',
  description: 'Scheduled jobs (/jobs run|pause|resume|delete NAME)',
  argument: {
    ...{ name: 'action', description: 'run, pause, resume or delete, and the name', suggests: false },
    pattern: `^(${VERBS.join('|')})\\s+\\S[\\s\\S]{0,100}$`,
  },
  action: 'administer',
  async run(context) {
    const desk = context.jobs();
    if (!desk) return { text: 'The scheduled jobs are still being read; try again in a moment.' };
    const [, verb = '', name = ''] = /^\s*(\S*)\s*([\s\S]*)$/.exec(context.args) ?? [];
    if (verb === '') return list(desk);
    const isVerb = /^(run|pause|resume|delete\??|show)$/.test(verb.toLowerCase());
    if (isVerb && name.trim() === '') return { text: `Which one? Write /jobs ${verb} and the name; /jobs lists them.` };
    return isVerb ? act(verb.toLowerCase(), name.trim(), context) : act('show', `${verb} ${name}`.trim(), context);
  },
};
