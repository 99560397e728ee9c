/**
 * Reads the forms in which models give a plan: ours, those of other programs (a list of `{step, status}` or of
 * `{content, status, activeForm}`), and any of these as JSON in a string. Pure. Other forms pass unchanged, and the
 * schema refuses them.
 */
import { isRecord, parseJson } from '../../lib/json.ts';
import type { StepStatus } from '../../workspace/types.ts';
import { STATUSES } from '../contract/protocol.ts';

const SYNONYMS: Readonly<Record<StepStatus, readonly string[]>> = {
  pending: [
    'todo',
    'to_do',
    'open',
    'not_started',
    'planned',
    'queued',
    'waiting',
    'upcoming',
    'new',
    'blocked',
    'failed',
  ],
  in_progress: ['active', 'doing', 'started', 'current', 'working', 'running', 'ongoing', 'now', 'wip'],
  done: ['completed', 'complete', 'finished', 'closed', 'resolved', 'checked', 'success', 'true', 'x'],
  skipped: ['skip', 'cancelled', 'canceled', 'dropped', 'abandoned', 'not_needed', 'obsolete', 'wont_do'],
};
const MEANS = new Map<string, StepStatus>(
  STATUSES.flatMap((status) => [status, ...SYNONYMS[status]].map((word): [string, StepStatus] => [word, status])),
);

/** Converts arguments to the form of the schema, as far as they can be understood. */
export function usualPlan(given: unknown): unknown {
  const fields = isRecord(given) ? given : { plan: given };
  const plan = fields.plan ?? fields.todos ?? fields.items ?? (fields.steps === undefined ? undefined : fields);
  return { plan: readForm(plan, fields.goal) };
}

function readForm(plan: unknown, goal: unknown): unknown {
  if (typeof plan === 'string' && /^\s*[[{]/.test(plan)) {
    const parsed = parseJson(plan);
    // A line of Markdown may begin with a bracket too.
    return typeof parsed === 'object' && parsed !== null ? readForm(parsed, goal) : plan;
  }
  if (Array.isArray(plan)) return { goal: stringValue(goal) ?? '', steps: plan.map(readStep) };
  if (!isRecord(plan)) return plan;
  const steps = plan.steps ?? plan.todos ?? plan.items ?? plan.plan;
  const about = stringValue(plan.goal) ?? stringValue(plan.title) ?? stringValue(goal) ?? '';
  return { goal: about, steps: Array.isArray(steps) ? steps.map(readStep) : steps };
}

function readStep(given: unknown, index: number): unknown {
  const id = String(index + 1);
  if (typeof given === 'string') return { id, title: given, status: 'pending' };
  if (!isRecord(given)) return given;
  const { title, step, content, text, task, name, description, subject } = given;
  const said = [title, content, step, text, task, name, subject, description]
    .map(stringValue)
    .find((each) => each !== undefined);
  const status = given.status ?? given.state ?? given.done ?? given.completed ?? 'pending';
  return { id: stringValue(given.id) ?? id, title: said, status: readStatus(status) };
}

function readStatus(given: unknown): unknown {
  if (typeof given === 'boolean') return given ? 'done' : 'pending';
  if (typeof given !== 'string') return given;
  const word = given
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  return word === '' ? 'pending' : (MEANS.get(word) ?? given);
}

function stringValue(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Explains to a model which forms of a plan are accepted. */
export function explainPlanForms(given: unknown): string {
  const steps = isRecord(given) && Array.isArray(given.steps) ? given.steps : [];
  const odd = steps.map((step) => (isRecord(step) ? step.status : undefined)).find((status) => !isKnown(status));
  const why = odd === undefined ? '' : ` ${JSON.stringify(odd).slice(0, 60)} isn't a status.`;
  return `give Markdown, or {goal, steps: [{id, title, status}]} with the status ${STATUSES.join(', ')}.${why}`;
}

const isKnown = (status: unknown): boolean => STATUSES.some((known) => known === status);
