/**
 * Handles each request for the built-in model. Invariant: the work on a request is a function of the prompt alone. At
 * every step it runs again from the start, with the results of the calls that it made before, and ends with a sentence
 * about the result.
 */

import { viberCommand } from '../../lib/invocation.ts';
import { clip } from '../../lib/text.ts';
import { lines, paragraphs, say, type Text, type Wording, words } from '../../messages/messages.ts';
import { listFiles, readFile, writeFile } from './files.ts';
import { makePlan, showPlan, tickSteps } from './plan.ts';
import { KEEP, type OfflineRequest } from './requests.ts';
import { isWaiting, type View, type Work } from './view.ts';

/**
 * Starts the work on a request. `view` is updated as calls succeed, so that later requests in a message see the effects
 * of earlier ones.
 */
export function workOn(request: OfflineRequest, view: View): Work | string {
  switch (request.kind) {
    case 'plan':
      return makePlan(request.goal, request.steps, view);
    case 'done':
      return tickSteps(request, view);
    case 'show-plan':
      return showPlan(view);
    case 'write':
      return writeFile(view, request.name, request.content);
    case 'read':
      return readFile(view, request.file);
    case 'list':
      return listFiles(view);
    case KEEP:
      return remember(request.text, view);
    case 'recall':
      return recall(view);
    case 'hello':
      return lines(view.messages.text('offline.hello', { about: say('offline.about') }), realModel(view));
    case 'help':
      return paragraphs(
        view.messages.text('offline.about'),
        view.messages.text('offline.abilities', { add: addCommand() }),
        realModel(view),
      );
    case 'schedule':
    case 'unknown':
      return view.messages.text('offline.unknown', { text: clip(request.text, 100) });
  }
}

const realModel = ({ messages }: View): Text => messages.text('offline.realModel', { command: viberCommand('init') });

const addCommand = (): string => `${viberCommand('jobs add NAME')} --at "every weekday at 9" --prompt "show plan"`;

/** Returns an error with advice if the model can't handle any request in a message; undefined if it can handle one. */
export function cannotDo(requests: readonly OfflineRequest[]): Wording | undefined {
  const command = viberCommand('init');
  if (requests.every(({ kind }) => kind === 'unknown')) return say('offline.cannot', { command });
  return requests.every(({ kind }) => kind === 'unknown' || kind === 'schedule')
    ? say('offline.cannotSchedule', { command, add: addCommand() })
    : undefined;
}

/** This model only has the task's files, so it must not half-handle a request about a project's files. */
export function cannotInProject(
  requests: readonly OfflineRequest[],
  offered: ReadonlySet<string>,
): Wording | undefined {
  const isInProject = offered.has('edit_file');
  const namesPlace = (text: string) =>
    offered.has('use_project') && /^(?:in|into|on|within|inside|work|use) /i.test(text);
  const hasFiles = requests.some(({ kind }) => kind === 'write' || kind === 'read' || kind === 'list');
  const isPlaced = isInProject || requests.some((one) => one.kind === 'unknown' && namesPlace(one.text));
  return hasFiles && isPlaced ? say('offline.cannotInProject', { command: viberCommand('init') }) : undefined;
}

function* remember(text: string, { messages }: View): Work {
  const { value, error } = yield { tool: KEEP, input: { text } };
  if (error !== undefined) return messages.text('offline.notRemembered', { why: error });
  return messages.text(isWaiting(value) ? 'offline.rememberWaits' : 'offline.remembered', { text });
}

function recall({ memory, isWithheld, hasSuggested, messages }: View): string {
  if (isWithheld) return messages.text('offline.keptOut');
  if (memory.length === 0) return messages.text(hasSuggested ? 'offline.nothingAccepted' : 'offline.nothingKnown');
  const known = memory.slice(0, 30).map((line) => `- ${line}`);
  return lines(messages.text('offline.known'), words(known.join('\n')));
}
