/**
 * `plan_approval` (C42, F9): the plan as it was proposed stands in the task's `implementation_plan.md` until somebody approves
 * it. Whoever approves approves the file as it is then: a plan that was edited by hand becomes the task's plan.
 */
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { hashText, readText, writeFileAtomic } from '../../workspace/files.ts';
import type { Home } from '../../workspace/home.ts';
import { readPlan, writePlan } from '../../workspace/plan.ts';
import { updateTask } from '../../workspace/tasks.ts';
import type { TaskRecord } from '../../workspace/types.ts';

export interface ImplementationPlan {
  text: string;
  hash: string;
}

/** The file's path as people find it, from the home. */
export const planFileName = ({ id }: TaskRecord): string => `artifacts/${id}/implementation_plan.md`;

export const planPath = (home: Home, taskId: string): string =>
  path.join(home.taskDir(taskId), 'implementation_plan.md');

/** The task's plan as it stands, put where it can be looked at and changed. */
export async function writeImplementationPlan(home: Home, { id, viber }: TaskRecord): Promise<ImplementationPlan> {
  const plan = await readPlan(home, id, viber);
  if (!plan) throw new UserError('There is no plan to approve.');
  await writeFileAtomic(planPath(home, id), plan.text);
  return { text: plan.text, hash: plan.hash };
}

/** The file as it is now becomes the plan, and the task may be worked on. A file that is gone counts as unchanged. */
export async function approvePlan(
  home: Home,
  { id, viber }: TaskRecord,
  { by, at }: { by: string; at: string },
): Promise<ImplementationPlan> {
  const current = await readPlan(home, id, viber);
  const text = (await readText(planPath(home, id))) ?? current?.text ?? '';
  if (text !== current?.text) await writePlan(home, id, text);
  const hash = hashText(text);
  await updateTask(home, id, (record) => ({ ...record, approvedPlan: { hash, by, at } }));
  return { text, hash };
}
