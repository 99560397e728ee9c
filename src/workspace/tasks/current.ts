/**
 * The link `task.md` in a viber's folder, which shows the plan of the task that its person (with several: its owners) talks about, and
 * `session-log` beside it, a link to that task's session. An editor may save through the link, or put a file in its place, at any
 * time: what it saved goes to the task whose text it was made from (`plan/edits.ts`), never to whichever is shown by then.
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

/** Editors that empty a file before they write it need no longer. */
const WRITING_MS = 1_000;

const linkOf = (home: Home, viber: string): string => path.join(home.viberDir(viber), 'task.md');

/**
 * Makes the task the viber's current one: `task.md` and `session-log` in its folder point to it. Gives what was adopted when
 * an editor had replaced the link: the task, and the text that the edit took the place of, if it was not made from that.
 */
export function linkCurrentTask(home: Home, viber: string, taskId: string): Promise<Adoption | undefined> {
  return withPlans(home, viber, [currentTask(home, viber)], () => pointToTask(home, viber, taskId));
}

function pointToTask(home: Home, viber: string, taskId: string): Adoption | undefined {
  const before = currentTask(home, viber);
  // What was saved through the link is settled while it is known what it showed.
  if (before !== undefined) settlePlan(home, before, readTextSync(planFile(home, before)), viber);
  const adopted = adoptHandEdit(home, viber) ?? keepStray(home, viber, taskId);
  pointTo(linkOf(home, viber), planFile(home, taskId));
  pointTo(path.join(home.viberDir(viber), 'session-log'), home.sessionPath(viber, taskId));
  if (before !== taskId) noteShown(home, viber, taskId, readTextSync(planFile(home, taskId)) ?? '');
  return adopted;
}

/** The task `session-log` points to. */
export function currentTask(home: Home, viber: string): string | undefined {
  const target = readLink(path.join(home.viberDir(viber), 'session-log'));
  const id = target === undefined ? '' : path.basename(target, '.jsonl');
  return isId(id) ? id : undefined;
}

function viberOf(home: Home, taskId: string): string {
  return readTask(home, taskId)?.viber ?? DEFAULT_VIBER;
}

/**
 * A file that an editor has put in the place of the link is taken as the plan that it is. Where several processes share the home one of
 * them does that, and none writes the plan meanwhile: whoever calls this holds no plan's lock.
 */
export async function settleEdits(home: Home, taskId: string, viber = viberOf(home, taskId)): Promise<void> {
  if (!isRegular(linkOf(home, viber))) return;
  await withPlans(home, viber, [], () => adoptHandEdit(home, viber));
}

/** `settleEdits` for whoever holds the plan's lock, where this process alone writes in the home. */
export function settleEditsAlone(home: Home, taskId: string, viber = viberOf(home, taskId)): void {
  if (!isShared(linkOf(home, viber)) && isRegular(linkOf(home, viber))) adoptHandEdit(home, viber);
}

/** Nobody else moves the link or writes these plans meanwhile, nor the one that a file in the place of the link belongs to. */
async function withPlans<T>(home: Home, viber: string, plans: (string | undefined)[], work: () => T): Promise<T> {
  const link = linkOf(home, viber);
  // Of one process nothing of this is cut in two.
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

/** The store has written the plan. */
export function takeWritten(home: Home, taskId: string, text: string): void {
  const viber = viberOf(home, taskId);
  const isLost = currentTask(home, viber) === undefined;
  if ((isLost ? shownTasks(home, viber)[0] : currentTask(home, viber)) !== taskId) return;
  // Whoever deletes the links finds them again with the next plan.
  pointTo(linkOf(home, viber), planFile(home, taskId));
  if (isLost) pointTo(path.join(home.viberDir(viber), 'session-log'), home.sessionPath(viber, taskId));
  noteText(home, viber, text);
}

/**
 * The plan of a task whose file now holds `text`. Where that was saved through the link by an editor that had opened it while it
 * showed another task, it goes there, and the plan is what it was before.
 */
export function settlePlan(
  home: Home,
  taskId: string,
  text: string | undefined,
  viber = viberOf(home, taskId),
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

/** What an editor may have opened: the current task's text as it was known last, then those that were shown before it. */
function shownTexts(home: Home, viber: string, current: string | undefined) {
  const others = shownTasks(home, viber).filter((taskId) => taskId !== current);
  const shown = others.map((taskId) => ({ taskId, text: readTextSync(planFile(home, taskId)) ?? '' }));
  if (current === undefined) return shown;
  const text = knownText(home, viber) ?? readTextSync(planFile(home, current)) ?? '';
  return [{ taskId: current, text }, ...shown];
}

/** What stands in the place of the link, and the task whose plan it is; that is undefined where nobody knows. */
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

/** Moves a regular `task.md` into its task's folder (the editor may still hold it open) and puts the link back. */
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

/** What stands in the plan and was written after the edit. */
function newerText(file: string, edited: string, text: string): string | undefined {
  const old = fs.statSync(file, { throwIfNoEntry: false });
  const newer = old && old.mtimeMs > fs.statSync(edited).mtimeMs ? readTextSync(file) : undefined;
  return newer === text ? undefined : newer;
}

/** Whatever a plan was before an edit from elsewhere stays in the task's folder, and people hear of it. */
function keepReplaced(home: Home, viber: string, taskId: string, text: string): void {
  const old = readTextSync(planFile(home, taskId));
  const isKept = old !== undefined && old !== text;
  const kept = `plan-${stamp()}.md`;
  if (isKept) fs.copyFileSync(planFile(home, taskId), path.join(home.taskDir(taskId), kept));
  tellAdoption(home, { viber, taskId, ...(isKept && { kept }) });
}

/**
 * The task's own plan after somebody has saved `text`: merged with what has changed since it was opened (`plan/history.ts`). Without
 * anybody to tell it is what was saved.
 */
export function settleSaved(home: Home, taskId: string, text: string, viber = viberOf(home, taskId)): string {
  const file = planFile(home, taskId);
  const known = knownTexts(home, taskId);
  const after = isHeard(home) && isWords(file) ? settle(known, text) : { text, isMerged: false, loses: false };
  if (after.loses) keepText(home, viber, taskId, known.at(-1) ?? '');
  else if (after.isMerged && after.text !== known.at(-1)) tellAdoption(home, { viber, taskId, isMerged: true });
  if (after.text !== text) replaceFile(file, after.text, true);
  noteKnown(home, taskId, after.text);
  // Whoever looks at it may look by another process, on a machine that sees no change of a file.
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

/** Nobody's plan that anybody knows of: kept under another name, and no plan is changed. */
function setAside(home: Home, viber: string, current: string): undefined {
  const edited = linkOf(home, viber);
  const aside = `task-${stamp()}.md`;
  fs.renameSync(edited, path.join(home.viberDir(viber), aside));
  pointTo(edited, planFile(home, current));
  tellAdoption(home, { viber, taskId: current, aside });
}

const stamp = (): string => new Date().toISOString().replace(/\W/g, '');

/** A regular `task.md` of unknown origin becomes the plan of a task without one; else it is kept under another name. */
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

/** Emptied a moment ago: its words are still to come. */
function isBeingWritten(file: string, text: string): boolean {
  const at = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return text.trim() === '' && Math.abs(Date.now() - at) < WRITING_MS;
}

/** Some editors put the old file aside before they write the new one. */
function isGoneForNow(file: string): boolean {
  const at = fs.statSync(path.dirname(file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Math.abs(Date.now() - at) < WRITING_MS;
}

/** Whether an editor is in the middle of saving the plan: what would be written now would take the place of it, or be lost with the next. */
export function isInSave(home: Home, taskId: string, viber = viberOf(home, taskId)): boolean {
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
  const temp = tempBeside(path.join(from, 'task.md'));
  fs.symlinkSync(path.relative(from, path.join(real, ...target.split(path.sep).slice(-2))), temp);
  fs.renameSync(temp, link);
}
