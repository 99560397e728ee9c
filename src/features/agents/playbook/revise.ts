/**
 * Applies the supervisor's changes: to the task's copy of the playbook first, then to the plan, which people see and
 * edit. Invariant: a plan that somebody has edited in between stays unchanged.
 */
import { crashPoint } from '../../../crash-points.ts';
import { errorMessage, UserError } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { RunError } from '../../../runtime/agent/agent.ts';
import type { Bus } from '../../../runtime/live/bus.ts';
import { updatePlan } from '../../../runtime/tools/update-plan.ts';
import type { Home } from '../../../workspace/home.ts';
import { openTask, type PlanFile } from '../../../workspace/tasks/index.ts';
import { applyChanges, type Change } from './changes.ts';
import { type CurrentStep, type DoneStep, doneLine, isPlayable, type PlayRecord, writePlayed } from './record.ts';
import type { Supervise } from './supervise.ts';
import type { PlayTurn } from './turn.ts';

export interface ReviseServices {
  home: Home;
  supervise: Supervise;
  bus: Bus;
  log: Logger;
}

export interface Standing {
  played: PlayRecord;
  plan: PlanFile;
  done: readonly DoneStep[];
  added: string;
  /** The number of step lines in the session. */
  lines: number;
  /** Set if the step failed. */
  failed?: { current: CurrentStep; reason: string };
}

/** Returns the changed playbook, or undefined if nothing changes. */
export async function revise(turn: PlayTurn, at: Standing, to: ReviseServices): Promise<PlayRecord | undefined> {
  const { task, run } = turn;
  const { played, plan, done, failed } = at;
  const changes = await wanted(turn, at, to);
  if (changes.length === 0) return undefined;
  const kept = new Set(done.flatMap(({ key, isSkipped }) => (isSkipped ? [key] : [])));
  const next = applyChanges(plan.plan, played.playbook, changes, { kept, failed: failed?.current.key });
  if (!next || !isPlayable(next.playbook)) return undefined;
  const revised: PlayRecord = { ...played, playbook: next.playbook };
  await writePlayed(to.home, task.id, revised);
  crashPoint('playbook:revised');
  const write = await openTask(to.home, task).plan.write(next.plan, { baseHash: plan.hash });
  if (!write.written) {
    await writePlayed(to.home, task.id, played);
    return undefined;
  }
  const lines = next.skipped.map(({ key, why }, index) =>
    doneLine(run, at.lines + index, { key, summary: why, artifactRefs: [], isSkipped: true }),
  );
  if (lines.length > 0) await openTask(to.home, task).session.append(lines, { sync: true });
  to.log.info({ trace: run, task: task.id, changes: changes.length, skipped: lines.length }, 'a playbook was revised');
  // Tells viewers of the plan to reload it.
  to.bus.emit({
    agentId: task.viber,
    taskId: task.id,
    runId: run,
    type: 'tool-result',
    tool: updatePlan.name,
    result: null,
  });
  return revised;
}

/** If the supervisor can't be asked, nothing changes. */
async function wanted(turn: PlayTurn, at: Standing, { supervise, log }: ReviseServices): Promise<Change[]> {
  const { task, run, principal, signal } = turn;
  const { played, plan, done, added, failed } = at;
  try {
    return await supervise({
      task,
      run,
      principal,
      signal,
      playbook: played.playbook,
      plan: plan.plan,
      done,
      added,
      failed: failed && { title: failed.current.title, reason: failed.reason },
    });
  } catch (error) {
    if (signal.aborted || !(error instanceof RunError || error instanceof UserError)) throw error;
    log.warn(
      { trace: run, task: task.id, err: errorMessage(error) },
      'the supervisor of a playbook could not be asked',
    );
    return [];
  }
}
