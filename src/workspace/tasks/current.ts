/**
 * The links in a viber's folder: `task.md` shows the plan of the task that its person (or, if there are several, an
 * owner) is talking about, and `session-log` links to that task's session. An editor may save through the link, or
 * replace it with a file, at any time. One rule says whose plan it saved: that of the shown task whose text it was made
 * from (`madeFrom`), whichever task is shown by then.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { replaceFile, tempBeside } from '../../lib/files/staged-file.ts';
import { hashText, isWords, readTextSync } from '../../lib/files.ts';
import { exclusively } from '../../lib/locks.ts';
import { DEFAULT_VIBER, type Home, isId } from '../home.ts';
import { isHeard, tellChange } from './changes.ts';
import { knownText, madeFrom, noteShown, noteText, type ShownPlan, shownTasks } from './plan-edits.ts';
import { knownTexts, noteKnown, settle } from './plan-history.ts';
import { readTask } from './record.ts';

export const planFile = (home: Home, taskId: string): string => path.join(home.taskDir(taskId), 'task.md');

/** How long an editor may need to write a file that it emptied or moved away, in ms. */
const SAVING_MS = 1_000;

const linkOf = (home: Home, viber: string): string => path.join(home.viberDir(viber), 'task.md');

export function linkCurrentTask(home: Home, viber: string, taskId: string): Promise<void> {
  return withPlans(home, viber, [currentTask(home, viber)], () => {
    const before = currentTask(home, viber);
    if (before === undefined) keepStray(home, viber, taskId);
    else {
      // A save through the link is settled while it is known which task the link showed.
      settlePlan(home, before, readTextSync(planFile(home, before)), viber);
      adoptEdit(home, viber);
    }
    pointTo(linkOf(home, viber), planFile(home, taskId));
    pointTo(path.join(home.viberDir(viber), 'session-log'), home.sessionPath(viber, taskId));
    if (before !== taskId) noteShown(home, viber, taskId, readTextSync(planFile(home, taskId)) ?? '');
  });
}

export function currentTask(home: Home, viber: string): string | undefined {
  const target = readLink(path.join(home.viberDir(viber), 'session-log'));
  const id = target === undefined ? '' : path.basename(target, '.jsonl');
  return isId(id) ? id : undefined;
}

function taskViber(home: Home, taskId: string): string {
  return readTask(home, taskId)?.viber ?? DEFAULT_VIBER;
}

/** Adopts a file that an editor put in place of the link. The caller must not hold any plan's lock. */
export async function settleEdits(home: Home, taskId: string, viber = taskViber(home, taskId)): Promise<void> {
  if (isRegular(linkOf(home, viber))) await withPlans(home, viber, [], () => adoptEdit(home, viber));
}

/** The same for the holder of the plan's lock, if the file was made from this plan. */
export function settleOwnEdit(home: Home, taskId: string, viber = taskViber(home, taskId)): void {
  if (editedIn(home, viber)?.taskId === taskId) adoptEdit(home, viber);
}

/** Locks the link, these plans, and the plan that a file in place of the link was made from. */
function withPlans(home: Home, viber: string, plans: (string | undefined)[], work: () => void): Promise<void> {
  return exclusively(linkOf(home, viber), () => {
    const ids = new Set([...plans, editedIn(home, viber)?.taskId].filter((id) => id !== undefined));
    const files = [...ids].toSorted().map((id) => planFile(home, id));
    const held = files.reduce<() => Promise<void>>(
      (inner, file) => () => exclusively(file, inner),
      async () => work(),
    );
    return held();
  });
}

export function takeWritten(home: Home, taskId: string, text: string): void {
  const viber = taskViber(home, taskId);
  const current = currentTask(home, viber);
  if ((current ?? shownTasks(home, viber)[0]) !== taskId) return;
  // Deleted links come back with the next plan.
  pointTo(linkOf(home, viber), planFile(home, taskId));
  if (current === undefined) pointTo(path.join(home.viberDir(viber), 'session-log'), home.sessionPath(viber, taskId));
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
  const [file, known] = [planFile(home, taskId), knownText(home, viber)];
  if (known === text) return text;
  if (known !== '' && isBeingSaved(file, text)) return known;
  if (text === undefined) return undefined;
  const owner = known === undefined ? taskId : (madeFrom(text, shownTexts(home, viber, taskId)) ?? taskId);
  if (owner === taskId) {
    noteText(home, viber, text);
    return text;
  }
  const bytes = fs.readFileSync(file);
  if (known) replaceFile(file, known, true);
  else fs.rmSync(file, { force: true });
  tellEdit(home, owner, replacedBy(planFile(home, owner), text));
  replaceFile(planFile(home, owner), bytes, true);
  noteKnown(home, owner, text);
  return known || undefined;
}

/** The texts an editor may have opened: the current task's last known one, then those of tasks shown before it. */
function shownTexts(home: Home, viber: string, current: string): ShownPlan[] {
  const textOf = (taskId: string) => readTextSync(planFile(home, taskId)) ?? '';
  const others = shownTasks(home, viber).filter((taskId) => taskId !== current);
  return [
    { taskId: current, text: knownText(home, viber) ?? textOf(current) },
    ...others.map((taskId) => ({ taskId, text: textOf(taskId) })),
  ];
}

/** Its `taskId` is undefined if it was made from no known plan. */
function editedIn(
  home: Home,
  viber: string,
): { text: string; current: string; taskId?: string | undefined } | undefined {
  const edited = linkOf(home, viber);
  const current = isRegular(edited) ? currentTask(home, viber) : undefined;
  if (current === undefined) return undefined;
  const text = readTextSync(edited) ?? '';
  if (isBeingSaved(edited, text)) return undefined;
  const shown = shownTexts(home, viber, current);
  return { text, current, taskId: madeFrom(text, shown) ?? (isOfOnePerson(home, shown) ? current : undefined) };
}

/** Moves a file in place of the link into its task's folder (the editor may still have it open). */
function adoptEdit(home: Home, viber: string): void {
  const found = editedIn(home, viber);
  if (found === undefined) return;
  const { text, current, taskId } = found;
  const edited = linkOf(home, viber);
  if (taskId === undefined) {
    // It was made from no known plan, and several people have theirs: no plan changes.
    tellChange(home, { kind: 'edit', taskId: current, aside: putAside(home, viber) });
  } else {
    const file = planFile(home, taskId);
    const isOther = taskId !== current;
    const replaced = isOther || isNewer(file, edited) ? replacedBy(file, text) : undefined;
    if (isOther || replaced) {
      tellEdit(home, taskId, replaced);
      noteKnown(home, taskId, text);
    }
    moveFile(edited, file);
    if (!isOther) noteText(home, viber, text);
  }
  pointTo(edited, planFile(home, current));
}

const isNewer = (file: string, edited: string): boolean =>
  (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > fs.statSync(edited).mtimeMs;

/** Returns the plan that this text replaces; undefined for none, and for the same. */
function replacedBy(file: string, text: string): Buffer | undefined {
  const old = readTextSync(file);
  return old === undefined || old === text ? undefined : fs.readFileSync(file);
}

/** Keeps a plan that an edit replaced, and notifies people. */
function tellEdit(home: Home, taskId: string, replaced?: string | Buffer): void {
  const kept = `plan-${stamp()}.md`;
  if (replaced !== undefined) fs.writeFileSync(path.join(home.taskDir(taskId), kept), replaced, { mode: 0o600 });
  tellChange(home, { kind: 'edit', taskId, ...(replaced !== undefined && { kept }) });
}

/**
 * Returns the plan after somebody saved `text`: merged with what has changed since it was opened (`plan-history.ts`).
 * Without a listener to notify, nothing is merged.
 */
export function settleSaved(home: Home, taskId: string, text: string, viber = taskViber(home, taskId)): string {
  const file = planFile(home, taskId);
  const known = knownTexts(home, taskId);
  const after = isHeard(home) && isWords(file) ? settle(known, text) : { text, isMerged: false, loses: false };
  if (after.loses) tellEdit(home, taskId, known.at(-1) ?? '');
  else if (after.isMerged && after.text !== known.at(-1)) tellChange(home, { kind: 'edit', taskId, isMerged: true });
  if (after.text !== text) replaceFile(file, after.text, true);
  noteKnown(home, taskId, after.text);
  // The viewer may use another process, on a machine that gets no event for the file.
  const isNews = known.length > 0 && known.at(-1) !== after.text && after.text.trim() !== '';
  if (isNews) tellChange(home, { kind: 'plan', taskId, hash: hashText(after.text) });
  if (currentTask(home, viber) === taskId) noteText(home, viber, after.text);
  return after.text;
}

const isOfOnePerson = (home: Home, shown: readonly ShownPlan[]): boolean =>
  new Set(shown.flatMap(({ taskId }) => readTask(home, taskId)?.people[0] ?? [])).size <= 1;

/** Keeps the file in place of the link under another name. */
function putAside(home: Home, viber: string): string {
  const aside = `task-${stamp()}.md`;
  fs.renameSync(linkOf(home, viber), path.join(home.viberDir(viber), aside));
  return aside;
}

const stamp = (): string => new Date().toISOString().replace(/\W/g, '');

/** A `task.md` from before any task becomes the plan of a task without one. */
function keepStray(home: Home, viber: string, taskId: string): void {
  const stray = linkOf(home, viber);
  if (!isRegular(stray)) return;
  if (fs.existsSync(planFile(home, taskId))) putAside(home, viber);
  else moveFile(stray, planFile(home, taskId));
}

/** Returns whether an editor is saving: a moment ago it emptied the file or moved it away, to write it again. */
export function isBeingSaved(file: string, text: string | undefined): boolean {
  if (text !== undefined && text.trim() !== '') return false;
  const stat = [file, path.dirname(file)].map((each) => fs.statSync(each, { throwIfNoEntry: false })).find(Boolean);
  return Math.abs(Date.now() - (stat?.mtimeMs ?? 0)) < SAVING_MS;
}

/** A write during an editor's save would replace it, or be lost with the next one. */
export function isInSave(home: Home, taskId: string, viber = taskViber(home, taskId)): boolean {
  const text = readTextSync(planFile(home, taskId));
  if (text !== undefined) return isBeingSaved(planFile(home, taskId), text);
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

/** Leaves anything that isn't a link alone. */
function pointTo(link: string, target: string): void {
  const old = readLink(link);
  if (old === undefined && fs.lstatSync(link, { throwIfNoEntry: false }) !== undefined) return;
  fs.mkdirSync(path.dirname(link), { recursive: true, mode: 0o700 });
  const [from, base] = [fs.realpathSync.native(path.dirname(link)), path.dirname(path.dirname(target))];
  const real = fs.existsSync(base) ? fs.realpathSync.native(base) : base;
  const to = path.relative(from, path.join(real, path.relative(base, target)));
  if (old === to) return;
  const temp = tempBeside(path.join(from, 'task.md'));
  fs.symlinkSync(to, temp);
  fs.renameSync(temp, link);
}
