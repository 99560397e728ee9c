/** /plan: the steps of a task, what is next, and buttons for it; `done`, `skip`, `open`, `drop` and a number change a step. */
import { hashText } from '../../lib/files.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { type Messages, paragraphs, type Text, words } from '../../messages/messages.ts';
import { nextStep, planNotes, planProgress, readPlan, writePlan } from '../../workspace/plan.ts';
import type { Plan, PlanStep, StepStatus } from '../../workspace/types.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import { escaped } from '../conversations/places.ts';
import { type Command, type CommandContext, type CommandReply, TASK_ID } from './command.ts';

const MARKS: Readonly<Record<StepStatus, string>> = { done: '✓', in_progress: '▶', pending: '○', skipped: '–' };
const MAX_TITLE = 200;
const MAX_STEPS = 40;

const VERBS = ['done', 'skip', 'open', 'drop'] as const;
type Verb = (typeof VERBS)[number];
const BECOMES: Readonly<Record<Exclude<Verb, 'drop'>, StepStatus>> = { done: 'done', skip: 'skipped', open: 'pending' };
const CHANGE = new RegExp(`^(${VERBS.join('|')})\\s+#?(\\d{1,3})(?:\\s+([0-9a-f]{8}))?$`, 'i');

export const plan: Command = {
  name: 'plan',
  description: 'Show the plan of this task',
  argument: {
    ...{ name: 'task', description: 'The id of another task, or done, skip, drop and a number', suggests: true },
    pattern: `${TASK_ID}|^(?:(?=\\S*\\d)[\\w-]+\\s+)?(?:${VERBS.join('|')})\\s+#?\\d{1,3}$`,
  },
  action: 'look',
  takesTask: 'any',
  async run(context) {
    const [, verb = '', number = '', key] = CHANGE.exec(context.args.trim()) ?? [];
    const wanted = VERBS.find((each) => each === verb.toLowerCase());
    return wanted ? change(context, wanted, Number(number), key) : show(context);
  },
};

const titleOf = ({ title }: PlanStep): string => escaped(cutText(plainLine(title), MAX_TITLE));

/** How a button names a step, whatever its number is by then. */
const keyOf = ({ title }: PlanStep): string => hashText(title).slice(0, 8);

async function show(context: CommandContext, said: Text | '' = ''): Promise<CommandReply> {
  const { messages } = context;
  const stored = await readPlan(context.home, context.taskId);
  if (!stored || stored.plan.steps.length === 0) return { text: paragraphs(said, messages.text('plans.none')) };
  const next = nextStep(stored.plan);
  const parts = [said, ...planLines(stored.plan, messages), ...planNotes(stored.text).map(noteText)];
  const mayChange = next && context.mayUse('steer', context.task);
  return {
    text: paragraphs(...parts),
    ...(mayChange ? { buttons: buttonsFor(context.taskId, stored.plan, next, messages) } : {}),
  };
}

/** The goal, the steps with their marks, and what is next. */
function planLines(plan: Plan, messages: Messages): (Text | '')[] {
  const { done, total } = planProgress(plan);
  const shown = plan.steps.slice(0, MAX_STEPS);
  const rows = shown.map((step, index) => {
    const title = step.status === 'skipped' ? messages.text('plans.skipped', { step: titleOf(step) }) : titleOf(step);
    return `${index + 1}. ${MARKS[step.status]} ${title}`;
  });
  const rest = plan.steps.length - shown.length;
  if (rest > 0) rows.push(messages.text('plans.more', { n: rest }));
  const next = nextStep(plan);
  const goal = cutText(plainLine(plan.goal), MAX_TITLE);
  return [
    goal === '' ? '' : words(`**${escaped(goal)}**`),
    words(rows.join('\n')),
    next
      ? messages.text(next.status === 'in_progress' ? 'plans.now' : 'plans.next', { done, total, step: titleOf(next) })
      : messages.text('plans.allDone'),
  ];
}

const noteText = ({ name, text }: { name: string; text: string }): Text =>
  words(`**${escaped(name)}**\n${cutText(text, 600)}`);

const buttonsFor = (taskId: string, { steps }: Plan, next: PlanStep, messages: Messages): ButtonAction[][] => {
  const about = (verb: Verb) => `${taskId} ${verb} ${steps.indexOf(next) + 1} ${keyOf(next)}`;
  const n = steps.indexOf(next) + 1;
  const named = (verb: 'done' | 'skip' | 'drop'): ButtonAction => ({
    ...{ label: messages.text(`plans.${verb}`, { n }), command: 'plan', args: about(verb) },
  });
  return [[named('done'), named('skip'), named('drop')]];
};

async function change(
  context: CommandContext,
  verb: Verb,
  number: number,
  key: string | undefined,
): Promise<CommandReply> {
  const { home, taskId, task, messages } = context;
  if (!context.mayUse('steer', task))
    return {
      text: messages.text('plans.peopleOnly', { title: escaped(task?.title ?? '') }),
    };
  const stored = await readPlan(home, taskId);
  const at = stored ? placeOf(stored.plan, number, key) : -1;
  const step = stored?.plan.steps[at];
  if (!stored || !step)
    return show(
      context,
      key === undefined && stored ? messages.text('plans.noStep', { n: number }) : messages.text('plans.changed'),
    );
  const write = await writePlan(home, taskId, changed(stored.plan, at, verb), { baseHash: stored.hash });
  if (write.written) context.showTask?.(taskId);
  return write.written ? show(context) : show(context, messages.text('plans.changed'));
}

/** Where a step is: by its number, or where a button meant another one that has moved, by its words. */
function placeOf({ steps }: Plan, number: number, key: string | undefined): number {
  const there = steps[number - 1];
  if (there && (key === undefined || keyOf(there) === key)) return number - 1;
  return key === undefined ? -1 : steps.findIndex((step) => keyOf(step) === key);
}

function changed(plan: Plan, at: number, verb: Verb): Plan {
  const { steps } = plan;
  if (verb === 'drop') return { ...plan, steps: steps.filter((_, index) => index !== at) };
  const step = steps[at];
  return step ? { ...plan, steps: steps.with(at, { ...step, status: BECOMES[verb] }) } : plan;
}
