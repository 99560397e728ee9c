/**
 * Turns a request into a message of a task, once. A program sends the whole conversation each time, so the task is
 * found by the earlier messages (`history.ts`); only the newest words enter it. A conversation that isn't found, or was
 * changed, begins a task that is given its history.
 */
import { type ChatText, refsOf } from '../../board/api/chat-messages.ts';
import { decideApproval } from '../../board/protocol/decisions.ts';
import type { ProtocolParts } from '../../board/protocol/parts.ts';
import { refusalOf, steeredTask } from '../../board/protocol/refusals.ts';
import { RequestError } from '../../board/respond.ts';
import { serialise } from '../../lib/locks.ts';
import { say } from '../../messages/messages.ts';
import type { ChatCall } from './call.ts';
import { keysBefore, keysOfQuestion, scopeKey } from './history.ts';
import { typedVerdict } from './outcome.ts';
import { type AcceptedRequest, type Records, repetitionOf, type TaskTurn } from './records.ts';
import type { ChatWords } from './request.ts';
import type { Turn } from './turn.ts';
import type { Turns } from './turns.ts';

export interface EnteredInto {
  parts: ProtocolParts;
  records: Records;
  turns: Turns;
}

/** The message in its task; if it answered a question, `run` continues. */
interface EnteredMessage {
  taskId: string;
  message?: string;
  run?: string;
}

const WEEK_MS = 7 * 86_400_000;
const MAX_BEFORE = 1_000;

/** @throws {RequestError} */
export async function enterMessage(
  asked: ChatCall,
  to: EnteredInto,
): Promise<{ turn: Turn; accepted: AcceptedRequest }> {
  const { answered, unanswered } = keysBefore(asked.scope, asked.words.before);
  const place = asked.conversation ?? answered ?? unanswered ?? asked.key;
  return serialise(`openai ${to.parts.home.root} ${asked.caller.id} ${place}`, async () => {
    const { turns, records } = to;
    const open = turns.of(asked.key);
    const known = open?.accepted ?? (await records.accepted(asked.key));
    const now = Date.now();
    const isRunning = known !== undefined && to.parts.runningTasks().includes(known.taskId);
    const how = repetitionOf(asked, known, { isHeard: open?.turn.isHeard === true, isRunning, now });
    if (how === 'reused') throw new RequestError(400, 'idempotency_key_reused', say('programs.keyReused'));
    if (how === 'join' && known && isTheirs(known.taskId, asked, to))
      return { turn: open?.turn ?? turns.open(asked, known), accepted: known };
    const accepted = await acceptMessage(asked, how === 'again' ? known : undefined, known ? known.again + 1 : 0, to);
    return { turn: turns.open(asked, accepted), accepted };
  });
}

async function acceptMessage(
  asked: ChatCall,
  failed: AcceptedRequest | undefined,
  again: number,
  to: EnteredInto,
): Promise<AcceptedRequest> {
  const { records } = to;
  const { scope, words, conversation } = asked;
  const found = failed?.taskId ?? (await taskBefore(asked, to));
  const task = found !== undefined && isTheirs(found, asked, to) ? found : undefined;
  const before = task === undefined ? undefined : await records.turnOf(task);
  const entered = task === undefined ? await beginTask(asked, again, to) : await goOn(asked, task, before, again, to);
  const turn = (before?.turn ?? 0) + 1;
  const accepted: AcceptedRequest = { ...entered, turn, again, at: Date.now(), body: asked.body };
  await Promise.all([
    records.setTurn(accepted.taskId, { turn }),
    records.setPlaces(keysOfQuestion(scope, [...words.before, words.newest]), accepted.taskId, turn),
    ...(conversation === undefined ? [] : [records.setNamed(scopeKey(scope, conversation), accepted.taskId)]),
  ]);
  await records.setAccepted(asked.key, accepted);
  return accepted;
}

async function taskBefore(
  { scope, words, conversation }: ChatCall,
  { records }: EnteredInto,
): Promise<string | undefined> {
  if (conversation !== undefined) return records.named(scopeKey(scope, conversation));
  const { answered, unanswered } = keysBefore(scope, words.before);
  const found = answered === undefined ? undefined : await records.taskAt(answered);
  return found ?? (unanswered === undefined ? undefined : records.taskAt(unanswered));
}

/** The task may have been deleted, or the caller's rights may have changed. */
function isTheirs(taskId: string, { caller }: ChatCall, { parts }: EnteredInto): boolean {
  try {
    steeredTask(taskId, caller.principal, parts);
    return true;
  } catch (error) {
    if (error instanceof RequestError) return false;
    throw error;
  }
}

/** The queue knows an ID for a month, and the records know a request for a week. */
const eventId = ({ key }: ChatCall, again: number): string =>
  `openai:${key}:${Math.floor(Date.now() / WEEK_MS)}:${again}`;

async function beginTask(asked: ChatCall, again: number, { parts }: EnteredInto): Promise<EnteredMessage> {
  const { caller, words, viber } = asked;
  const files = await uploadedRefs(asked, parts);
  const text = newestText(words);
  const before = words.before.slice(-MAX_BEFORE).map(({ role, text: said, files: had }) => ({
    role,
    text: [said, ...had.map(({ name }) => `[file: ${name}]`)].filter(Boolean).join('\n'),
  }));
  return asRefusals(() =>
    parts.submissions.submit(caller, eventId(asked, again), {
      goal: text,
      messages: [...before, { role: 'user', text }],
      ...(files.length > 0 && { files }),
      ...(viber !== undefined && { viberId: viber }),
      ...(words.instructions !== '' && { instructions: words.instructions }),
    }),
  );
}

async function goOn(
  asked: ChatCall,
  taskId: string,
  before: TaskTurn | undefined,
  again: number,
  { parts, turns }: EnteredInto,
): Promise<EnteredMessage> {
  const { caller, words } = asked;
  // A program that stopped waiting for the earlier answer doesn't want it any more.
  if (turns.isAbandoned(taskId)) await parts.stopping.task(taskId, caller);
  const run = await answerQuestion(asked, before, parts);
  if (run !== undefined) return { taskId, run };
  const files = await uploadedRefs(asked, parts);
  const told = await asRefusals(() =>
    parts.submissions.tell(caller, eventId(asked, again), {
      taskId,
      message: newestText(words),
      injectionMode: 'followup',
      ...(files.length > 0 && { files }),
      ...(words.instructions !== '' && { instructions: words.instructions }),
    }),
  );
  return { taskId, ...('message' in told && { message: told.message }) };
}

/** Returns the run that continues, if the words answer the last question. */
async function answerQuestion(
  { caller, words: { newest } }: ChatCall,
  before: TaskTurn | undefined,
  parts: ProtocolParts,
): Promise<string | undefined> {
  const request = before?.asked && parts.approvals.get(before.asked.approval);
  const verdict = request && newest.files.length === 0 ? typedVerdict(newest.text, request) : undefined;
  if (!before?.asked || !request || !verdict) return undefined;
  try {
    await decideApproval({ ...before.asked, ...verdict }, caller, parts);
    return request.run;
  } catch (error) {
    // The question has expired or was answered elsewhere, so the words are a message.
    if (error instanceof RequestError && (error.status === 404 || error.status === 409)) return undefined;
    throw error;
  }
}

const uploadedRefs = ({ key, caller, words: { newest } }: ChatCall, parts: ProtocolParts): Promise<string[]> => {
  const said: ChatText = { id: key, text: newest.text, files: newest.files };
  return refsOf(said, caller, parts);
};

const newestText = ({ newest: { text, files } }: ChatWords): string =>
  text.trim() === '' ? files.map(({ name }) => name).join(', ') : text;

async function asRefusals<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}
