/** What the offline model does about a plan: makes it, ticks its steps, adds, moves and drops them. */
import { lines, type Messages, say, sentences, type Text, words } from '../../messages/messages.ts';
import { isToDo } from '../../workspace/plan/plan.ts';
import { standsAt } from '../../workspace/plan/steps.ts';
import type { PlanStep } from '../../workspace/types.ts';
import type { Place, PlanRequest } from './plan-words.ts';
import { type Call, clip, fieldOf, type MadeCall, type View, type Work } from './view.ts';

export function workOnPlan(request: PlanRequest, view: View): Work {
  switch (request.kind) {
    case 'plan':
      return makePlan(request.goal, request.steps, view);
    case 'mark':
      return markSteps(request, view);
    case 'add-steps':
      return addSteps(request.titles, request.to, view);
    case 'move-step':
      return moveStep(request.step, request.to, view);
  }
}

const GENERAL = ['offline.collect', 'offline.doWork', 'offline.check', 'offline.report'] as const;

function* makePlan(goal: string, steps: string[], view: View): Work {
  const { messages } = view;
  const titles =
    steps.length > 0 ? steps : [messages.text('offline.agree', { goal }), ...GENERAL.map((key) => messages.text(key))];
  const plan: View['plan'] = {
    goal: goal || view.plan.goal || clip(titles.join(', '), 100),
    steps: titles.map((title, index) => ({ id: String(index + 1), title, status: 'pending' })),
  };
  const failure = yield* updatePlan(plan, view);
  if (failure) return failure;
  const general = steps.length > 0 ? '' : messages.text('offline.planGeneral');
  return lines(
    sentences(messages.text('offline.planMade', { n: titles.length }), general),
    numbered(plan.steps, messages),
  );
}

const BECAME = {
  done: 'offline.done',
  in_progress: 'offline.inProgress',
  pending: 'offline.pending',
  skipped: 'offline.skipped',
} as const;

function* markSteps({ steps, title, status }: Extract<PlanRequest, { kind: 'mark' }>, view: View): Work {
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
  if (status === 'dropped') return yield* dropSteps(wanted, view);
  const plan = { ...old, steps: old.steps.map((step) => (wanted.has(step.id) ? { ...step, status } : step)) };
  const failure = yield* updatePlan(plan, view);
  if (failure) return failure;
  const changed = plan.steps
    .filter((step) => wanted.has(step.id))
    .map(({ id, title: words }) => messages.text('offline.step', { id, title: words }));
  const left = plan.steps.filter(isToDo).length;
  const rest = left === 0 ? say('offline.allDone') : say('offline.left', { left, total: plan.steps.length });
  const about = { n: changed.length, steps: changed.join(' '), status: say(BECAME[status]), rest };
  return messages.text('offline.stepIs', about);
}

function* dropSteps(wanted: ReadonlySet<string>, view: View): Work {
  const { plan: old, messages } = view;
  const gone = old.steps
    .filter((step) => wanted.has(step.id))
    .map(({ title }) => messages.text('offline.quoted', { title }));
  const failure = yield* updatePlan({ ...old, steps: old.steps.filter((step) => !wanted.has(step.id)) }, view);
  if (failure) return failure;
  return lines(messages.text('offline.dropped', { steps: messages.list(gone) }), numbered(view.plan.steps, messages));
}

function* addSteps(titles: readonly string[], to: Place, view: View): Work {
  const { plan: old, messages } = view;
  if (old.steps.length === 0) return yield* makePlan('', [...titles], view);
  const last = Math.max(...old.steps.map(({ id }) => Number(id) || 0));
  const fresh = titles.map((title, index): PlanStep => ({ id: String(last + 1 + index), title, status: 'pending' }));
  const at = indexFor(to, old.steps, old.steps.length);
  if (at === undefined) return noStep(to, view);
  const failure = yield* updatePlan({ ...old, steps: old.steps.toSpliced(at, 0, ...fresh) }, view);
  if (failure) return failure;
  const added = messages.list(titles.map((title) => messages.text('offline.quoted', { title })));
  return lines(messages.text('offline.added', { steps: added }), numbered(view.plan.steps, messages));
}

function* moveStep(n: number, to: Place, view: View): Work {
  const { plan: old, messages } = view;
  const from = old.steps.findIndex(({ id }) => id === String(n));
  const step = old.steps[from];
  if (!step) return noStep({ at: 'place', n }, view);
  const others = old.steps.toSpliced(from, 1);
  const at = indexFor(to, others, from);
  if (at === undefined) return noStep(to, view);
  const failure = yield* updatePlan({ ...old, steps: others.toSpliced(at, 0, step) }, view);
  if (failure) return failure;
  const moved = messages.text('offline.moved', { step: messages.text('offline.quoted', { title: step.title }) });
  return lines(moved, numbered(view.plan.steps, messages));
}

/** Where a step goes among these; undefined where the step beside it is none of them. @param here where it stands now */
function indexFor(to: Place, steps: readonly PlanStep[], here: number): number | undefined {
  if (to.at === 'first') return 0;
  if (to.at === 'last') return steps.length;
  if (to.at === 'up') return Math.max(0, here - 1);
  if (to.at === 'down') return Math.min(steps.length, here + 1);
  const { n } = to;
  if (to.at === 'place') return n < 1 ? undefined : Math.min(n - 1, steps.length);
  const beside = steps.findIndex(({ id }) => id === String(n));
  if (beside === -1) return undefined;
  return to.at === 'before' ? beside : beside + 1;
}

function noStep(to: Place, { plan, messages }: View): string {
  if (plan.steps.length === 0) return messages.text('offline.noPlan');
  return lines(messages.text('offline.noStep', { step: String(to.n) }), numbered(plan.steps, messages));
}

/** Each step says which one of the plan that stood it is: words alone do not tell two of the same apart. */
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
