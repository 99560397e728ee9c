/**
 * The links in a viber's folder: `task.md` shows the plan of the task that its person (of several, its owners) is
 * talking about, and `session-log` links to that task's session. An editor may save through the link, or replace it
 * with a file, at any time. What it saved goes to the task whose text it was made from (`plan-edits.ts`), never to
 * whichever task is shown by then.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { replaceFile, tempBeside } from '../../lib/files/staged-file.ts';
import { hashText, isWords, readTextSync } from '../../lib/files.ts';
import { exclusively, isShared } from '../../lib/locks.ts';
import { DEFAULT_VIBER, type Home, isId } from '../home.ts';
import { tellChange } from './changes.ts';
import {
  type Adoption,
  isHeard,
  knownText,
  madeFrom,
  noteShown,
  noteText,
  shownTasks,
  tellAdoption,
} from './plan-edits.ts';
import { knownTexts, noteKnown, settle } from './plan-history.ts';
import { readTask } from './record.ts';

export const planFile = (home: Home, taskId: string): string => path.join(home.taskDir(taskId), 'task.md');

/** How long an editor may need to write a file that it emptied, in ms. */
const WRITING_MS = 1_000;

const linkOf = (home: Home, viber: string): string => path.join(home.viberDir(viber), 'task.md');

/**
 * Makes the task the viber's current one: `task.md` and `session-log` in its folder link to it. If an editor had
 * replaced the link, returns the adopted task, and the text that the edit replaced without being made from it.
 */
export function linkCurrentTask(home: Home, viber: string, taskId: string): Promise<Adoption | undefined> {
  return withPlans(home, viber, [currentTask(home, viber)], () => pointToTask(home, viber, taskId));
}

function pointToTask(home: Home, viber: string, taskId: string): Adoption | undefined {
  const before = currentTask(home, viber);
  // A save through the link is settled while it is known which task the link showed.
  if (before !== undefined) settlePlan(home, before, readTextSync(planFile(home, before)), viber);
  const adopted = adoptHandEdit(home, viber) ?? keepStray(home, viber, taskId);
  pointTo(linkOf(home, viber), planFile(home, taskId));
  pointTo(path.join(home.viberDir(viber), 'session-log'), home.sessionPath(viber, taskId));
  if (before !== taskId) noteShown(home, viber, taskId, readTextSync(planFile(home, taskId)) ?? '');
  return adopted;
}

/** Returns the task that `session-log` links to. */
export function currentTask(home: Home, viber: string): string | undefined {
  const target = readLink(path.join(home.viberDir(viber), 'session-log'));
  const id = target === undefined ? '' : path.basename(target, '.jsonl');
  return isId(id) ? id : undefined;
}

function taskViber(home: Home, taskId: string): string {
  return readTask(home, taskId)?.viber ?? DEFAULT_VIBER;
}

/**
 * Adopts a file that an editor put in place of the link as the plan it was made from. Where several processes share the
 * home, one of them does so while none writes the plan. The caller must not hold any plan's lock.
 */
export async function settleEdits(home: Home, taskId: string, viber = taskViber(home, taskId)): Promise<void> {
  if (!isRegular(linkOf(home, viber))) return;
  await withPlans(home, viber, [], () => adoptHandEdit(home, viber));
}

/** Like `settleEdits`, for a caller that holds the plan's lock, where only this process writes to the home. */
export function settleEditsAlone(home: Home, taskId: string, viber = taskViber(home, taskId)): void {
  if (!isShared(linkOf(home, viber)) && isRegular(linkOf(home, viber))) adoptHandEdit(home, viber);
}

/** Locks the link, these plans, and the plan that a file in place of the link belongs to. */
async function withPlans<T>(home: Home, viber: string, plans: (string | undefined)[], work: () => T): Promise<T> {
  const link = linkOf(home, viber);
  // Within one process this is synchronous and needs no lock.
  if (!isShared(link)) return work();
  return exclusively(link, () => {
    const ids = new Set([...plans, editedIn(home, viber)?.taskId].filter((id) => id !== undefined));
    const files = [...ids].toSorted().map((id) => planFile(home, id));
    const held = files.reduce<() => Promise<T>>(
      (inner, file) => () => exclusively(file, inner),
      async () => work(),
    );
    return held();
  });
}

/** Updates the links and the known text after the store wrote the plan. */
export function takeWritten(home: Home, taskId: string, text: string): void {
  const viber = taskViber(home, taskId);
  const isLost = currentTask(home, viber) === undefined;
  if ((isLost ? shownTasks(home, viber)[0] : currentTask(home, viber)) !== taskId) return;
  // Deleted links come back with the next plan.
  pointTo(linkOf(home, viber), planFile(home, taskId));
  if (isLost) pointTo(path.join(home.viberDir(viber), 'session-log'), home.sessionPath(viber, taskId));
  noteText(home, viber, text);
}

/**
 * Returns the plan of a task whose file now holds `text`. If an editor that had opened another task saved it through
 * the link, the text moves to that task and this plan is restored.
 */
export function settlePlan(
  home: Home,
  taskId: string,
  text: string | undefined,
  viber = taskViber(home, taskId),
): string | undefined {
  if (currentTask(home, viber) !== taskId) return text;
  const known = knownText(home, viber);
  if (text === undefined) return known !== '' && isGoneForNow(planFile(home, taskId)) ? known : undefined;
  if (known === text) return text;
  const file = planFile(home, taskId);
  if (known !== undefined && isBeingWritten(file, text) && known !== '') return known;
  const owner = known === undefined ? undefined : madeFrom(text, shownTexts(home, viber, taskId));
  if (known === undefined || owner === undefined || owner === taskId) {
    noteText(home, viber, text);
    return text;
  }
  const bytes = fs.readFileSync(file);
  if (known === '') fs.rmSync(file, { force: true });
  else replaceFile(file, known, true);
  keepReplaced(home, viber, owner, text);
  replaceFile(planFile(home, owner), bytes, true);
  noteKnown(home, owner, text);
  return known === '' ? undefined : known;
}

/**
 * Returns the texts an editor may have opened: the last known text of the current task, then the tasks shown before it.
 */
function shownTexts(home: Home, viber: string, current: string | undefined) {
  const others = shownTasks(home, viber).filter((taskId) => taskId !== current);
  const shown = others.map((taskId) => ({ taskId, text: readTextSync(planFile(home, taskId)) ?? '' }));
  if (current === undefined) return shown;
  const text = knownText(home, viber) ?? readTextSync(planFile(home, current)) ?? '';
  return [{ taskId: current, text }, ...shown];
}

/** Returns the file in place of the link, with the task whose plan it is; undefined when unknown. */
function editedIn(
  home: Home,
  viber: string,
): { text: string; current: string; taskId: string | undefined } | undefined {
  const edited = linkOf(home, viber);
  const current = isRegular(edited) ? currentTask(home, viber) : undefined;
  if (current === undefined) return undefined;
  const text = readTextSync(edited) ?? '';
  if (isBeingWritten(edited, text)) return undefined;
  const shown = shownTexts(home, viber, current);
  return { text, current, taskId: madeFrom(text, shown) ?? (isOfOnePerson(home, shown) ? current : undefined) };
}

/** Moves a regular `task.md` into its task's folder (the editor may still have it open) and restores the link. */
function adoptHandEdit(home: Home, viber: string): Adoption | undefined {
  const found = editedIn(home, viber);
  if (found === undefined) return undefined;
  const { text, current, taskId } = found;
  const edited = linkOf(home, viber);
  if (taskId === undefined) return setAside(home, viber, current);
  const file = planFile(home, taskId);
  const replaced = taskId === current ? newerText(file, edited, text) : undefined;
  if (taskId !== current || replaced !== undefined) {
    keepReplaced(home, viber, taskId, text);
    noteKnown(home, taskId, text);
  }
  moveFile(edited, file);
  pointTo(edited, planFile(home, current));
  if (taskId === current) noteText(home, viber, text);
  return replaced === undefined ? { taskId } : { taskId, replaced };
}

/** Returns the plan's text if it was written after the edit and differs. */
function newerText(file: string, edited: string, text: string): string | undefined {
  const old = fs.statSync(file, { throwIfNoEntry: false });
  const newer = old && old.mtimeMs > fs.statSync(edited).mtimeMs ? readTextSync(file) : undefined;
  return newer === text ? undefined : newer;
}

/** Keeps a copy of a plan before an edit from elsewhere replaces it, and notifies people. */
function keepReplaced(home: Home, viber: string, taskId: string, text: string): void {
  const old = readTextSync(planFile(home, taskId));
  const isKept = old !== undefined && old !== text;
  const kept = `plan-${stamp()}.md`;
  if (isKept) fs.copyFileSync(planFile(home, taskId), path.join(home.taskDir(taskId), kept));
  tellAdoption(home, { viber, taskId, ...(isKept && { kept }) });
}

/**
 * Returns the task's plan after somebody saved `text`: merged with what has changed since it was opened
 * (`plan-history.ts`). Without a listener to notify, the saved text is used unchanged.
 */
export function settleSaved(home: Home, taskId: string, text: string, viber = taskViber(home, taskId)): string {
  const file = planFile(home, taskId);
  const known = knownTexts(home, taskId);
  const after = isHeard(home) && isWords(file) ? settle(known, text) : { text, isMerged: false, loses: false };
  if (after.loses) keepText(home, viber, taskId, known.at(-1) ?? '');
  else if (after.isMerged && after.text !== known.at(-1)) tellAdoption(home, { viber, taskId, isMerged: true });
  if (after.text !== text) replaceFile(file, after.text, true);
  noteKnown(home, taskId, after.text);
  // The viewer may use another process, on a machine that gets no event for the file.
  const isNews = known.length > 0 && known.at(-1) !== after.text && after.text.trim() !== '';
  if (isNews) tellChange(home, { kind: 'plan', taskId, hash: hashText(after.text) });
  if (currentTask(home, viber) === taskId) noteText(home, viber, after.text);
  return after.text;
}

function keepText(home: Home, viber: string, taskId: string, old: string): void {
  const kept = `plan-${stamp()}.md`;
  fs.writeFileSync(path.join(home.taskDir(taskId), kept), old, { mode: 0o600 });
  tellAdoption(home, { viber, taskId, kept });
}

const isOfOnePerson = (home: Home, shown: readonly { taskId: string }[]): boolean =>
  new Set(shown.flatMap(({ taskId }) => readTask(home, taskId)?.people[0] ?? [])).size <= 1;

/** Keeps a text that matches no known plan under another name; no plan changes. */
function setAside(home: Home, viber: string, current: string): undefined {
  const edited = linkOf(home, viber);
  const aside = `task-${stamp()}.md`;
  fs.renameSync(edited, path.join(home.viberDir(viber), aside));
  pointTo(edited, planFile(home, current));
  tellAdoption(home, { viber, taskId: current, aside });
}

const stamp = (): string => new Date().toISOString().replace(/\W/g, '');

/**
 * Makes a regular `task.md` of unknown origin the plan of a task without one; otherwise keeps it under another name.
 */
function keepStray(home: Home, viber: string, taskId: string): Adoption | undefined {
  const stray = linkOf(home, viber);
  if (!isRegular(stray) || currentTask(home, viber) !== undefined) return undefined;
  if (!fs.existsSync(planFile(home, taskId))) {
    moveFile(stray, planFile(home, taskId));
    return { taskId };
  }
  fs.renameSync(stray, path.join(home.viberDir(viber), `task-${stamp()}.md`));
  return undefined;
}

/** Returns whether the file was emptied a moment ago and is about to be filled. */
function isBeingWritten(file: string, text: string): boolean {
  const at = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return text.trim() === '' && Math.abs(Date.now() - at) < WRITING_MS;
}

/**
 * Returns whether the file may be missing only for a moment: some editors move the old file away before writing the new
 * one.
 */
function isGoneForNow(file: string): boolean {
  const at = fs.statSync(path.dirname(file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Math.abs(Date.now() - at) < WRITING_MS;
}

/**
 * Returns whether an editor is in the middle of saving the plan: a write now would replace its save, or be lost with
 * the next one.
 */
export function isInSave(home: Home, taskId: string, viber = taskViber(home, taskId)): boolean {
  const text = readTextSync(planFile(home, taskId));
  if (text !== undefined) return isBeingWritten(planFile(home, taskId), text);
  return settlePlan(home, taskId, undefined, viber) !== undefined;
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
  // A missing link is usual in a home without plans, and a thrown error costs more than a look.
  if (fs.lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
  try {
    return fs.readlinkSync(link);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EINVAL') return undefined;
    throw error;
  }
}

/** Makes `link` a relative link to `target`, atomically. Leaves anything that isn't a link alone. */
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
  const temp = tempBeside(path.join(from, 'task.md'));
  fs.symlinkSync(path.relative(from, path.join(real, ...target.split(path.sep).slice(-2))), temp);
  fs.renameSync(temp, link);
}
