/**
 * Implements `planApproval`: the proposed plan stays in `implementation_plan.md` until somebody approves it. People's
 * version counts: the file if it was edited, else the task's own plan.
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

export const planFileName = ({ id }: TaskRecord): string => `artifacts/${id}/${FILE}`;

export const planPath = (home: Home, taskId: string): string => openTask(home, taskId).fileAt(FILE);

/** Copies the plan to where people can change it. | @throws UserError if there is none */
export async function proposePlan(home: Home, { id, viber }: TaskRecord): Promise<ImplementationPlan> {
  const plan = await openTask(home, id, viber).plan.read();
  if (!plan) throw new UserError('There is no plan to approve.');
  await writeFileAtomic(planPath(home, id), plan.text);
  return { text: plan.text, hash: plan.hash };
}

/** Falls back to the task's own plan if the file is gone. */
export async function proposedPlan(home: Home, { id, viber }: TaskRecord): Promise<ImplementationPlan | undefined> {
  return openTask(home, id).plan.implementation() ?? (await openTask(home, id, viber).plan.read());
}

/** Makes people's version the task's own plan. | @param digest the hash of the plan as proposed */
export async function adoptPlan(home: Home, task: TaskRecord, digest: string): Promise<ImplementationPlan> {
  const proposed = openTask(home, task).plan.implementation();
  if (proposed && proposed.hash !== digest) {
    const write = await openTask(home, task).plan.write(proposed.text);
    if (write.written) return { text: write.text, hash: write.hash };
  }
  return (await openTask(home, task).plan.read()) ?? { text: '', hash: '' };
}

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
