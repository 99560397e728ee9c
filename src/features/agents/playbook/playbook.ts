/**
 * Executes a playbook. Code controls the steps, so that any model gets to the end; models do the work, check it, and
 * decide before each step whether to change the remaining ones (`supervise.ts`). For each pending step of `task.md`,
 * its agent is asked, the result is checked and journaled, and the step is ticked.
 * plan -> [revise -> ask the agent -> check -> (once more with the reason) -> session: step -> tick] ... -> answer
 * Invariants: a journaled step never runs again unless a person unticks it. A person's edit of the plan takes
 * effect at the next step. Whatever ends the run, `/play` resumes at the first pending step.
 */

import { crashPoint } from '../../../crash-points.ts';
import { UserError } from '../../../errors.ts';
import type { Messages } from '../../../messages/messages.ts';
import type { Waiting } from '../../../runtime/contract/agent.ts';
import type { Answer } from '../../../runtime/contract/outcome.ts';
import { RunError } from '../../../runtime/contract/run-error.ts';
import { failureAnswer, PLAYBOOK_OPEN } from '../../../runtime/reply/failure.ts';
import { summarise } from '../../../runtime/reply/render-answer.ts';
import type { Home } from '../../../workspace/home.ts';
import { openTask, type PlanFile } from '../../../workspace/tasks/index.ts';
import type { ArtifactRef } from '../../../workspace/types.ts';
import type { Gateway } from '../../gateway.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { findPlaybook } from './library.ts';
import { fillPlaybook } from './read-playbook.ts';
import {
  type CurrentStep,
  type DoneStep,
  doneLine,
  doneSteps,
  isWhole,
  openStep,
  type PlayRecord,
  planOf,
  readDone,
  readPlayed,
  readWholePlan,
  setStep,
  writePlayed,
} from './record.ts';
import { revise, type Standing, showPlan } from './revise.ts';
import { isRole, uniqueRefs, workOnStep } from './step.ts';
import type { PlayTurn } from './turn.ts';
import { finishedText, goOnButton, stuckText } from './words.ts';

/** The maximum number of steps in one run, for a plan that is unticked again and again. */
const MAX_ROUNDS = 150;

/**
 * @throws {RunError} if the turn was aborted
 * @throws a system error if the disk fails
 */
export async function playTurn(turn: PlayTurn, mesh: Mesh, gw: Gateway): Promise<Answer | Waiting> {
  const { task, run, earlier, messages } = turn;
  // The viber itself appears as working first.
  gw.tasks.bus.emit({ agentId: task.viber, taskId: task.id, runId: run, type: 'state-change', state: 'thinking' });
  const played = await orSentence(() => openRecord(gw.home, turn), messages);
  if (typeof played === 'string') return outcome(played, { state: 'error', error: 'playbook' });
  const { title } = played.playbook;
  // After a crash, a finished playbook still gets its answer.
  if (played.isFinished && earlier.length === 0) return outcome(messages.text('playbooks.doneAlready', { title }));
  const progress = progressOf(turn, played);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const ended = await playStep(turn, progress, mesh, gw);
    if (ended) return ended;
  }
  return outcome(messages.text('playbooks.unticked', { title, n: MAX_ROUNDS }), OPEN);
}

/** The progress of a playbook's run, including that of earlier processes. */
interface Progress {
  /** Includes the supervisor's changes. */
  played: PlayRecord;
  /** How many steps were done when the supervisor last looked. */
  looked: number;
  /** Failed steps that the supervisor has already been asked about. */
  failed: Set<string>;
  /** Steps that were done earlier in this run. */
  before: readonly DoneStep[];
  /** The step that a crash may have left journaled but unticked. Earlier steps are ticked. */
  unticked: string | undefined;
  /** Words that a person has added for the current step. */
  added: string;
  /** The number of step lines in the session. */
  lines: number;
  /** Completed tries per step, in this process. */
  tried: Map<string, number>;
}

function progressOf({ earlier, added }: PlayTurn, played: PlayRecord): Progress {
  const steps = earlier.filter((entry) => entry.type === 'step');
  const before = steps.flatMap((entry) => readDone(entry) ?? []).filter(({ isSkipped }) => !isSkipped);
  return {
    played,
    looked: -1,
    failed: new Set(),
    before,
    unticked: before.at(-1)?.key,
    lines: steps.length,
    tried: new Map(),
    added: before.length === 0 ? added : '',
  };
}

/** Does the first pending step. Returns the run's outcome if it was the last one or failed. */
async function playStep(
  turn: PlayTurn,
  progress: Progress,
  mesh: Mesh,
  gw: Gateway,
): Promise<Answer | Waiting | undefined> {
  const { task, run, signal } = turn;
  const { home, log } = gw;
  const { before, added, tried, played } = progress;
  const { playbook } = played;
  const plan = await planNow(home, turn, played);
  const current = plan && openStep(plan, playbook);
  const done = await doneSteps(home, task, played.id);
  if (!plan || !current) {
    await writePlayed(home, task.id, { ...played, isFinished: true });
    const roles = playbook.steps.flatMap((step) => (isRole(mesh, task, step) ? [step.agent ?? ''] : []));
    const { messages } = turn;
    const text = plan ? finishedText(playbook, plan.plan, done, roles, messages) : messages.text('playbooks.emptyPlan');
    return outcome(text, { artifactRefs: uniqueRefs(done.flatMap((step) => step.artifactRefs)) });
  }
  const { key } = current;
  if (key === progress.unticked && current.isBegun && !tried.has(key)) return tick(turn, key, gw);
  const standing: Standing = { played, plan, done, added, lines: progress.lines };
  try {
    if (!current.isBegun && (await superviseOnce(turn, standing, progress, gw))) return undefined;
    await setStep(home, task, key, 'in_progress');
    const isAnew = before.some((step) => step.key === key);
    const worked = await workOnStep(turn, { playbook, current, done, added, isAnew, tried: tried.get(key) }, mesh, gw);
    if ('waiting' in worked) return worked;
    if ('reason' in worked) {
      const failed = { current, reason: worked.reason };
      const isRevised = await lookAgain(turn, { ...standing, failed }, progress, gw);
      return isRevised ? undefined : stuck(turn, played, current, worked);
    }
    progress.added = '';
    const summary = summarise(worked.text);
    const line = doneLine(run, progress.lines++, { key, summary, artifactRefs: worked.artifactRefs });
    await openTask(home, task).session.append([line], { sync: true });
    crashPoint('playbook:step-written');
    tried.set(key, worked.number);
    return await tick(turn, key, gw);
  } catch (error) {
    if (signal.aborted || !(error instanceof RunError || error instanceof UserError)) throw error;
    const failed = failureAnswer(error, run, { role: turn.principal.role, messages: turn.messages }, log);
    if (failed.text === '') return failed;
    return stuck(turn, played, current, { reason: failed.text, artifactRefs: [] }, failed.error);
  }
}

/** Lets the supervisor change the remaining steps, once after each finished step. Returns whether it did. */
async function superviseOnce(turn: PlayTurn, at: Standing, progress: Progress, gw: Gateway): Promise<boolean> {
  const count = at.done.filter(({ isSkipped }) => !isSkipped).length;
  if (count === progress.looked) return false;
  progress.looked = count;
  return adoptRevision(await revise(turn, at, gw), progress);
}

/** Does the same for a failed step, once per step. */
async function lookAgain(turn: PlayTurn, at: Standing, progress: Progress, gw: Gateway): Promise<boolean> {
  const { key } = at.failed?.current ?? { key: '' };
  if (progress.failed.has(key)) return false;
  progress.failed.add(key);
  const stored = await openTask(gw.home, turn.task).plan.read();
  return stored ? adoptRevision(await revise(turn, { ...at, plan: stored }, gw), progress) : false;
}

function adoptRevision(revised: PlayRecord | undefined, progress: Progress): boolean {
  if (revised) progress.played = revised;
  // Line numbers only have to increase.
  if (revised) progress.lines += revised.playbook.steps.length;
  return revised !== undefined;
}

async function tick(turn: PlayTurn, key: string, gw: Gateway): Promise<undefined> {
  await setStep(gw.home, turn.task, key, 'done');
  showPlan(turn, gw);
}

function stuck(
  { task, messages }: PlayTurn,
  { playbook }: PlayRecord,
  current: CurrentStep,
  { reason, artifactRefs }: { reason: string; artifactRefs: ArtifactRef[] },
  error?: string,
): Answer {
  const kind = error === 'cap' ? 'cap' : PLAYBOOK_OPEN;
  const buttons = [[goOnButton(task.id, messages)]];
  return outcome(stuckText(playbook, current, reason, messages), { ...OPEN, error: kind, artifactRefs, buttons });
}

const outcome = (text: string, more: Partial<Answer> = {}): Answer => ({
  state: 'completed',
  text,
  summary: summarise(text),
  artifactRefs: [],
  buttons: [],
  ...more,
});

/** Returns the new or resumed playbook, or a sentence if there is none to play. */
async function openRecord(home: Home, { task, play, id, messages }: PlayTurn): Promise<PlayRecord | string> {
  const known = readPlayed(home, task.id);
  if (play.name === undefined || known?.id === id) return known ?? messages.text('playbooks.nothingOpen');
  if (known && !known.isFinished) return messages.text('playbooks.otherOpen', { name: known.playbook.name });
  const { playbook } = findPlaybook(home, play.name);
  const filled = fillPlaybook(playbook, new Map(play.values));
  const played: PlayRecord = { id, playbook: filled, isFinished: false };
  // The plan is written first, because a playbook counts as started once its own file exists.
  await openTask(home, task).plan.write(planOf(filled));
  await writePlayed(home, task.id, played);
  return played;
}

/** Returns the current plan. A deleted plan is restored with its finished steps. */
async function planNow(home: Home, { task }: PlayTurn, { id, playbook }: PlayRecord): Promise<PlanFile | undefined> {
  const stored = await readWholePlan(home, task, (plan) => isWhole(plan, playbook));
  if (stored && stored.text.trim() !== '') return stored;
  const done = await doneSteps(home, task, id);
  await openTask(home, task).plan.write(planOf(playbook, done));
  return openTask(home, task).plan.read();
}

const OPEN: Partial<Answer> = { state: 'error', error: PLAYBOOK_OPEN };

/** Returns the message of a UserError, which a person can act on. */
async function orSentence<T>(work: () => Promise<T>, messages: Messages): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserError) return messages.said(error.said);
    throw error;
  }
}
