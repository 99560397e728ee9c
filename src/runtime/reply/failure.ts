/**
 * Formats the answer for a run that ended without one: a plain sentence and a button that continues from there, and, if
 * only an owner can fix it, the command that shows them more. Internals are never shown.
 */
import type { Role } from '../../access/principal.ts';
import { errorCode, UserError } from '../../errors.ts';
import { commandForAnyone } from '../../lib/invocation.ts';
import type { Logger } from '../../log.ts';
import { type Messages, say, type Text, type Wording } from '../../messages/messages.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import { says } from '../contract/finding.ts';
import type { Answer } from '../contract/outcome.ts';
import { type FailedTurn, RunError } from '../contract/run-error.ts';
import { summarise } from './render-answer.ts';

/** Continues where a run ended, after a limit or if the outcome is unknown. */
export const continueButton = (messages: Messages): ButtonAction => ({
  label: messages.text('common.continue'),
  say: 'Please go on.',
});
/** The `error` of a run that ended at a step of its playbook. */
export const PLAYBOOK_OPEN = 'playbook open';
const AGAIN = 'Please try that again.';
const newTaskButton = (messages: Messages): ButtonAction => ({
  label: messages.text('failures.newTask'),
  command: 'new',
  args: '',
});

/** Longer texts aren't repeated: they are in the conversation. */
const MAX_WORDS = 4_000;
const DONE_ALREADY =
  'An error ended this before. The steps above are already done: do not repeat them, and continue from there.';

/** Repeats the request. Work that finished before the error isn't repeated: the text tells the model to check it. */
function retryButton(messages: Messages, turn?: FailedTurn): ButtonAction {
  const asked = turn?.words.trim() ?? '';
  const said = asked === '' || asked.length > MAX_WORDS ? AGAIN : asked;
  return { label: messages.text('common.retry'), say: turn?.hasSteps ? `${said}\n\n(${DONE_ALREADY})` : said };
}

/** Returns the buttons of an answer that is repeated after a restart, from its line in the session. */
export function buttonsAgain(result: Pick<Answer, 'state' | 'error'>, messages: Messages): ButtonAction[][] {
  if (result.state !== 'error') return [];
  if (result.error === PLAYBOOK_OPEN) return [[{ label: messages.text('common.continue'), command: 'play', args: '' }]];
  return [
    [result.error === 'interrupted' || result.error === 'cap' ? continueButton(messages) : retryButton(messages)],
  ];
}

/** The answer of a run that was interrupted and won't continue by itself. */
export const interruptedRun = (messages: Messages): Answer =>
  interrupted(messages.text('failures.interrupted'), continueButton(messages));

export const stoppedRun = (): Answer => ({
  state: 'stopped',
  text: '',
  summary: 'stopped',
  artifactRefs: [],
  buttons: [],
});

export function interrupted(text: Text, button: ButtonAction): Answer {
  const summary = summarise(text);
  return { state: 'error', text, summary, artifactRefs: [], error: 'interrupted', buttons: [[button]] };
}

/** Rethrows the error with the turn that it ended. */
export function throwWith(error: unknown, turn: FailedTurn): never {
  if (error instanceof RunError) error.turn ??= turn;
  throw error;
}

/** The person who asked, by role, and texts in their language. */
export interface Asker {
  role: Role;
  messages: Messages;
}

/**
 * Returns the answer of a run that failed with this error. An empty text means that the person was told earlier today.
 */
export function failureAnswer(error: unknown, trace: string, { role, messages }: Asker, log: Logger): Answer {
  const isKnown = error instanceof RunError || error instanceof UserError;
  // What the built-in model doesn't know is no fault of the gateway.
  const level = isOffline(error) ? 'info' : isKnown ? 'warn' : 'error';
  log[level]({ err: error, trace, kind: errorWord(error) }, 'the run failed');
  if (error instanceof RunError && error.kind === 'cap' && error.said === undefined) {
    return {
      state: 'stopped',
      text: '',
      summary: 'not answered: a daily limit is reached',
      artifactRefs: [],
      ...CAP,
    };
  }
  const what = role === 'owner' || !isSetting(error) ? sentenceOf(error) : say('failures.notSetUp');
  const text = needsOwner(error)
    ? messages.text('failures.withTrace', { what, command: commandForAnyone(`trace ${trace}`) })
    : messages.said(what);
  const told = error instanceof RunError && error.kind === 'cap' ? 'cap' : messages.said(what);
  return {
    state: 'error',
    text,
    summary: summarise(text),
    artifactRefs: [],
    error: told,
    ...(error instanceof RunError && error.providerSaid !== undefined && { providerSaid: error.providerSaid }),
    buttons: isOffline(error) ? [] : [[buttonFor(error, messages)]],
  };
}

const CAP = { error: 'cap', buttons: [] };

/**
 * Whether the setup is wrong, the fault is ours, or only the trace says what is wrong with a model. Other errors pass,
 * or the person must rephrase.
 */
const needsOwner = (error: unknown): boolean =>
  !(error instanceof RunError) ||
  ['key', 'quota', 'unreachable', 'config', 'refused'].includes(error.kind) ||
  (error.providerSaid !== undefined && error.said !== undefined && says(error.said, 'failures.model'));

/** Whether only an owner can do what the sentence says. */
export const isSetting = (error: unknown): error is RunError =>
  error instanceof RunError && ['key', 'quota', 'unreachable', 'config'].includes(error.kind);

/** Returns a word for the error: the kind of a run's error, else the system's code. */
export const errorWord = (error: unknown): string =>
  error instanceof RunError ? error.kind : (errorCode(error) ?? 'unknown');

function sentenceOf(error: unknown): Wording {
  if (error instanceof RunError || error instanceof UserError) return error.said ?? say('common.wrong');
  return say('common.wrong');
}

/** Whether repeating the same words would fail in the same way. */
const isOffline = (error: unknown): boolean => error instanceof RunError && error.kind === 'offline';

function buttonFor(error: unknown, messages: Messages): ButtonAction {
  if (!(error instanceof RunError)) return retryButton(messages);
  if (error.kind === 'too-long') return newTaskButton(messages);
  return error.kind === 'cap' ? continueButton(messages) : retryButton(messages, error.turn);
}
