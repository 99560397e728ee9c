/**
 * /plan: shows the steps of a task. `done`, `skip`, `open` and `drop` with a number change a step, `add TEXT` adds one,
 * `move 3 1` moves one. `apply` and `keep` decide about a proposed plan.
 */
import { cutText, plainLine } from '../../../lib/text.ts';
import { type Messages, paragraphs, say, type Text, words } from '../../../messages/messages.ts';
import {
  nextStep,
  openTask,
  type PlanWrite,
  planNotes,
  planProgress,
  standsAt,
} from '../../../workspace/tasks/index.ts';
import type { Plan, PlanStep, StepStatus } from '../../../workspace/types.ts';
import { type ButtonAction, questionId } from '../../contract/buttons.ts';
import { bindingKey } from '../../conversations/conversations.ts';
import { escapeMarkdown } from '../../conversations/places.ts';
import { askAboutProposal } from '../../reply/plan-proposal.ts';
import { planRows, stepTitle } from '../../reply/plan-rows.ts';
import type { PlanView } from '../../reply/shown-plans.ts';
import type { Gateway } from '../../run/gateway.ts';
import { askedAgain } from '../as-shown.ts';
import { type Command, type CommandReply, type Invocation, isPrivate, mayUse, TASK_ID } from '../command.ts';

const MAX_TITLE = 200;

const VERBS = ['done', 'skip', 'open', 'drop'] as const;
type Verb = (typeof VERBS)[number];
const BECOMES: Readonly<Record<Exclude<Verb, 'drop'>, StepStatus>> = { done: 'done', skip: 'skipped', open: 'pending' };
const CHANGE = new RegExp(`^(${VERBS.join('|')})\\s+#?(\\d{1,3})(?:\\s+([0-9a-f]{8}))?$`, 'i');

const ADD = /^add\s+(\S[\s\S]*)$/i;
const MOVE = /^move\s+#?(\d{1,3})\s+(?:to\s+)?#?(\d{1,3})$/i;
const DECIDE = /^(apply|keep)\s+([0-9a-f]{8})$/;

export const plan: Command = {
  name: 'plan',
  help: { group: 'now', does: 'does.plan' },
  description: 'Show the plan of this task',
  argument: {
    name: 'task',
    description: 'add TEXT; done, skip, drop and a number; move 3 1; or a task id',
    suggests: true,
    pattern: `${TASK_ID}|^(?:(?=\\S*\\d)[\\w-]+\\s+)?(?:(?:${VERBS.join('|')})\\s+#?\\d{1,3}|move\\s+#?\\d{1,3}\\s+(?:to\\s+)?#?\\d{1,3}|add\\s+.+)$`,
  },
  action: 'look',
  takesTask: 'any',
  async run(context) {
    const args = context.args.trim();
    const decided = DECIDE.exec(args);
    if (decided) return decideProposal(context, decided[1] === 'apply', decided[2] ?? '');
    const added = ADD.exec(args)?.[1];
    if (added !== undefined)
      return edit(context, ({ steps, ...plan }) => ({ ...plan, steps: [...steps, stepOf(added)] }));
    const [, from, to] = MOVE.exec(args) ?? [];
    if (from !== undefined) return edit(context, (plan, at) => moved(plan, at, Number(to)), Number(from));
    const [, verb = '', number = '', key] = CHANGE.exec(args) ?? [];
    const wanted = VERBS.find((each) => each === verb.toLowerCase());
    return wanted ? changeStep(context, wanted, Number(number), key) : replyWithPlan(context);
  },
};

const maySteer = ({ principal, task }: Invocation): boolean => mayUse(principal, 'steer', task);

const refusal = ({ task, messages }: Invocation): CommandReply => ({
  text: messages.text('plans.peopleOnly', { title: escapeMarkdown(task?.title ?? '') }),
});

async function replyWithPlan(context: Invocation, said: Text | '' = ''): Promise<CommandReply> {
  const { messages } = context;
  const { plan: kept } = openTask(context.gw.home, context.taskId);
  const called = maySteer(context) ? await kept.readNamed() : undefined;
  const stored = called ?? (await kept.read());
  if (!stored || stored.plan.steps.length === 0) return { text: paragraphs(said, messages.text('plans.none')) };
  const { text, buttons } = renderPlanView(context.taskId, stored, called?.keys, messages);
  // Only a plan on its own is kept up to date: the words above it describe one moment.
  const binding = bindingKey(context.principal, context.address, context.isDirect);
  const isShown = said === '' && called !== undefined;
  return {
    text: paragraphs(said, text),
    ...(buttons && { buttons }),
    ...(isShown && { plan: { task: context.taskId, binding } }),
  };
}

/** Returns a task's plan as /plan shows it to its people. */
export async function planView(taskId: string, messages: Messages, gw: Gateway): Promise<PlanView> {
  const stored = await openTask(gw.home, taskId).plan.readNamed();
  if (!stored || stored.plan.steps.length === 0) return { text: messages.text('plans.none') };
  return renderPlanView(taskId, stored, stored.keys, messages);
}

function renderPlanView(
  taskId: string,
  { plan, text }: { plan: Plan; text: string },
  keys: readonly string[] | undefined,
  messages: Messages,
): PlanView {
  const next = nextStep(plan);
  const at = next ? plan.steps.indexOf(next) : -1;
  const key = keys?.[at];
  return {
    text: paragraphs(...planLines(plan, messages), ...planNotes(text).map(noteText)),
    ...(key === undefined ? {} : { buttons: buttonsFor(taskId, at + 1, key, messages) }),
  };
}

function planLines(plan: Plan, messages: Messages): (Text | '')[] {
  const { done, total } = planProgress(plan);
  const next = nextStep(plan);
  const goal = cutText(plainLine(plan.goal), MAX_TITLE);
  return [
    goal === '' ? '' : words(`**${escapeMarkdown(goal)}**`),
    planRows(plan, messages),
    next
      ? messages.text(next.status === 'in_progress' ? 'plans.now' : 'plans.next', {
          done,
          total,
          step: stepTitle(next),
        })
      : messages.text('plans.allDone'),
  ];
}

const noteText = ({ name, text }: { name: string; text: string }): Text =>
  words(`**${escapeMarkdown(name)}**\n${cutText(text, 600)}`);

/** A step's number may change, but its key always means the same step. */
const buttonsFor = (taskId: string, n: number, key: string, messages: Messages): ButtonAction[][] => {
  const about = (verb: Verb) => `${taskId} ${verb} ${n} ${key}`;
  const numberSteps = (verb: 'done' | 'skip' | 'drop'): ButtonAction => ({
    label: messages.text(`plans.${verb}`, { n }),
    command: 'plan',
    args: about(verb),
  });
  return [[numberSteps('done'), numberSteps('skip'), numberSteps('drop')]];
};

async function changeStep(
  context: Invocation,
  verb: Verb,
  number: number,
  key: string | undefined,
): Promise<CommandReply> {
  const { taskId, messages } = context;
  if (!maySteer(context)) return refusal(context);
  const { plan: kept } = openTask(context.gw.home, taskId);
  // Take the step that has this number now: others may change the plan while this waits for its turn.
  const meant = key ?? (await kept.readNamed())?.keys[number - 1];
  if (meant === undefined) return replyWithPlan(context, messages.text('plans.noStep', { n: number }));
  const write = await kept.change((plan, keys) => {
    const at = keys.indexOf(meant);
    return plan && at >= 0 ? changed(plan, at, verb) : undefined;
  });
  if (!write) return replyWithPlan(context, messages.text('plans.gone', { n: number }));
  return written(context, write);
}

function written(context: Invocation, write: PlanWrite): Promise<CommandReply> {
  const { gw, taskId, address, message } = context;
  if (write.written) gw.tasks.threads.show(taskId);
  if (write.written && !isPrivate(message)) gw.tasks.shownPlans.replaced(taskId, address);
  return write.written ? replyWithPlan(context) : replyWithPlan(context, context.messages.text('plans.changed'));
}

const stepOf = (said: string): PlanStep => ({ id: '', title: cutText(plainLine(said), MAX_TITLE), status: 'pending' });

function moved({ steps, ...plan }: Plan, from: number, to: number): Plan | undefined {
  const step = steps[from];
  if (!step || to < 1) return undefined;
  return { ...plan, steps: steps.toSpliced(from, 1).toSpliced(to - 1, 0, step) };
}

/** @param n the number of the step to change, of which `change` gets the index */
async function edit(
  context: Invocation,
  change: (plan: Plan, at: number) => Plan | undefined,
  n = 0,
): Promise<CommandReply> {
  const { task, messages } = context;
  if (!maySteer(context)) return refusal(context);
  if (!task) return { text: messages.text('plans.none') };
  const { plan: kept } = openTask(context.gw.home, context.taskId);
  const meant = n === 0 ? '' : (await kept.readNamed())?.keys[n - 1];
  const write = await kept.change((plan, keys) =>
    change({ steps: [], ...(plan && named(plan)), goal: plan?.goal || task.goal }, keys.indexOf(meant ?? '')),
  );
  return write ? written(context, write) : replyWithPlan(context, messages.text('plans.noStep', { n }));
}

/** The messages that ask about the proposal show the outcome. */
async function decideProposal(context: Invocation, isApplied: boolean, key: string): Promise<CommandReply> {
  const { gw, taskId, messages } = context;
  const { home } = gw;
  if (!maySteer(context)) return refusal(context);
  const { plan: kept } = openTask(home, taskId);
  const proposal = kept.proposal(key);
  if (proposal === undefined) return replyWithPlan(context, messages.text('plans.proposalGone'));
  const { text, current } = proposal;
  const now = (await kept.read())?.text ?? '';
  if (isApplied && current !== undefined && current !== now) {
    const asked = await askAboutProposal({ home, id: taskId, run: key }, { text, current: now }, messages);
    const outcome = say('questions.changedSince');
    return { ...askedAgain(asked, messages), decided: { question: questionId.plan(taskId, key), outcome } };
  }
  if (isApplied) await kept.write(text);
  kept.dropProposal();
  if (isApplied) gw.tasks.threads.show(taskId);
  const outcome = say(isApplied ? 'plans.applied' : 'plans.kept');
  const shown = await replyWithPlan(context, messages.said(outcome));
  return { ...shown, decided: { question: questionId.plan(taskId, key), outcome } };
}

/** Uses positions as IDs, so that it is clear which steps stay. */
const named = ({ steps, ...plan }: Plan): Plan => ({
  ...plan,
  steps: steps.map((step, index) => ({ ...step, id: standsAt(index) })),
});

function changed(plan: Plan, at: number, verb: Verb): Plan {
  const { steps } = named(plan);
  if (verb === 'drop') return { ...plan, steps: steps.filter((_, index) => index !== at) };
  const step = steps[at];
  return step ? { ...plan, steps: steps.with(at, { ...step, status: BECOMES[verb] }) } : plan;
}
