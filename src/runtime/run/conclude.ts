/** The end of a turn: its result into the session, the answer into the outbox, and what is noted of it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crashPoint } from '../../crash-points.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { SessionEntry } from '../../workspace/types.ts';
import { STEERED } from '../context/past-run.ts';
import type { Entry } from '../contract/entry.ts';
import type { Owner } from '../contract/order.ts';
import type { RunOutcome } from '../contract/outcome.ts';
import { type Answered, sendAnswers } from './answers.ts';
import type { Item } from './batches.ts';
import type { Gateway } from './gateway.ts';
import { epochOf } from './journal.ts';

type Ended = Extract<SessionEntry, { type: 'result' }>['state'];
/** Of the session, for its last results. */
const SEARCH_BYTES = 1024 * 1024;

export interface Concluding extends Answered {
  /** Takes the messages off the lane; called once their answer is durable. */
  ack: (items: readonly Item[]) => Promise<void>;
}

/** When the result was recorded, ISO 8601. What waits for a person has none yet. */
export async function record(
  { viber, taskId }: Entry,
  { run, owner }: { run: string; owner: Owner },
  outcome: RunOutcome,
  home: Home,
): Promise<string> {
  const { state, text, summary, artifactRefs, usage, error, decisions = [] } = outcome;
  const at = new Date().toISOString();
  if (state === 'waiting') return at;
  const result: SessionEntry = {
    ...{ type: 'result', run, ...epochOf(owner), at, state, text, summary, artifactRefs },
    ...(decisions.length > 0 ? { decisions } : {}),
    ...(usage ? { usage } : {}),
    ...(error === undefined ? {} : { error }),
  };
  owner.check();
  await openTask(home, taskId, viber).session.append([result]);
  crashPoint('run:result-written');
  return at;
}

/** What is left once the result stands in the session; done again after a crash, and nothing twice. */
export async function conclude(turn: Concluding, given: RunOutcome, at: string, gw: Gateway): Promise<void> {
  const outcome = await completed(turn, given, gw);
  await send(turn, outcome, gw);
  // What is on its way to people goes before what is noted of it.
  await nextTurn();
  await note(turn, outcome, at, gw);
}

async function send(turn: Concluding, outcome: RunOutcome, gw: Gateway): Promise<void> {
  const { taskId, viber } = (turn.items[0] as Item).message;
  if (outcome.state === 'stopped') await gw.places.live.end(turn.run, []);
  else await sendAnswers(turn, outcome, gw);
  crashPoint('run:out-written');
  // The answer is durable in `out`; the session's lines follow within half a second.
  gw.tasks.syncSoon(openTask(gw.home, taskId, viber).session.file);
}

/** With what features add to it. */
async function completed(turn: Concluding, outcome: RunOutcome, gw: Gateway): Promise<RunOutcome> {
  let answer = outcome;
  for (const { answers } of gw.features.on) {
    if (answers?.when(answer, turn)) answer = await answers.add(answer, turn, gw);
  }
  return answer;
}

/** The state of its task. What waited alone after crashes may be noted when a newer turn has ended already. */
async function stateAfter(turn: Concluding, state: Ended, home: Home): Promise<Ended> {
  if (!turn.isAgain) return state;
  const { viber, taskId } = (turn.items[0] as Item).message;
  const lines = openTask(home, taskId, viber).session.tail({ maxBytes: SEARCH_BYTES });
  const results = lines.flatMap((line) => (line.type === 'result' && line.error !== STEERED ? [line] : []));
  return results.at(-1)?.state ?? state;
}

async function note(turn: Concluding, outcome: RunOutcome, at: string, gw: Gateway): Promise<void> {
  const { tasks, features, home, log } = gw;
  const { run, items, ack } = turn;
  const { taskId } = (items[0] as Item).message;
  const { state, error, usage } = outcome;
  await tasks.records.setState(taskId, state === 'waiting' ? 'running' : await stateAfter(turn, state, home), run);
  if (state !== 'waiting') {
    const { text, summary, artifactRefs } = outcome;
    tasks.news.tell({ type: 'run:ended', end: { taskId, runId: run, state, text, summary, artifactRefs } });
  }
  tasks.threads.show(taskId);
  features.metrics.count('viber_runs_total', { state });
  for (const { keeps } of features.on) if (keeps?.when(outcome, turn)) await keeps.keep(outcome, turn, at, gw);
  await ack(items);
  for (const { after } of features.on) if (after?.when(outcome, turn)) after.note(outcome, turn, at, gw);
  log.info({ trace: run, task: taskId, state, error, usage }, 'run ended');
}
