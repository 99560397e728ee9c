/**
 * What plans have said, so that a text an editor opened a while ago and saves now takes nothing back that has happened since: it is
 * merged with that. What cannot be merged, and a save that takes ticks back, stands as it was saved; the plan from before is kept
 * beside it and its people are told. From the first change on it stands in `cache/plan-texts`, so that each of several processes knows
 * what the others have written, and a start what was written before it; until then the process that has read a plan knows it.
 */
import path from 'node:path';
import { diff3Merge, diffIndices } from 'node-diff3';
import { createStatCache } from '../../lib/files/cache.ts';
import { replaceFile } from '../../lib/files/staged-file.ts';
import { createLru } from '../../lib/lru.ts';
import { peekJson } from '../../lib/read-json.ts';
import { isText, listOf, shape } from '../../lib/shape.ts';
import type { Home } from '../home.ts';
import { parsePlan } from './plan-markdown.ts';

/** The newest text, and whether what it replaces is to be kept because it does not hold all of that. */
export interface Settled {
  text: string;
  isMerged: boolean;
  loses: boolean;
}

const MAX_PLANS = 512;
const MAX_TEXTS = 12;
const MAX_CHARS = 1024 * 1024;
const textsShape = shape<string[]>(listOf(isText));
const fileOf = (home: Home, taskId: string) => path.join(home.cache, 'plan-texts', `${taskId}.json`);

/** By file, the newest text last. */
const stored = createStatCache<readonly string[] | undefined>(MAX_PLANS, (file) => peekJson(file, textsShape));
/** By file, what a plan said that nobody has changed yet. */
const read = createLru<string>(MAX_PLANS);

/** What the plan has said, the newest last. */
export function knownTexts(home: Home, taskId: string): readonly string[] {
  const file = fileOf(home, taskId);
  const first = read.get(file);
  return stored.get(file) ?? (first === undefined ? [] : [first]);
}

/** The plan says this by now, and whoever had another text before knows of it. */
export function noteKnown(home: Home, taskId: string, text: string): void {
  const file = fileOf(home, taskId);
  const before = knownTexts(home, taskId);
  if (before.at(-1) === text) return;
  if (before.length === 0) read.set(file, text);
  if (before.length === 0) return;
  const texts = [...before.filter((other) => other !== text), text].slice(-MAX_TEXTS);
  for (let chars = texts.join('').length; chars > MAX_CHARS && texts.length > 1; ) chars -= texts.shift()?.length ?? 0;
  replaceFile(file, JSON.stringify(texts));
  read.delete(file);
}

/** What a plan says after somebody has saved `text`. Pure. @param known what it has said, the newest last */
export function settle(known: readonly string[], text: string): Settled {
  const newest = known.at(-1);
  const accepted = (loses: boolean): Settled => ({ text, isMerged: false, loses });
  if (newest === undefined || newest === text) return accepted(false);
  const base = nearest(known, text);
  // Whoever takes a tick back by hand saves an older text as well.
  if (base === newest || (base === text && isUnticked(newest, text))) return accepted(takesBack(newest, text));
  const merged = merge(newest, base, text);
  return merged === undefined ? accepted(true) : { text: merged, isMerged: true, loses: takesBack(newest, merged) };
}

const linesOf = (text: string): string[] => text.split('\n');
const MARK = /^(\s*(?:[-*+]|\d+[.)])\s+)\[(.)\]/;
const unmarked = (line: string): string => line.replace(MARK, '$1[ ]');

/** The text that this one was made from: with the least changed; of two, the newer. */
function nearest(known: readonly string[], text: string): string {
  const lines = linesOf(text);
  const changed = (base: string) =>
    diffIndices(linesOf(base), lines).reduce(
      (sum, { buffer1Content, buffer2Content }) => sum + wordsApart(buffer1Content, buffer2Content),
      0,
    );
  const costs = known.map((base) => ({ base, cost: changed(base) })).toReversed();
  return costs.reduce((best, each) => (each.cost < best.cost ? each : best)).base;
}

/** Words and marks that only one of them has. */
function wordsApart(before: readonly string[], after: readonly string[]): number {
  const [old, next] = [before, after].map((lines) => countsOf(lines.join(' ').match(/\[.\]|\S+/g) ?? []));
  const all = new Set([...(old?.keys() ?? []), ...(next?.keys() ?? [])]);
  return [...all].reduce((sum, word) => sum + Math.abs((old?.get(word) ?? 0) - (next?.get(word) ?? 0)), 0);
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The lines are the same but for their marks. */
function isUnticked(newest: string, text: string): boolean {
  const [before, after] = [linesOf(newest), linesOf(text)];
  return before.length === after.length && before.every((line, at) => unmarked(line) === unmarked(after[at] ?? ''));
}

/** A step that was done is to be done again. */
function takesBack(newest: string, text: string): boolean {
  const done = parsePlan(newest).steps.filter(({ status }) => status === 'done' || status === 'skipped');
  const open = parsePlan(text).steps.filter(({ status }) => status === 'pending' || status === 'in_progress');
  return done.some(({ title }) => open.some((step) => step.title === title));
}

/** Undefined where both have changed the same lines in different ways. */
function merge(newest: string, base: string, text: string): string | undefined {
  const merged: string[] = [];
  for (const { ok, conflict } of diff3Merge(linesOf(newest), linesOf(base), linesOf(text), {
    excludeFalseConflicts: true,
  })) {
    if (ok) merged.push(...ok);
    if (!conflict) continue;
    const lines = mergeLines(conflict.a, conflict.o, conflict.b);
    if (lines === undefined) return undefined;
    merged.push(...lines);
  }
  return merged.join('\n');
}

/** Line by line: the mark of the one, the words of the other. */
function mergeLines(newest: readonly string[], base: readonly string[], text: readonly string[]): string[] | undefined {
  if (newest.length !== base.length || text.length !== base.length) return undefined;
  const lines = base.map((line, at) => mergeLine(newest[at] ?? '', line, text[at] ?? ''));
  return lines.every((line) => line !== undefined) ? lines : undefined;
}

function mergeLine(newest: string, base: string, text: string): string | undefined {
  if (newest === text || text === base) return newest;
  if (newest === base) return text;
  const marks = [newest, base, text].map((line) => MARK.exec(line)?.[2]);
  const [now, was, given] = marks;
  if (now === undefined || was === undefined || given === undefined) return undefined;
  const words = unmarked(newest) === unmarked(base) ? text : unmarked(text) === unmarked(base) ? newest : undefined;
  if (words === undefined || (now !== was && given !== was && now !== given)) return undefined;
  return words.replace(MARK, (_line, bullet: string) => `${bullet}[${now !== was ? now : given}]`);
}
