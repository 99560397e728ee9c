/**
 * `plan_approval`: the plan as it was proposed stands in the task's `implementation_plan.md` until somebody approves
 * it. What counts is what people made of it: the file when it was edited, else the task's own plan, which may have been edited
 * as well.
 */
import { UserError } from '../../errors.ts';
import { writeFileAtomic } from '../../lib/files.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';

export interface ImplementationPlan {
  text: string;
  hash: string;
}

const FILE = 'implementation_plan.md';

/** The file's path as people find it, from the home. */
export const planFileName = ({ id }: TaskRecord): string => `artifacts/${id}/${FILE}`;

export const planPath = (home: Home, taskId: string): string => openTask(home, taskId).fileAt(FILE);

/** The task's plan as it stands, put where it can be looked at and changed. */
export async function proposePlan(home: Home, { id, viber }: TaskRecord): Promise<ImplementationPlan> {
  const plan = await openTask(home, id, viber).plan.read();
  if (!plan) throw new UserError('There is no plan to approve.');
  await writeFileAtomic(planPath(home, id), plan.text);
  return { text: plan.text, hash: plan.hash };
}

/** The plan that was proposed, from its file; the task's own when that is gone. */
export async function proposedPlan(home: Home, { id, viber }: TaskRecord): Promise<ImplementationPlan | undefined> {
  return openTask(home, id).plan.implementation() ?? (await openTask(home, id, viber).plan.read());
}

/**
 * Makes the plan the task's own that people have made of the proposal.
 * @param digest the hash of the plan as it was proposed
 */
export async function adoptPlan(home: Home, task: TaskRecord, digest: string): Promise<ImplementationPlan> {
  const proposed = openTask(home, task).plan.implementation();
  if (proposed && proposed.hash !== digest) {
    const write = await openTask(home, task).plan.write(proposed.text);
    if (write.written) return { text: write.text, hash: write.hash };
  }
  return (await openTask(home, task).plan.read()) ?? { text: '', hash: '' };
}

/** The task may be worked on by its plan as people want it. */
export async function approvePlan(
  home: Home,
  task: TaskRecord,
  digest: string,
  { by, at }: { by: string; at: string },
): Promise<ImplementationPlan> {
  const plan = await adoptPlan(home, task, digest);
  await openTask(home, task).update((record) => ({ ...record, approvedPlan: { hash: plan.hash, by, at } }));
  return plan;
}
