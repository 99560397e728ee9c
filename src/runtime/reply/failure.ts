/**
 * What a person is told when a run ends without an answer: one plain sentence and a button that goes on from there, and where only an
 * owner can mend it the command that tells them more. Nothing of the inside is in it.
 */
import type { Role } from '../../access/principal.ts';
import { errorCode, UserError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { type Messages, type Said, say, type Text } from '../../messages/messages.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import type { Answer } from '../contract/outcome.ts';
import { type FailedTurn, RunError } from '../contract/run-error.ts';
import { summarise } from './summary.ts';

/** Goes on where a run ended: after a limit, or when it is not known what has happened. */
export const continueButton = (messages: Messages): ButtonAction => ({
  label: messages.text('common.continue'),
  say: 'Please go on.',
});
/** The `error` of a run that ended at a step of its playbook. */
export const PLAYBOOK_OPEN = 'playbook open';
const AGAIN = 'Please try that again.';
const newTaskButton = (messages: Messages): ButtonAction => ({
  ...{ label: messages.text('failures.newTask'), command: 'new', args: '' },
});

/** Longer words are not said twice: they stand in the conversation. */
const MAX_WORDS = 4_000;
const DONE_ALREADY =
  'An error ended this before; what was done until then stands above. Do not do that again: go on from there.';

/** Says the same again. What was finished before the error is not done twice: the model is told to look at it. */
function retryButton(messages: Messages, turn?: FailedTurn): ButtonAction {
  const asked = turn?.words.trim() ?? '';
  const said = asked === '' || asked.length > MAX_WORDS ? AGAIN : asked;
  return { label: messages.text('common.retry'), say: turn?.hasSteps ? `${said}\n\n(${DONE_ALREADY})` : said };
}

/** The button of an answer that is given again after a restart, from what the session holds of it. */
export function buttonsAgain(result: Pick<Answer, 'state' | 'error'>, messages: Messages): ButtonAction[][] {
  if (result.state !== 'error') return [];
  if (result.error === PLAYBOOK_OPEN) return [[{ label: messages.text('common.continue'), command: 'play', args: '' }]];
  return [
    [result.error === 'interrupted' || result.error === 'cap' ? continueButton(messages) : retryButton(messages)],
  ];
}

/** The run was cut and nothing goes on from it by itself. */
export const interruptedRun = (messages: Messages): Answer =>
  interrupted(messages.text('failures.interrupted'), continueButton(messages));

/** The run was stopped: nobody wants an answer to it. */
export const stoppedRun = (): Answer => ({
  ...{ state: 'stopped', text: '', summary: 'stopped', artifactRefs: [], buttons: [] },
});

export function interrupted(text: Text, button: ButtonAction): Answer {
  const summary = summarise(text);
  return { state: 'error', text, summary, artifactRefs: [], error: 'interrupted', buttons: [[button]] };
}

/** Throws the error on, with the turn it ended. */
export function throwWith(error: unknown, turn: FailedTurn): never {
  if (error instanceof RunError) error.turn ??= turn;
  throw error;
}

/** Whoever asked, and the language in which they read. */
export interface Asker {
  role: Role;
  messages: Messages;
}

/** The answer of a run that failed, by what it failed of. An empty text: the person has been told already today. */
export function failure(error: unknown, trace: string, { role, messages }: Asker, log: Logger): Answer {
  const isKnown = error instanceof RunError || error instanceof UserError;
  log[isKnown ? 'warn' : 'error']({ err: error, trace, kind: kindOf(error) }, 'the run failed');
  if (error instanceof RunError && error.kind === 'cap' && error.said === undefined) {
    return {
      ...{ state: 'stopped', text: '', summary: 'not answered: a daily limit is reached', artifactRefs: [] },
      ...CAP,
    };
  }
  const what = role === 'owner' || !isSetting(error) ? sentenceOf(error) : say('failures.notSetUp');
  const text = needsOwner(error) ? messages.text('failures.withTrace', { what, trace }) : messages.said(what);
  const told = error instanceof RunError && error.kind === 'cap' ? 'cap' : messages.said(what);
  return {
    ...{ state: 'error', text, summary: summarise(text), artifactRefs: [], error: told },
    buttons: isOffline(error) ? [] : [[buttonFor(error, messages)]],
  };
}

const CAP: Pick<Answer, 'error' | 'buttons'> = { error: 'cap', buttons: [] };

/** Something is set up wrong, or is ours to mend; anything else passes, or is for the person to put differently. */
const needsOwner = (error: unknown): boolean =>
  !(error instanceof RunError) || ['key', 'quota', 'unreachable', 'config', 'refused'].includes(error.kind);

/** Only an owner can do what the sentence says. */
export const isSetting = (error: unknown): error is RunError =>
  error instanceof RunError && ['key', 'quota', 'unreachable', 'config'].includes(error.kind);

/** In a word: of the model's run, else the system's. */
export const kindOf = (error: unknown): string =>
  error instanceof RunError ? error.kind : (errorCode(error) ?? 'unknown');

function sentenceOf(error: unknown): Said {
  if (error instanceof RunError || error instanceof UserError) return error.said ?? say('common.wrong');
  return say('common.wrong');
}

/** The same words again would end the same. */
const isOffline = (error: unknown): boolean => error instanceof RunError && error.kind === 'offline';

function buttonFor(error: unknown, messages: Messages): ButtonAction {
  if (!(error instanceof RunError)) return retryButton(messages);
  if (error.kind === 'too-long') return newTaskButton(messages);
  return error.kind === 'cap' ? continueButton(messages) : retryButton(messages, error.turn);
}
