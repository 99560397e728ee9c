/**
 * Whose plan an editor has saved. `task.md` in a viber's folder is a link that moves from task to task, and an editor may hold a text
 * that it showed an hour ago: what is saved belongs to the task whose text it was made from, found by the id in its front matter or by
 * the lines it shares. What was shown is remembered in `conversations/shown/`: the tasks, and the text of the current one.
 */
import fs from 'node:fs';
import path from 'node:path';
import { appendLinesSync, readTextSync } from '../../lib/files.ts';
import { parseJson } from '../../lib/read-json.ts';
import { type Home, isId } from '../home.ts';

export interface Adoption {
  taskId: string;
  /** What stood in the plan that the edit was not made from: the agent's, written after it, or what was there meanwhile. */
  replaced?: string;
}

/** An adoption that people should hear of. */
export interface ToldAdoption {
  viber: string;
  taskId: string;
  /** The name of the file in the task's folder in which what was replaced is kept. */
  kept?: string;
  /** What was saved was put together with what had changed since it was opened. */
  isMerged?: boolean;
  /** It was made from no plan that is known: the name under which it stands in the viber's folder now; the task is the current one. */
  aside?: string;
}

interface Shown {
  taskId: string;
  text: string;
}

const REMEMBERED = 20;
const MAX_BYTES = 64 * 1024;
/** The share of a text's lines that must still be there in what was made from it. */
const LEAST = 1 / 3;
const FRONT = /^---\r?\n(?:[\s\S]{0,500}?\r?\n)?task:[ \t]*([\w-]+)[ \t]*\r?\n(?:[\s\S]{0,500}?\r?\n)?---\r?\n/;

const historyFile = (home: Home, viber: string) => path.join(home.conversations, 'shown', `${viber}.jsonl`);
const textFile = (home: Home, viber: string) => path.join(home.conversations, 'shown', `${viber}.md`);

/** Whatever is ticked or moved in, a step is the same line. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/^[\s>*+-]*(?:\[.\]\s*)?|\(in progress\)\s*$/gi, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

function likeness(text: ReadonlySet<string>, shown: string): number {
  const lines = new Set(linesOf(shown));
  const common = [...lines].filter((line) => text.has(line)).length;
  return lines.size === 0 ? 0 : common / lines.size;
}

/** The task from whose text this one was made; undefined where no text is enough like it. Pure. */
export function madeFrom(text: string, shown: readonly Shown[]): string | undefined {
  const [, named] = FRONT.exec(text) ?? [];
  if (named !== undefined && shown.some(({ taskId }) => taskId === named)) return named;
  const lines = new Set(linesOf(text));
  const best = shown
    .map((each) => ({ taskId: each.taskId, score: likeness(lines, each.text) }))
    .toSorted((a, b) => b.score - a.score)[0];
  return best && best.score >= LEAST ? best.taskId : undefined;
}

/** A task is shown from now on. One short line, in no hurry: a power cut costs a guess. */
export function noteShown(home: Home, viber: string, taskId: string, text: string): void {
  const file = historyFile(home, viber);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  appendLinesSync(file, [JSON.stringify({ task: taskId })]);
  noteText(home, viber, text);
}

/** The text of the current task is this, as far as it is known not to be another's. */
export function noteText(home: Home, viber: string, text: string): void {
  const file = textFile(home, viber);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  fs.writeFileSync(file, text, { mode: 0o600 });
}

export const knownText = (home: Home, viber: string): string | undefined => readTextSync(textFile(home, viber));

/** The tasks that were shown, the newest first. */
export function shownTasks(home: Home, viber: string): string[] {
  const file = historyFile(home, viber);
  const text = readTextSync(file) ?? '';
  const all = text.split('\n').flatMap((line) => {
    const parsed = parseJson(line);
    const task = typeof parsed === 'object' && parsed !== null && 'task' in parsed ? parsed.task : undefined;
    return typeof task === 'string' && isId(task) ? [task] : [];
  });
  const newest = [...new Set(all.reverse())].slice(0, REMEMBERED);
  if (text.length > MAX_BYTES)
    fs.writeFileSync(
      file,
      `${newest
        .toReversed()
        .map((task) => JSON.stringify({ task }))
        .join('\n')}\n`,
      { mode: 0o600 },
    );
  return newest;
}

type Listener = (adoption: ToldAdoption) => void;
const listeners = new Map<string, Listener>();

/** Hears of edits that went to another task than the current one, were merged, or took the place of something; what it gives back ends that. */
export function hearAdoptions(home: Home, listener: Listener): () => void {
  listeners.set(home.root, listener);
  return () => void listeners.delete(home.root);
}

/** Nothing is merged where nobody hears of it. */
export const isHeard = (home: Home): boolean => listeners.has(home.root);

export const tellAdoption = (home: Home, adoption: ToldAdoption): void => listeners.get(home.root)?.(adoption);
