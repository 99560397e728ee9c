/**
 * Applies the supervisor's changes: first to the task's copy of the playbook, then to the plan, which people see and
 * edit. Invariant: a plan that somebody has edited in the meantime isn't changed.
 */
import { crashPoint } from '../../../crash-points.ts';
import { errorMessage, UserError } from '../../../errors.ts';
import { RunError } from '../../../runtime/contract/run-error.ts';
import { updatePlan } from '../../../runtime/tools/update-plan.ts';
import { openTask, type PlanFile } from '../../../workspace/tasks/index.ts';
import type { Gateway } from '../../gateway.ts';
import { applyChanges, type Change } from './changes.ts';
import { type CurrentStep, type DoneStep, doneLine, isPlayable, type PlayRecord, writePlayed } from './record.ts';
import { supervise } from './supervise.ts';
import type { PlayTurn } from './turn.ts';

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
export async function revise(turn: PlayTurn, at: Standing, gw: Gateway): Promise<PlayRecord | undefined> {
  const { task, run } = turn;
  const { played, plan, done, failed } = at;
  const changes = await wanted(turn, at, gw);
  if (changes.length === 0) return undefined;
  const kept = new Set(done.flatMap(({ key, isSkipped }) => (isSkipped ? [key] : [])));
  const next = applyChanges(plan.plan, played.playbook, changes, { kept, failed: failed?.current.key });
  if (!next || !isPlayable(next.playbook)) return undefined;
  const revised: PlayRecord = { ...played, playbook: next.playbook };
  await writePlayed(gw.home, task.id, revised);
  crashPoint('playbook:revised');
  const write = await openTask(gw.home, task).plan.write(next.plan, { baseHash: plan.hash });
  if (!write.written) {
    await writePlayed(gw.home, task.id, played);
    return undefined;
  }
  const lines = next.skipped.map(({ key, why }, index) =>
    doneLine(run, at.lines + index, { key, summary: why, artifactRefs: [], isSkipped: true }),
  );
  if (lines.length > 0) await openTask(gw.home, task).session.append(lines, { sync: true });
  gw.log.info({ trace: run, task: task.id, changes: changes.length, skipped: lines.length }, 'a playbook was revised');
  showPlan(turn, gw);
  return revised;
}

/** Tells viewers of the plan to reload it. */
export function showPlan({ task, run }: PlayTurn, { tasks }: Gateway): void {
  const origin = { agentId: task.viber, taskId: task.id, runId: run };
  tasks.bus.emit({ ...origin, type: 'tool-result', tool: updatePlan.name, result: null });
}

/** If the supervisor can't be asked, nothing changes. */
async function wanted(turn: PlayTurn, { played, plan, failed, ...at }: Standing, gw: Gateway): Promise<Change[]> {
  const { task, run, signal } = turn;
  try {
    const why = failed && { title: failed.current.title, reason: failed.reason };
    return await supervise({ ...at, playbook: played.playbook, plan: plan.plan, failed: why }, turn, gw);
  } catch (error) {
    if (signal.aborted || !(error instanceof RunError || error instanceof UserError)) throw error;
    gw.log.warn(
      { trace: run, task: task.id, err: errorMessage(error) },
      'the supervisor of a playbook could not be asked',
    );
    return [];
  }
}
