/**
 * What the offline model does for each request. Invariant: a request's work is a function of the prompt alone. It is
 * run again from the start at every step, with the outcomes of the calls it made before, and ends in one sentence that
 * says what came of it.
 */

import { viberCommand } from '../../lib/invocation.ts';
import { lines, type Messages, paragraphs, say, sentences, type Text, words } from '../../messages/messages.ts';
import { isToDo } from '../../workspace/plan.ts';
import type { PlanStep } from '../../workspace/types.ts';
import { KEY_VARIABLES } from '../contract/providers.ts';
import { CHANGES, changeFile, listFiles, readFile, sendFile, typeOf, writeFile } from './files.ts';
import type { OfflineRequest } from './requests.ts';
import { type Call, clip, fieldOf, type MadeCall, textField, type View, type Work } from './view.ts';

/** `view` is brought up to date as calls succeed, so that later requests of a message see what earlier ones did. */
export function workOn(request: OfflineRequest, view: View): Work | string {
  switch (request.kind) {
    case 'plan':
      return makePlan(request.goal, request.steps, view);
    case 'mark':
      return markSteps(request, view);
    case 'show-plan':
      return showPlan(view);
    case 'write':
      return writeFile(
        view,
        request.name,
        typeOf(request.name),
        request.content,
        view.messages.text('offline.wrote', { file: request.name }),
      );
    case 'add':
      return changeFile(
        view,
        request.file,
        (text) => `${text.replace(/\n?$/, '\n')}${request.line}\n`,
        'offline.withLine',
      );
    case 'change':
      return changeFile(view, request.file, CHANGES[request.change].apply, CHANGES[request.change].name);
    case 'read':
      return readFile(view, request.file);
    case 'send':
      return sendFile(view, request.file);
    case 'list':
      return listFiles(view);
    case 'remember':
      return remember(request.text, view);
    case 'recall':
      return recall(view);
    case 'call':
      return carryOut(request.tool, request.input, view);
    case 'schedule':
      return view.messages.text('offline.schedule', { keys: KEY_VARIABLES.join(', ') });
    case 'hello':
      return lines(view.messages.text('offline.hello', { about: say('offline.about') }), realModel(view));
    case 'help':
      return paragraphs(view.messages.text('offline.about'), view.messages.text('offline.abilities'), realModel(view));
    case 'unknown':
      return view.messages.text('offline.unknown', { text: clip(request.text, 100) });
  }
}

const realModel = ({ messages }: View): Text => messages.text('offline.realModel', { command: viberCommand('init') });

/** For a message in which nothing was understood: two lines. */
export const notUnderstood = (view: View): Text => lines(view.messages.text('offline.notUnderstood'), realModel(view));

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

function* markSteps({ steps, title, status }: Extract<OfflineRequest, { kind: 'mark' }>, view: View): Work {
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

function* updatePlan(plan: View['plan'], view: View): Generator<Call, string | undefined, MadeCall> {
  const steps = plan.steps.map(({ id, title, status }) => ({ id, title, status }));
  const { value, error } = yield { tool: 'update_plan', input: { plan: { goal: plan.goal, steps } } };
  if (error !== undefined) return view.messages.text('offline.planFailed', { why: error });
  if (fieldOf(value, 'status') === 'conflict') return view.messages.text('offline.planConflict');
  view.plan = plan;
  return undefined;
}

function showPlan({ plan, messages }: View): string {
  if (plan.steps.length === 0) return messages.text('offline.noPlan');
  const left = plan.steps.filter(isToDo).length;
  const goal = plan.goal ? `**${clip(plan.goal, 200)}**: ` : '';
  const open = messages.text('offline.stepsLeft', { left, total: plan.steps.length });
  return lines(words(`${goal}${open}`), numbered(plan.steps, messages));
}

function* remember(text: string, { messages }: View): Work {
  const { value, error } = yield { tool: 'remember', input: { text } };
  if (error !== undefined) return messages.text('offline.notRemembered', { why: error });
  const waits = fieldOf(value, 'status') === 'pending';
  return messages.text(waits ? 'offline.rememberWaits' : 'offline.remembered', { text });
}

/** What one tool gives, as a sentence. */
function* carryOut(tool: string, input: { [name: string]: string }, { messages }: View): Work {
  const { value, error } = yield { tool, input };
  if (error !== undefined) return error.startsWith('execution denied') ? messages.text('offline.leaveIt') : error;
  const title = textField(value, 'title');
  switch (tool) {
    case 'forget':
      return messages.text('offline.forgotten', { text: textField(value, 'text') });
    case 'new_task':
      return messages.text('offline.newTask');
    case 'open_task':
      return title === '' ? messages.text('offline.severalTasks') : messages.text('offline.openTask', { title });
    case 'set_timezone':
      return messages.text('offline.timezone', { zone: textField(value, 'timezone') });
    case 'what_was_done':
      return textField(value, 'log');
    case 'delete_scheduled_job':
      return messages.text('offline.deleted');
    default: {
      const tasks = fieldOf(value, 'tasks');
      const titles = Array.isArray(tasks) ? tasks.map((task) => `- ${textField(task, 'title')}`) : [];
      if (titles.length === 0) return messages.text('offline.noTasks');
      return lines(messages.text('offline.tasks'), words(titles.join('\n')));
    }
  }
}

function recall({ memory, messages }: View): string {
  if (memory.length === 0) return messages.text('offline.nothingKnown');
  const known = memory.slice(0, 30).map((line) => `- ${line}`);
  return lines(messages.text('offline.known'), words(known.join('\n')));
}

function numbered(steps: readonly PlanStep[], messages: Messages): Text {
  const [now, not] = [messages.text('offline.isInProgress'), messages.text('offline.isSkipped')];
  const mark = { done: ' ✓', in_progress: ` ${now}`, pending: '', skipped: ` ${not}` };
  return words(steps.map(({ title, status }, index) => `${index + 1}. ${title}${mark[status]}`).join('\n'));
}
