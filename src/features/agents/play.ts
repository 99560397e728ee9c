/**
 * /play: starts a playbook as the work of a task, or resumes the unfinished one. It starts only if all values are
 * given.
 */

import { UserError } from '../../errors.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { lines, say } from '../../messages/messages.ts';
import { type Command, type CommandReply, type Invocation, mayUse } from '../../runtime/commands/command.ts';
import { taskLane } from '../../runtime/contract/entry.ts';
import { openTask, planProgress } from '../../workspace/tasks/index.ts';
import { findPlaybook, listPlaybooks } from './playbook/library.ts';
import { fillPlaybook } from './playbook/read-playbook.ts';
import { readPlayed } from './playbook/record.ts';

const MAX_LISTED = 30;
const VALUE = /([A-Za-z][\w-]{0,31})\s*=\s*(?:"([^"]*)"|'([^']*)'|[“”„]([^“”]*)[“”]|([^\s"'“”„]\S*))/uy;

export const play: Command = {
  name: 'play',
  help: { group: 'routine', does: 'does.play' },
  description: 'Play a playbook (/play NAME), or continue it',
  argument: {
    name: 'playbook',
    description: 'Its name, and what it needs: release-feature version=1.2.0',
    pattern: '^\\S+(\\s+[A-Za-z][\\w-]*\\s*=[\\s\\S]*)?$',
  },
  action: 'look',
  begins: true,
  takesTask: 'full',
  async run(context) {
    const { principal, task, args, messages } = context;
    if (principal.role === 'guest') return { text: messages.text('playbooks.membersOnly') };
    if (task && !mayUse(context.principal, 'steer', task))
      return { text: messages.text('playbooks.peopleOnly', { title: task.title }) };
    return args.trim() === '' ? resumePlaybook(context) : begin(context, args.trim());
  },
};

async function begin(context: Invocation, args: string): Promise<CommandReply> {
  const { gw, taskId, messages } = context;
  const { home } = gw;
  const [name = ''] = /^\S+/.exec(args) ?? [];
  const found = findPlaybook(home, name);
  const values = readValues(args.slice(name.length), found.needs);
  const missing = found.needs.filter((each) => !values.has(each));
  if (missing.length > 0) {
    const example = missing.map((each) => `${each}=...`).join(' ');
    return { text: messages.text('playbooks.needs', { name: found.name, what: messages.list(missing), example }) };
  }
  const filled = fillPlaybook(found.playbook, values);
  const current = readPlayed(home, taskId);
  if (current && !current.isFinished)
    return { text: messages.text('playbooks.otherOpen', { name: current.playbook.name }) };
  const own = context.task && !current ? await openTask(home, taskId).plan.read() : undefined;
  const { done, total } = own ? planProgress(own.plan) : { done: 0, total: 0 };
  if (done < total) return { text: messages.text('playbooks.ownPlan', { words: args }) };
  const { view, depth } = await gw.engine.queue.look(taskLane(taskId));
  const isBusy = view !== undefined || depth > 0;
  const text = [`Play ${found.name}`, ...[...values].map(([key, value]) => `${key}=${value}`)].join(' ');
  await context.put(taskId, text, { play: { name: found.name, values: [...values] } });
  const about = { title: filled.title, n: filled.steps.length };
  return { text: messages.text(isBusy ? 'playbooks.playingLater' : 'playbooks.playing', about) };
}

/**
 * Parses `version=1.2.0 note="two words"`.
 * @throws {UserError} for anything else
 */
function readValues(text: string, needs: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (let rest = text.trim(); rest !== ''; ) {
    VALUE.lastIndex = 0;
    const [whole, key = '', ...found] = VALUE.exec(rest) ?? [];
    if (whole === undefined) throw new UserError(say('playbooks.unreadable', { words: cutText(plainLine(rest), 40) }));
    const name = needs.find((each) => each === key.toLowerCase());
    if (name === undefined)
      throw new UserError(
        needs.length === 0
          ? say('playbooks.needsNothing', { name: key })
          : say('playbooks.notNeeded', { name: key, needs: needs.join(', ') }),
      );
    if (values.has(name)) throw new UserError(say('playbooks.twice', { name }));
    values.set(name, (found.find((each) => each !== undefined) ?? '').trim());
    rest = rest.slice(whole.length).trimStart();
  }
  return values;
}

async function resumePlaybook(context: Invocation): Promise<CommandReply> {
  const { gw, taskId, messages } = context;
  const { home } = gw;
  const played = context.task && readPlayed(home, taskId);
  if (!played || played.isFinished) return replyWithPlaybooks(context);
  const title = played.playbook.title;
  const { view: run } = await gw.engine.queue.look(taskLane(taskId));
  if (run && !run.isEnding) return { text: messages.text('playbooks.atWork', { title }) };
  if (gw.consent.approvals.open(taskId).length > 0) return { text: messages.text('playbooks.waits', { title }) };
  const plan = await openTask(home, taskId).plan.read();
  const { done, total } = plan ? planProgress(plan.plan) : { done: 0, total: played.playbook.steps.length };
  await context.put(taskId, `Go on with the playbook ${played.playbook.name}`, { play: {} });
  return { text: messages.text('playbooks.goingOn', { title, done, total }) };
}

async function replyWithPlaybooks({ gw, messages }: Invocation): Promise<CommandReply> {
  const { home } = gw;
  const all = listPlaybooks(home);
  const listed = all.slice(0, MAX_LISTED).map((each) => {
    const { name } = each;
    if ('problem' in each)
      return messages.text('playbooks.unusable', { name, problem: cutText(plainLine(each.problem), 200) });
    const goal = cutText(plainLine(each.playbook.goal), 120);
    if (each.needs.length === 0) return messages.text('playbooks.listed', { name, goal });
    return messages.text('playbooks.listedNeeds', { name, goal, needs: each.needs.join(', ') });
  });
  const rest = all.length - listed.length;
  const more = rest > 0 ? [messages.text('playbooks.more', { n: rest })] : [];
  return { text: lines(messages.text('playbooks.all'), '', ...listed, ...more, '', messages.text('playbooks.how')) };
}
