/**
 * Finds the task whose plan an editor has saved. `task.md` in a viber's folder is a link that moves from task to task,
 * and an editor may hold a text that it opened an hour ago: a save belongs to the task with whose text it shares most
 * lines. `conversations/shown/` remembers the tasks shown, and the text of the current one.
 */
import fs from 'node:fs';
import path from 'node:path';
import { createStatCache } from '../../lib/files/cache.ts';
import { replaceFile } from '../../lib/files/staged-file.ts';
import { appendLinesSync, readTextSync } from '../../lib/files.ts';
import { parseJson } from '../../lib/json.ts';
import { objectOf, shape } from '../../lib/shape.ts';
import { type Home, isId } from '../home.ts';

export interface ShownPlan {
  taskId: string;
  text: string;
}

const REMEMBERED = 20;
const MAX_BYTES = 64 * 1024;
/** The share of a text's lines that must remain in a text made from it. */
const LEAST = 1 / 3;

const shownShape = shape<{ task: string }>(objectOf({ task: isId }));

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

/** Returns undefined when no text is similar enough. Pure. */
export function madeFrom(text: string, shown: readonly ShownPlan[]): string | undefined {
  const lines = new Set(bareLines(text));
  const best = shown
    .map((each) => ({ taskId: each.taskId, score: likeness(lines, each.text) }))
    .toSorted((a, b) => b.score - a.score)[0];
  return best && best.score >= LEAST ? best.taskId : undefined;
}

/** Not synced: a power cut only costs a guess. */
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

/** Newest first. */
export function shownTasks(home: Home, viber: string): string[] {
  const file = historyFile(home, viber);
  const text = readTextSync(file) ?? '';
  const all = text.split('\n').flatMap((line) => shownShape.safeParse(parseJson(line)).data?.task ?? []);
  const newest = [...new Set(all.reverse())].slice(0, REMEMBERED);
  const lines = newest.toReversed().map((task) => `${JSON.stringify({ task })}\n`);
  if (text.length > MAX_BYTES) fs.writeFileSync(file, lines.join(''), { mode: 0o600 });
  return newest;
}
