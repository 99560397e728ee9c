/**
 * Finds the task whose plan an editor has saved. `task.md` in a viber's folder is a link that moves from task to task,
 * and an editor may hold a text that it opened an hour ago. A save belongs to the task whose text it was made from,
 * found by the ID in its front matter or by the lines they share. `conversations/shown/` remembers the tasks shown, and
 * the text of the current one.
 */
import fs from 'node:fs';
import path from 'node:path';
import { createStatCache } from '../../lib/files/cache.ts';
import { replaceFile } from '../../lib/files/staged-file.ts';
import { appendLinesSync, readTextSync } from '../../lib/files.ts';
import { parseJson } from '../../lib/json.ts';
import { type Home, isId } from '../home.ts';

export interface Adoption {
  taskId: string;
  /** The plan's text that the edit replaced without being made from it, such as a later one by the agent. */
  replaced?: string;
}

/** An adoption to notify people of. */
export interface ToldAdoption {
  viber: string;
  taskId: string;
  /** The file in the task's folder that keeps the replaced text. */
  kept?: string;
  /** The save was merged with what had changed since it was opened. */
  isMerged?: boolean;
  /** The file in the viber's folder that keeps a save made from no known plan; `taskId` is then the current task. */
  aside?: string;
}

interface ShownPlan {
  taskId: string;
  text: string;
}

const REMEMBERED = 20;
const MAX_BYTES = 64 * 1024;
/** The share of a text's lines that must remain in a text made from it. */
const LEAST = 1 / 3;
const FRONT = /^---\r?\n(?:[\s\S]{0,500}?\r?\n)?task:[ \t]*([\w-]+)[ \t]*\r?\n(?:[\s\S]{0,500}?\r?\n)?---\r?\n/;

const historyFile = (home: Home, viber: string) => path.join(home.conversations, 'shown', `${viber}.jsonl`);
const textFile = (home: Home, viber: string) => path.join(home.conversations, 'shown', `${viber}.md`);

/** Strips marks and indentation, so that a step keeps its line when it is ticked or moved. */
const bareLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/^[\s>*+-]*(?:\[.\]\s*)?|\(in progress\)\s*$/gi, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

function likeness(text: ReadonlySet<string>, shown: string): number {
  const lines = new Set(bareLines(shown));
  const common = [...lines].filter((line) => text.has(line)).length;
  return lines.size === 0 ? 0 : common / lines.size;
}

/** Returns the task from whose text this one was made; undefined when no text is similar enough. Pure. */
export function madeFrom(text: string, shown: readonly ShownPlan[]): string | undefined {
  const [, named] = FRONT.exec(text) ?? [];
  if (named !== undefined && shown.some(({ taskId }) => taskId === named)) return named;
  const lines = new Set(bareLines(text));
  const best = shown
    .map((each) => ({ taskId: each.taskId, score: likeness(lines, each.text) }))
    .toSorted((a, b) => b.score - a.score)[0];
  return best && best.score >= LEAST ? best.taskId : undefined;
}

/** Records that a task is shown now. Appends one short line without a sync: a power cut only costs a guess. */
export function noteShown(home: Home, viber: string, taskId: string, text: string): void {
  const file = historyFile(home, viber);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  appendLinesSync(file, [JSON.stringify({ task: taskId })]);
  noteText(home, viber, text);
}

export function noteText(home: Home, viber: string, text: string): void {
  replaceFile(textFile(home, viber), text);
}

const knownTexts = createStatCache<string | undefined>(64, (file) => readTextSync(file));

export const knownText = (home: Home, viber: string): string | undefined => knownTexts.get(textFile(home, viber));

/** Returns the tasks that were shown, newest first. */
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

/**
 * Sets the listener for edits that went to a task other than the current one, were merged, or replaced something;
 * returns a function that removes it.
 */
export function hearAdoptions(home: Home, listener: Listener): () => void {
  listeners.set(home.root, listener);
  return () => void listeners.delete(home.root);
}

/** Nothing is merged without a listener. */
export const isHeard = (home: Home): boolean => listeners.has(home.root);

export const tellAdoption = (home: Home, adoption: ToldAdoption): void => listeners.get(home.root)?.(adoption);
