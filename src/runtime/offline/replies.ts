/**
 * What the offline model does for each request. Invariant: a request's work is a function of the prompt alone. It is
 * run again from the start at every step, with the outcomes of the calls it made before, and ends in one sentence that
 * says what came of it.
 */

import { viberCommand } from '../../lib/invocation.ts';
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
      return writeFile(view, request.name, typeOf(request.name), request.content, `I wrote ${request.name}.`);
    case 'add':
      return changeFile(
        view,
        request.file,
        (text) => `${text.replace(/\n?$/, '\n')}${request.line}\n`,
        'with the new line',
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
      return remember(request.text);
    case 'recall':
      return recall(view);
    case 'call':
      return carryOut(request.tool, request.input);
    case 'schedule':
      return SCHEDULE;
    case 'hello':
      return `Hello! ${ABOUT}\n${realModel()}`;
    case 'help':
      return `${ABOUT}\n\n${ABILITIES}\n\n${realModel()}`;
    case 'unknown':
      return `I did not understand “${clip(request.text, 100)}”.`;
  }
}

const ABOUT = 'I am the small built-in model: I know a few fixed requests and cannot think or talk freely.';
const ABILITIES = [
  'I can:',
  '- make a plan: “plan: buy paint; paint the wall; clean up” or “make a plan to paint the kitchen”',
  '- tick a step: “done 2”; show the plan: “show plan”',
  '- write a file: “write a file notes.md: the text”; change one: “make it upper case”',
  '- read, list and send files: “read notes.md”, “list files”, “send me notes.md”',
  '- remember: “remember that I like tea”, “what do you know?”',
].join('\n');
const realModel = () =>
  `For real answers give me a real model: \`${viberCommand('init')}\` on the machine I run on asks for it.`;
const SCHEDULE = `Without a language model I schedule nothing: write the job as a file in the folder jobs/ of the home (name, schedule, prompt, deliver; /jobs then lists it), or set one of ${KEY_VARIABLES.join(', ')}, start again and ask me once more.`;

/** For a message in which nothing was understood: two lines. */
export const notUnderstood = () =>
  `I did not understand that. I am the small built-in model and know a few fixed requests; “help” lists them.\n${realModel()}`;

function* makePlan(goal: string, steps: string[], view: View): Work {
  const titles =
    steps.length > 0
      ? steps
      : [
          `Agree on what is wanted: ${goal}`,
          'Collect what is needed',
          'Do the work',
          'Check the result',
          'Report what was done',
        ];
  const plan: View['plan'] = {
    goal: goal || view.plan.goal || clip(titles.join(', '), 100),
    steps: titles.map((title, index) => ({ id: String(index + 1), title, status: 'pending' })),
  };
  const failure = yield* updatePlan(plan, view);
  if (failure) return failure;
  const general = steps.length > 0 ? '' : ' It is a general one: without a language model I cannot think it through.';
  return `The plan has ${titles.length} ${titles.length === 1 ? 'step' : 'steps'}.${general}\n${numbered(plan.steps)}`;
}

function* markSteps({ steps, title, status }: Extract<OfflineRequest, { kind: 'mark' }>, view: View): Work {
  const old = view.plan;
  const named = old.steps.filter((step) => title !== '' && step.title.toLowerCase().includes(title.toLowerCase()));
  const wanted = new Set(title === '' ? steps.map(String) : named.slice(0, 1).map((step) => step.id));
  if (old.steps.length === 0) return 'There is no plan yet. Say “plan: first; second; third” to make one.';
  const missing = [...wanted].find((id) => !old.steps.some((step) => step.id === id));
  if (wanted.size === 0 || missing)
    return `There is no step ${missing ?? `“${title}”`} in the plan:\n${numbered(old.steps)}`;
  if (status === 'dropped') return yield* dropSteps(wanted, view);
  const plan = { ...old, steps: old.steps.map((step) => (wanted.has(step.id) ? { ...step, status } : step)) };
  const failure = yield* updatePlan(plan, view);
  if (failure) return failure;
  const changed = plan.steps.filter((step) => wanted.has(step.id)).map((step) => `${step.id}, “${step.title}”,`);
  const left = plan.steps.filter(isToDo).length;
  const word = { done: 'done', in_progress: 'in progress', pending: 'open again', skipped: 'skipped' }[status];
  const rest = left === 0 ? 'every step of the plan is done' : `${left} of ${plan.steps.length} left`;
  return `Step ${changed.join(' ')} ${changed.length === 1 ? 'is' : 'are'} ${word}; ${rest}.`;
}

function* dropSteps(wanted: ReadonlySet<string>, view: View): Work {
  const old = view.plan;
  const gone = old.steps.filter((step) => wanted.has(step.id)).map(({ title }) => `“${title}”`);
  const failure = yield* updatePlan({ ...old, steps: old.steps.filter((step) => !wanted.has(step.id)) }, view);
  return failure ?? `I took ${gone.join(' and ')} out of the plan.\n${numbered(view.plan.steps)}`;
}

function* updatePlan(plan: View['plan'], view: View): Generator<Call, string | undefined, MadeCall> {
  const steps = plan.steps.map(({ id, title, status }) => ({ id, title, status }));
  const { value, error } = yield { tool: 'update_plan', input: { plan: { goal: plan.goal, steps } } };
  if (error !== undefined) return `The plan could not be changed: ${error}`;
  if (fieldOf(value, 'status') === 'conflict')
    return 'Somebody else changed the plan meanwhile, so mine is only a proposal.';
  view.plan = plan;
  return undefined;
}

function showPlan({ plan }: View): string {
  if (plan.steps.length === 0) return 'There is no plan yet. Say “plan: first; second; third” to make one.';
  const left = plan.steps.filter(isToDo).length;
  return `${plan.goal ? `**${clip(plan.goal, 200)}**: ` : ''}${left} of ${plan.steps.length} steps left.\n${numbered(plan.steps)}`;
}

function* remember(text: string): Work {
  const { value, error } = yield { tool: 'remember', input: { text } };
  if (error !== undefined) return `I could not remember it: ${error}`;
  const waits = fieldOf(value, 'status') === 'pending';
  return waits ? `I will remember this once you accept it: ${text}` : `I will remember: ${text}`;
}

/** What one tool gives, as a sentence. */
function* carryOut(tool: string, input: { [name: string]: string }): Work {
  const { value, error } = yield { tool, input };
  if (error !== undefined) return error.startsWith('execution denied') ? 'All right, I leave it as it is.' : error;
  const title = textField(value, 'title');
  switch (tool) {
    case 'forget':
      return `Forgotten: ${textField(value, 'text')}`;
    case 'new_task':
      return 'Your next message begins a new task; this one is kept.';
    case 'open_task':
      return title === ''
        ? 'Several tasks fit: say more words of its title.'
        : `We go on with “${title}” from your next message on.`;
    case 'set_timezone':
      return `Your time zone is now ${textField(value, 'timezone')}.`;
    case 'what_was_done':
      return textField(value, 'log');
    case 'delete_scheduled_job':
      return 'It is deleted.';
    default: {
      const tasks = fieldOf(value, 'tasks');
      const titles = Array.isArray(tasks) ? tasks.map((task) => `- ${textField(task, 'title')}`) : [];
      return titles.length > 0 ? `Your tasks, the newest first:\n${titles.join('\n')}` : 'You have no tasks yet.';
    }
  }
}

function recall({ memory }: View): string {
  if (memory.length === 0) return 'I remember nothing yet. Say “remember that …” to change that.';
  return `I remember:\n${memory
    .slice(0, 30)
    .map((line) => `- ${line}`)
    .join('\n')}`;
}

function numbered(steps: readonly PlanStep[]): string {
  const mark = { done: ' ✓', in_progress: ' (in progress)', pending: '', skipped: ' (skipped)' };
  return steps.map(({ title, status }, index) => `${index + 1}. ${title}${mark[status]}`).join('\n');
}
