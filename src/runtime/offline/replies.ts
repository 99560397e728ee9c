/**
 * What the offline model does for each request. Invariant: a request's work is a function of the prompt alone. It is
 * run again from the start at every step, with the outcomes of the calls it made before, and ends in one sentence that
 * says what came of it.
 */

import { viberCommand } from '../../lib/invocation.ts';
import { lines, paragraphs, say, type Text, words } from '../../messages/messages.ts';
import { CHANGES, changeFile, listFiles, readFile, sendFile, typeOf, writeFile } from './files.ts';
import { showPlan, workOnPlan } from './plan.ts';
import type { OfflineRequest } from './requests.ts';
import { clip, fieldOf, isWaiting, textField, type View, type Work } from './view.ts';

/** `view` is brought up to date as calls succeed, so that later requests of a message see what earlier ones did. */
export function workOn(request: OfflineRequest, view: View): Work | string {
  switch (request.kind) {
    case 'plan':
    case 'mark':
    case 'add-steps':
    case 'move-step':
      return workOnPlan(request, view);
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
      return lines(view.messages.text('offline.schedule', { add: viberCommand('jobs add NAME') }), realModel(view));
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

function* remember(text: string, { messages }: View): Work {
  const { value, error } = yield { tool: 'remember', input: { text } };
  if (error !== undefined) return messages.text('offline.notRemembered', { why: error });
  return messages.text(isWaiting(value) ? 'offline.rememberWaits' : 'offline.remembered', { text });
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

function recall({ memory, isWithheld, hasSuggested, messages }: View): string {
  if (isWithheld) return messages.text('offline.keptOut');
  if (memory.length === 0) return messages.text(hasSuggested ? 'offline.nothingAccepted' : 'offline.nothingKnown');
  const known = memory.slice(0, 30).map((line) => `- ${line}`);
  return lines(messages.text('offline.known'), words(known.join('\n')));
}
