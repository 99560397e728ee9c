/** Formats the steps of a plan for people, and the changes between two plans. Pure. */
import { cutText, escapeMarkdown, plainLine } from '../../lib/text.ts';
import { type Messages, type Text, words } from '../../messages/messages.ts';
import { nextStep } from '../../workspace/tasks/index.ts';
import type { Plan, PlanStep, StepStatus } from '../../workspace/types.ts';

const MARKS: Readonly<Record<StepStatus, string>> = { done: '✓', in_progress: '▶', pending: '○', skipped: '–' };
const MAX_TITLE = 200;
const MAX_STEPS = 40;
const MAX_CHANGES = 6;
const MAX_CHANGED = 60;

const shownTitle = ({ title }: PlanStep, most: number): string => escapeMarkdown(cutText(plainLine(title), most));

export const stepTitle = (step: PlanStep): string => shownTitle(step, MAX_TITLE);

export function planRows({ steps }: Plan, messages: Messages): Text {
  const rows = steps.slice(0, MAX_STEPS).map((step, index) => {
    const title =
      step.status === 'skipped' ? messages.text('plans.skipped', { step: stepTitle(step) }) : stepTitle(step);
    return `${index + 1}. ${MARKS[step.status]} ${title}`;
  });
  const rest = steps.length - MAX_STEPS;
  if (rest > 0) rows.push(messages.text('plans.more', { n: rest }));
  return words(rows.join('\n'));
}

/** Describes in one line which steps changed, were added and were removed; empty if nothing changed. */
export function planChange(before: Plan | undefined, after: Plan, messages: Messages): Text | '' {
  if (!before || before.steps.length === 0) {
    const next = nextStep(after);
    const n = after.steps.length;
    return next && n > 0 ? messages.text('plans.made', { n, step: shownTitle(next, MAX_CHANGED) }) : '';
  }
  const old = new Map(before.steps.map((step) => [step.title, step]));
  const kept = new Set(after.steps.map((step) => step.title));
  const changed = after.steps.flatMap((step) => {
    const was = old.get(step.title);
    if (was?.status === step.status) return [];
    return [
      `${was ? '' : '+ '}${was || step.status !== 'pending' ? `${MARKS[step.status]} ` : ''}${shownTitle(step, MAX_CHANGED)}`,
    ];
  });
  const gone = before.steps.filter(({ title }) => !kept.has(title)).map((step) => `− ${shownTitle(step, MAX_CHANGED)}`);
  const all = [...changed, ...gone];
  if (all.length === 0) return '';
  const rest = all.length - MAX_CHANGES;
  const shown = rest > 0 ? [...all.slice(0, MAX_CHANGES), messages.text('plans.more', { n: rest })] : all;
  return messages.text('plans.changedLine', { changes: shown.join(' · ') });
}
