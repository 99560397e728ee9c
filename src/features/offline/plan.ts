/** Handles requests about a plan for the built-in model: creates it, ticks its steps, shows it. */
import { clip } from '../../lib/text.ts';
import { lines, type Messages, say, type Text, words } from '../../messages/messages.ts';
import { isToDo, standsAt } from '../../workspace/tasks/index.ts';
import type { PlanStep } from '../../workspace/types.ts';
import type { OfflineRequest } from './requests.ts';
import { type Call, fieldOf, type MadeCall, type View, type Work } from './view.ts';

const goalOf = (steps: readonly string[]): string => clip(steps.join(', '), 100);

export function* makePlan(goal: string, steps: string[], view: View): Work {
  const { messages, plan: old } = view;
  // A goal made of the old steps says nothing about the new ones.
  const kept = old.goal === goalOf(old.steps.map(({ title }) => title)) ? '' : old.goal;
  const plan: View['plan'] = {
    goal: goal || kept || goalOf(steps),
    steps: steps.map((title, index) => ({ id: String(index + 1), title, status: 'pending' })),
  };
  const open = old.steps.filter(isToDo);
  const failure = yield* updatePlan(plan, view);
  if (failure !== undefined) return failure;
  const made = lines(messages.text('offline.planMade', { n: steps.length }), numbered(plan.steps, messages));
  if (open.length === 0) return made;
  const left = clip(open.map(({ title }) => messages.text('offline.quoted', { title })).join(', '), 400);
  return lines(made, '', messages.text('offline.planReplaced', { n: open.length, left }));
}

export function* tickSteps({ steps, title }: Extract<OfflineRequest, { kind: 'done' }>, view: View): Work {
  const { plan: old, messages } = view;
  const named = old.steps.filter((step) => title !== '' && step.title.toLowerCase().includes(title.toLowerCase()));
  const wanted = new Set(title === '' ? steps.map(String) : named.slice(0, 1).map((step) => step.id));
  if (old.steps.length === 0) return messages.text('offline.noPlan');
  const missing = [...wanted].find((id) => !old.steps.some((step) => step.id === id));
  if (wanted.size === 0 || missing)
    return lines(
      messages.text('offline.noStep', { step: missing ?? say('offline.quoted', { title }) }),
      numbered(old.steps, messages),
    );
  const plan: View['plan'] = {
    ...old,
    steps: old.steps.map((step) => (wanted.has(step.id) ? { ...step, status: 'done' } : step)),
  };
  const failure = yield* updatePlan(plan, view);
  if (failure) return failure;
  const changed = plan.steps
    .filter((step) => wanted.has(step.id))
    .map(({ id, title: words }) => messages.text('offline.step', { id, title: words }));
  const left = plan.steps.filter(isToDo).length;
  const rest = left === 0 ? say('offline.allDone') : say('offline.left', { left, total: plan.steps.length });
  return messages.text('offline.stepIs', { n: changed.length, steps: changed.join(' '), rest });
}

/** Identifies each step by its position in the earlier plan, because titles alone don't distinguish equal steps. */
function* updatePlan(plan: View['plan'], view: View): Generator<Call, string | undefined, MadeCall> {
  const stood = view.plan.steps.map(({ id }) => id);
  const idOf = (id: string) => (stood.includes(id) ? standsAt(stood.indexOf(id)) : id);
  const steps = plan.steps.map(({ id, title, status }) => ({ id: idOf(id), title, status }));
  const { value, error } = yield { tool: 'update_plan', input: { plan: { goal: plan.goal, steps } } };
  if (error !== undefined) return view.messages.text('offline.planFailed', { why: error });
  if (fieldOf(value, 'status') === 'conflict') return view.messages.text('offline.planConflict');
  view.plan = plan;
  return undefined;
}

export function showPlan({ plan, messages }: View): string {
  if (plan.steps.length === 0) return messages.text('offline.noPlan');
  const left = plan.steps.filter(isToDo).length;
  const goal = plan.goal ? `**${clip(plan.goal, 200)}**: ` : '';
  const open = messages.text('offline.stepsLeft', { left, total: plan.steps.length });
  return lines(words(`${goal}${open}`), numbered(plan.steps, messages));
}

function numbered(steps: readonly PlanStep[], messages: Messages): Text {
  const [now, not] = [messages.text('offline.isInProgress'), messages.text('offline.isSkipped')];
  const mark = { done: ' ✓', in_progress: ` ${now}`, pending: '', skipped: ` ${not}` };
  return words(steps.map(({ title, status }, index) => `${index + 1}. ${title}${mark[status]}`).join('\n'));
}
