/**
 * Turns an error of a run into the outcome of its turn: a stop, newer words, a shutdown, an answer that explains the
 * error, or another try.
 */
import type { Principal } from '../../access/principal.ts';
import { errorCode, isStorageFailure, LeaseLost } from '../../errors.ts';
import { hashText } from '../../lib/files.ts';
import { messagesFor, say } from '../../messages/messages.ts';
import { openTask, type Task } from '../../workspace/tasks/index.ts';
import { cutCall, cutOffWords, STEERED } from '../context/past-run.ts';
import { abortReason } from '../contract/abort.ts';
import type { Owner } from '../contract/order.ts';
import type { Answer, Outcome } from '../contract/outcome.ts';
import { RunError } from '../contract/run-error.ts';
import { plainName } from '../conversations/places.ts';
import { errorWord, failureAnswer, isSetting, stoppedRun } from '../reply/failure.ts';
import type { Item } from './batches.ts';
import { record } from './conclude.ts';
import type { Gateway } from './gateway.ts';
import type { Turn } from './turn.ts';

const NOTICE_GAP_MS = 6 * 3_600_000;

/** Rethrows temporary errors. */
export async function outcomeOfError(error: unknown, turn: Turn, gw: Gateway): Promise<Outcome> {
  const { run: id, signal, intake, onSettled, owner } = turn;
  const { viber, taskId } = (turn.items[0] as Item).message;
  if (isLost(owner)) {
    // The lane's current owner answers, and continues from what is in the chat.
    gw.places.live.forget(id);
    throw error instanceof LeaseLost ? error : new LeaseLost(`another process works on ${taskId}`, { cause: error });
  }
  // A turn that is stopped after it was steered counts as stopped; the newer words continue without it.
  const reason = abortReason(intake) === 'stop' ? 'stop' : abortReason(signal);
  const left = () => openTask(gw.home, taskId, viber).session.run(id);
  const stopped = () => {
    onSettled();
    return cutOff(left());
  };
  if (reason === 'stop') return stopped();
  if (reason !== undefined) await gw.places.live.end(id, []);
  if (reason === 'shutdown' || abortReason(intake) === 'shutdown') return { state: 'shutdown' };
  if (error instanceof LeaseLost) throw error;
  // A full or failing disk, or a lack of handles to reach the model, must not become an answer: the message is retried.
  if (isStorageFailure(error) || (!(error instanceof RunError) && errorCode(error) !== undefined)) throw error;
  if (reason === undefined) return failed(error, turn, gw);
  // The next turn can continue only from what is in the session.
  const lines = left();
  if (abortReason(intake) === 'stop') return stopped();
  if (!lines.some((entry) => entry.type === 'message')) return failed(error, turn, gw);
  // From here on the turn ends with the words that continue it.
  onSettled();
  await record(turn, { ...cutOff(lines), error: STEERED }, gw);
  gw.log.info({ trace: id, task: taskId }, 'run steered');
  return { state: 'steered' };
}

function failed(error: unknown, turn: Turn, gw: Gateway): Outcome {
  const { viber, taskId, message, principal } = (turn.items[0] as Item).message;
  const { role } = principal;
  const kind = errorWord(error);
  gw.features.metrics.count('viber_errors_total', { stage: 'run', kind });
  if (role !== 'owner') tellOwners(error, principal, gw);
  turn.onSettled();
  const { error: told, ...answer } = failureAnswer(error, turn.run, { role, messages: messagesFor(message) }, gw.log);
  // If the built-in model doesn't understand the words, a completed task stays completed.
  if (kind === 'offline' && lastState(openTask(gw.home, taskId, viber)) === 'completed')
    return { ...answer, state: 'completed', failure: kind };
  return { ...answer, ...(told !== undefined && { error: told }), failure: kind };
}

const lastState = ({ session }: Task): Answer['state'] | undefined =>
  session.tail().findLast((entry) => entry.type === 'result')?.state;

/** Tells owners about problems that only they can fix: once per six hours, whoever asks. */
function tellOwners(error: unknown, { name }: Principal, { people }: Gateway): void {
  if (!isSetting(error) || error.said === undefined) return;
  const id = `not-set-up-${hashText(error.userMessage).slice(0, 12)}-${Math.floor(Date.now() / NOTICE_GAP_MS)}`;
  void people.owners.tellOwners(id, say('failures.ownerNeeded', { name: plainName(name), what: error.said }));
}

function isLost(owner: Owner): boolean {
  try {
    owner.check();
    return false;
  } catch (error) {
    if (error instanceof LeaseLost) return true;
    throw error;
  }
}

/** A tool may have had its effect anyway, so later runs are told about it. */
function cutOff(lines: Parameters<typeof cutCall>[0]): Answer {
  const cut = cutCall(lines);
  return { ...stoppedRun(), ...(cut === undefined ? {} : { text: cutOffWords(cut) }) };
}
