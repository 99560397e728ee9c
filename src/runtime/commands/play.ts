/** /play: begins a playbook as the work of a task, or goes on with the one that is not done. Nothing begins before all it needs is given. */
import { UserError } from '../../errors.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { planProgress, readPlan } from '../../workspace/plan.ts';
import type { Command, CommandContext, CommandReply } from './command.ts';

const MAX_LISTED = 30;
const VALUE = /([A-Za-z][\w-]{0,31})\s*=\s*(?:"([^"]*)"|'([^']*)'|[“”„]([^“”]*)[“”]|([^\s"'“”„]\S*))/uy;

export const play: Command = {
  name: 'play',
  description: 'Play a playbook (/play NAME), or go on with it',
  argument: {
    name: 'playbook',
    description: 'Its name, and what it needs: release-feature version=1.2.0',
    pattern: '^\\S+(\\s+[A-Za-z][\\w-]*\\s*=[\\s\\S]*)?$',
  },
  action: 'look',
  begins: true,
  takesTask: 'full',
  async run(context) {
    const { principal, task, args } = context;
    if (principal.role === 'guest') return { text: 'Playbooks are for the people of this bot; ask its owner.' };
    if (task && !context.mayUse('steer', task))
      return { text: `Only the people of **${task.title}** may play something in it; ask one of them.` };
    return args.trim() === '' ? goOn(context) : begin(context, args.trim());
  },
};

async function begin(context: CommandContext, args: string): Promise<CommandReply> {
  const { home, taskId, look } = context;
  const [{ findPlaybook }, { readPlayed }, { fillPlaybook }] = await Promise.all([
    import('../playbook/library.ts'),
    import('../playbook/record.ts'),
    import('../../skills/playbook.ts'),
  ]);
  const [name = ''] = /^\S+/.exec(args) ?? [];
  const found = findPlaybook(home, name);
  const values = readValues(args.slice(name.length), found.needs);
  const missing = found.needs.filter((each) => !values.has(each));
  if (missing.length > 0) {
    const example = missing.map((each) => `${each}=...`).join(' ');
    return { text: `The playbook ${found.name} needs ${missing.join(', ')}: send /play ${found.name} ${example}` };
  }
  const filled = fillPlaybook(found.playbook, values);
  const current = readPlayed(home, taskId);
  if (current && !current.isFinished)
    return {
      text: `This task is not done with the playbook ${current.playbook.name}: /play goes on with it, /new begins another task.`,
    };
  const own = context.task && !current ? await readPlan(home, taskId) : undefined;
  const { done, total } = own ? planProgress(own.plan) : { done: 0, total: 0 };
  if (done < total)
    return {
      text: `This task has a plan of its own with open steps, which the playbook would replace: send /new, then /play ${args} there.`,
    };
  const { view, depth } = await look(taskId);
  const isBusy = view !== undefined || depth > 0;
  const text = [`Play ${found.name}`, ...[...values].map(([key, value]) => `${key}=${value}`)].join(' ');
  await context.play(taskId, { name: found.name, values: [...values] }, text);
  const steps = `${filled.steps.length} ${filled.steps.length === 1 ? 'step' : 'steps'}`;
  const when = isBusy ? ' It begins when what I am at is done.' : '';
  return { text: `Playing **${filled.title}**: ${steps}.${when} /plan shows how far it is.` };
}

/** `version=1.2.0 note="two words"`. Throws UserError for anything else. */
function readValues(text: string, needs: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (let rest = text.trim(); rest !== ''; ) {
    VALUE.lastIndex = 0;
    const [whole, key = '', ...found] = VALUE.exec(rest) ?? [];
    if (whole === undefined)
      throw new UserError(
        `I cannot read "${cutText(plainLine(rest), 40)}": give values as name=value, or name="two words".`,
      );
    const name = needs.find((each) => each === key.toLowerCase());
    const known = needs.length === 0 ? 'none' : needs.join(', ');
    if (name === undefined) throw new UserError(`This playbook does not need ${key}; what it needs: ${known}.`);
    if (values.has(name)) throw new UserError(`${name} is given twice.`);
    values.set(name, (found.find((each) => each !== undefined) ?? '').trim());
    rest = rest.slice(whole.length).trimStart();
  }
  return values;
}

async function goOn(context: CommandContext): Promise<CommandReply> {
  const { home, taskId, look, approvals } = context;
  const { readPlayed } = await import('../playbook/record.ts');
  const played = context.task && readPlayed(home, taskId);
  if (!played || played.isFinished) return list(context);
  const title = played.playbook.title;
  const { view: run } = await look(taskId);
  if (run && !run.isEnding)
    return { text: `**${title}**: I am at work on this task. /plan shows how far it is, /stop ends that.` };
  if ((approvals?.open(taskId) ?? []).length > 0)
    return { text: `**${title}** waits for your answer to my last question here; /stop ends that.` };
  const plan = await readPlan(home, taskId);
  const { done, total } = plan ? planProgress(plan.plan) : { done: 0, total: played.playbook.steps.length };
  await context.play(taskId, {}, `Go on with the playbook ${played.playbook.name}`);
  return { text: `Going on with **${title}**: ${done} of ${total} steps are done.` };
}

async function list({ home }: CommandContext): Promise<CommandReply> {
  const { listPlaybooks } = await import('../playbook/library.ts');
  const all = listPlaybooks(home);
  const lines = all.slice(0, MAX_LISTED).map((each) => {
    if ('problem' in each) return `- ${each.name}: cannot be used: ${cutText(plainLine(each.problem), 200)}`;
    const needs = each.needs.length > 0 ? ` (needs ${each.needs.join(', ')})` : '';
    return `- ${each.name}: ${cutText(plainLine(each.playbook.goal), 120)}${needs}`;
  });
  const more = all.length > MAX_LISTED ? `\n(and ${all.length - MAX_LISTED} more)` : '';
  return {
    text: `The playbooks:\n\n${lines.join('\n')}${more}\n\nPlay one with /play and its name. They stand in the folder playbooks/.`,
  };
}
