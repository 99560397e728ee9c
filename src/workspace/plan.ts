/**
 * The one store of plans, `artifacts/{taskId}/task.md`, and the link `task.md` in the viber's folder that shows the current
 * one. A person may edit either at any time: the hand edit wins, and what the agent wanted is given back as a proposal. An
 * editor that saves by replacing the link leaves a regular file there; it is taken as the plan of the task that was current,
 * which `session-log` (a link to that task's session, beside `task.md`) still knows.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { errorCode, UserError } from '../errors.ts';
import { createStatCache } from '../lib/file-cache.ts';
import { editText, hashText, readTextSync } from '../lib/files.ts';
import { serialise } from '../lib/locks.ts';
import { DEFAULT_VIBER, type Home, isId } from './home.ts';
import { formatPlan, isToDo, parsePlan } from './plan-markdown.ts';
import { readTaskSync } from './tasks.ts';
import type { Plan, TaskRecord, TaskState } from './types.ts';

export { formatPlan, isToDo, nextStep, parsePlan, planNotes, planProgress, stepAtWork } from './plan-markdown.ts';

const MAX_CHARS = 256 * 1024;

export interface PlanFile {
  text: string;
  /** SHA-256 of the text; the `baseHash` of a later `writePlan`. */
  hash: string;
  plan: Plan;
}

export type PlanWrite =
  | { written: true; text: string; hash: string }
  /** The plan was edited by hand since the base: `current` stands, `proposal` is the text that was to be written. */
  | { written: false; proposal: string; current: string };

const planFile = (home: Home, taskId: string) => path.join(home.taskDir(taskId), 'task.md');
const files = createStatCache<PlanFile>(512, (file) => {
  const text = readTextSync(file) ?? '';
  return { text, hash: hashText(text), plan: parsePlan(text) };
});

/** The task's plan, undefined when it has none. `viber` is the task's, where the caller knows it. */
export async function readPlan(home: Home, taskId: string, viber?: string): Promise<PlanFile | undefined> {
  adoptForTask(home, taskId, viber);
  return files.get(planFile(home, taskId));
}

/** How a task stands: with steps that are to be done it is not completed, whatever its last run was. */
export const standOf = ({ state }: Pick<TaskRecord, 'state'>, plan: Plan | undefined): TaskState | 'open' =>
  state === 'completed' && plan?.steps.some(isToDo) ? 'open' : state;

/** The plan that waits for consent, `implementation_plan.md` of the task; undefined when it has none. */
export async function readImplementationPlan(home: Home, taskId: string): Promise<PlanFile | undefined> {
  return files.get(path.join(home.taskDir(taskId), 'implementation_plan.md'));
}

/**
 * Writes the plan. A structured plan, and Markdown without both headings `## Goal` and `## Plan`, keep everything else the
 * file says; an empty goal keeps the old one. Markdown with both headings replaces the file.
 * @param options.baseHash the hash of the text the change was made from; without it there is no check for hand edits
 */
export function writePlan(
  home: Home,
  taskId: string,
  plan: string | Plan,
  options: { baseHash?: string } = {},
): Promise<PlanWrite> {
  const file = planFile(home, taskId);
  return serialise(file, async () => {
    let conflict: { proposal: string; current: string } | undefined;
    const change = (current: string | undefined) => {
      const text = render(plan, current);
      const isEdited =
        current !== undefined && options.baseHash !== undefined && hashText(current) !== options.baseHash;
      conflict = isEdited && current !== text ? { proposal: text, current } : undefined;
      return conflict === undefined ? text : undefined;
    };
    const read = () => {
      adoptForTask(home, taskId);
      return readTextSync(file);
    };
    const text = (await editText(file, change, { read })) ?? '';
    return conflict === undefined ? { written: true, text, hash: hashText(text) } : { written: false, ...conflict };
  });
}

function render(plan: string | Plan, current: string | undefined): string {
  const isFile = typeof plan === 'string' && /^##[ \t]+goal\b/im.test(plan) && /^##[ \t]+plan\b/im.test(plan);
  const parsed = typeof plan === 'string' ? parsePlan(plan) : plan;
  const goal = parsed.goal.trim() === '' && current !== undefined ? parsePlan(current).goal : parsed.goal;
  const text = isFile ? `${plan.trim()}\n` : formatPlan({ ...parsed, goal }, current);
  if (text.length > MAX_CHARS) throw new UserError(`The plan is too long: at most ${MAX_CHARS} characters.`);
  return text;
}

/**
 * Makes the task the viber's current one: `task.md` and `session-log` in its folder point to it. Gives what was adopted when
 * an editor had replaced the link: the task, and the text the agent wrote after that edit, if it did.
 */
export async function linkCurrentTask(home: Home, viber: string, taskId: string): Promise<Adoption | undefined> {
  const adopted = adoptHandEdit(home, viber) ?? keepStray(home, viber, taskId);
  pointTo(path.join(home.viberDir(viber), 'task.md'), planFile(home, taskId));
  pointTo(path.join(home.viberDir(viber), 'session-log'), home.sessionPath(viber, taskId));
  return adopted;
}

export interface Adoption {
  taskId: string;
  /** The plan that stood in the task's own file and was newer than the hand edit. */
  replaced?: string;
}

/** The task `session-log` points to. */
function currentTask(home: Home, viber: string): string | undefined {
  const target = readLink(path.join(home.viberDir(viber), 'session-log'));
  const id = target === undefined ? '' : path.basename(target, '.jsonl');
  return isId(id) ? id : undefined;
}

function adoptForTask(home: Home, taskId: string, viber = viberOf(home, taskId)): void {
  if (isRegular(path.join(home.viberDir(viber), 'task.md')) && currentTask(home, viber) === taskId)
    adoptHandEdit(home, viber);
}

function viberOf(home: Home, taskId: string): string {
  return readTaskSync(home, taskId)?.viber ?? DEFAULT_VIBER;
}

/** Moves a regular `task.md` into its task's folder (the editor may still hold it open) and puts the link back. */
function adoptHandEdit(home: Home, viber: string): Adoption | undefined {
  const edited = path.join(home.viberDir(viber), 'task.md');
  const taskId = isRegular(edited) ? currentTask(home, viber) : undefined;
  if (taskId === undefined) return undefined;
  const file = planFile(home, taskId);
  const old = fs.statSync(file, { throwIfNoEntry: false });
  const text = old && old.mtimeMs > fs.statSync(edited).mtimeMs ? readTextSync(file) : undefined;
  const replaced = text === readTextSync(edited) ? undefined : text;
  moveFile(edited, file);
  pointTo(edited, file);
  return replaced === undefined ? { taskId } : { taskId, replaced };
}

/** A regular `task.md` of unknown origin becomes the plan of a task without one; else it is kept under another name. */
function keepStray(home: Home, viber: string, taskId: string): Adoption | undefined {
  const stray = path.join(home.viberDir(viber), 'task.md');
  if (!isRegular(stray)) return undefined;
  if (!fs.existsSync(planFile(home, taskId))) {
    moveFile(stray, planFile(home, taskId));
    return { taskId };
  }
  fs.renameSync(stray, path.join(home.viberDir(viber), `task-${new Date().toISOString().replace(/\W/g, '')}.md`));
  return undefined;
}

function isRegular(file: string): boolean {
  return fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

function moveFile(from: string, to: string): void {
  fs.mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    fs.copyFileSync(from, to);
    fs.rmSync(from);
  }
}

function readLink(link: string): string | undefined {
  try {
    return fs.readlinkSync(link);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EINVAL') return undefined;
    throw error;
  }
}

/** Makes `link` a relative link to `target`, in one step. Anything that is not a link stays as it is. */
function pointTo(link: string, target: string): void {
  const old = readLink(link);
  if (
    old !== undefined &&
    path.basename(old) === path.basename(target) &&
    old.endsWith(target.split(path.sep).slice(-2).join('/'))
  )
    return;
  if (old === undefined && fs.lstatSync(link, { throwIfNoEntry: false }) !== undefined) return;
  fs.mkdirSync(path.dirname(link), { recursive: true, mode: 0o700 });
  const [from, base] = [fs.realpathSync.native(path.dirname(link)), path.dirname(path.dirname(target))];
  const real = fs.existsSync(base) ? fs.realpathSync.native(base) : base;
  const temp = path.join(from, `.${randomBytes(8).toString('hex')}.tmp`);
  fs.symlinkSync(path.relative(from, path.join(real, ...target.split(path.sep).slice(-2))), temp);
  fs.renameSync(temp, link);
}
