/**
 * The supervisor of a playbook (B4): code that goes through the steps, so that any model gets to the end; models do the work and
 * check it. For each open step of `task.md`: its agent is asked, the result is checked, and what came of it is journaled before
 * the step is ticked.
 *
 *   plan -> [ask the agent -> check -> (once more with the reason) -> session: step -> tick] ... -> answer
 *
 * Invariants: a step that is journaled is never asked again unless a person unticks it; a person's edit of the plan is obeyed at
 * the next step; whatever ends the run, `/play` goes on at the first open step.
 */

import { crashPoint } from '../../crash-points.ts';
import { UserError } from '../../errors.ts';
import { fillPlaybook } from '../../skills/playbook.ts';
import { type PlanFile, readPlan, writePlan } from '../../workspace/plan.ts';
import { appendSession } from '../../workspace/sessions.ts';
import type { ArtifactRef } from '../../workspace/types.ts';
import { RunError } from '../agent/agent.ts';
import type { Play, PlayTurn } from '../contract/order.ts';
import type { RunOutcome } from '../contract/outcome.ts';
import { failure, PLAYBOOK_OPEN } from '../reply/failure.ts';
import { summarise } from '../reply/reply.ts';
import { findPlaybook } from './library.ts';
import {
  type CurrentStep,
  doneLine,
  doneSteps,
  isWhole,
  openStep,
  type Played,
  planOf,
  readDone,
  readPlayed,
  readWholePlan,
  setStep,
  writePlayed,
} from './record.ts';
import { createStepWork, isRole, type StepOptions, uniqueRefs } from './step.ts';
import { finishedText, goOnButton, stuckText } from './words.ts';

/** Steps of one run: a plan that is unticked again and again ends here. */
const MAX_ROUNDS = 150;

export function createPlay(options: StepOptions): Play {
  const { home, mesh, bus, log } = options;
  const work = createStepWork(options);

  const say = (text: string, more: Partial<RunOutcome> = {}): RunOutcome => ({
    ...{ state: 'completed', text, summary: summarise(text), artifactRefs: [], buttons: [] },
    ...more,
  });

  /** What is played: begun now, or gone on with. A sentence when that cannot be. */
  async function open({ task, play, id }: PlayTurn): Promise<Played | string> {
    const known = readPlayed(home, task.id);
    if (play.name === undefined || known?.id === id)
      return known ?? 'There is no playbook to go on with here: /play lists them.';
    if (known && !known.isFinished)
      return `This task is not done with the playbook ${known.playbook.name}: /play goes on with it, /new begins another task.`;
    const { playbook } = findPlaybook(home, play.name);
    const filled = fillPlaybook(playbook, new Map(play.values));
    const played: Played = { id, playbook: filled, isFinished: false };
    // The plan first: what is played counts as begun with its own file.
    await writePlan(home, task.id, planOf(filled));
    await writePlayed(home, task.id, played);
    return played;
  }

  /** The plan as it stands; a plan that was taken away comes back with what is done. */
  async function planNow({ task }: PlayTurn, { id, playbook }: Played): Promise<PlanFile | undefined> {
    const stored = await readWholePlan(home, task, (plan) => isWhole(plan, playbook));
    if (stored && stored.text.trim() !== '') return stored;
    const done = await doneSteps(home, task, id);
    await writePlan(home, task.id, planOf(playbook, new Set(done.map(({ key }) => key))));
    return readPlan(home, task.id, task.viber);
  }

  return async (turn) => {
    const { task, run, signal, earlier } = turn;
    const origin = { agentId: task.viber, taskId: task.id, runId: run };
    // The first to be seen at work is the viber itself.
    bus.emit({ ...origin, type: 'state-change', state: 'thinking' });
    const played = await orSentence(() => open(turn));
    if (typeof played === 'string') return say(played, { state: 'error', error: 'playbook' });
    const { playbook } = played;
    // One that a crash has cut gives its answer after all.
    if (played.isFinished && earlier.length === 0)
      return say(`The playbook **${playbook.title}** is done already: /plan shows its steps.`);
    const before = earlier.flatMap((entry) => (entry.type === 'step' ? (readDone(entry) ?? []) : []));
    // A crash may have come between this line and its tick; between those before it and theirs none has.
    const unticked = before.at(-1)?.key;
    let added = before.length === 0 ? turn.added : '';
    const roles = () => playbook.steps.flatMap((step) => (isRole(mesh, task, step) ? [step.agent ?? ''] : []));
    let lines = earlier.filter((entry) => entry.type === 'step').length;
    const tried = new Map<string, number>();

    for (let round = 0; round < MAX_ROUNDS; round++) {
      const plan = await planNow(turn, played);
      const current = plan && openStep(plan, playbook);
      const done = await doneSteps(home, task, played.id);
      if (!plan || !current) {
        await writePlayed(home, task.id, { ...played, isFinished: true });
        const text = plan ? finishedText(playbook, plan.plan, done, roles()) : 'The plan is empty.';
        return say(text, { artifactRefs: uniqueRefs(done.flatMap((step) => step.artifactRefs)) });
      }
      if (current.key === unticked && current.isBegun && !tried.has(current.key)) {
        await tick(current);
        continue;
      }
      try {
        await setStep(home, task, current.key, 'in_progress');
        const isAnew = before.some(({ key }) => key === current.key);
        const at = { playbook, current, done, added, isAnew, tried: tried.get(current.key) };
        const worked = await work(turn, at);
        if ('waiting' in worked) return worked;
        if ('reason' in worked) return stuck(current, worked.reason, worked.artifactRefs);
        added = '';
        const summary = summarise(worked.text);
        const line = doneLine(run, lines++, { key: current.key, summary, artifactRefs: worked.artifactRefs });
        await appendSession(home, task.viber, task.id, [line], { sync: true });
        crashPoint('playbook:step-written');
        tried.set(current.key, worked.number);
        await tick(current);
      } catch (error) {
        if (signal.aborted || !(error instanceof RunError || error instanceof UserError)) throw error;
        const outcome = failure(error, run, log);
        if (outcome.text === '') return outcome;
        return stuck(current, outcome.text, [], outcome.error);
      }
    }
    return say(
      `**${playbook.title}** was ended after ${MAX_ROUNDS} steps: its plan is unticked again and again.`,
      OPEN,
    );

    async function tick({ key }: CurrentStep): Promise<void> {
      await setStep(home, task, key, 'done');
      // Whoever shows the plan's progress looks at it again.
      bus.emit({ ...origin, type: 'tool-result', tool: 'update_plan', result: null });
    }

    function stuck(current: CurrentStep, why: string, artifactRefs: ArtifactRef[], error?: string): RunOutcome {
      const text = stuckText(playbook, current, why);
      const told = error === 'cap' ? 'cap' : PLAYBOOK_OPEN;
      return say(text, {
        ...OPEN,
        error: told,
        artifactRefs,
        buttons: [[goOnButton(task.id)]],
      });
    }
  };
}

const OPEN: Partial<RunOutcome> = { state: 'error', error: PLAYBOOK_OPEN };

/** What a person can mend is told as it is. */
async function orSentence<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}
