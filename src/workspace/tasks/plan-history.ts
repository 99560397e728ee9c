/**
 * Keeps a plan's earlier texts, so that saving a text opened a while ago doesn't undo what has happened since: the
 * save is merged with it (`plan-merge.ts`). From the first change on they are in `cache/plan-texts` for every process;
 * before that only the process that read the plan knows its text.
 */
import path from 'node:path';
import { diffIndices } from 'node-diff3';
import { createStatCache } from '../../lib/files/cache.ts';
import { replaceFile } from '../../lib/files/staged-file.ts';
import { peekJson } from '../../lib/json.ts';
import { createLru } from '../../lib/lru.ts';
import { isText, listOf, shape } from '../../lib/shape.ts';
import type { Home } from '../home.ts';
import { parsePlan } from './plan-markdown.ts';
import { mergePlans } from './plan-merge.ts';

/** `loses`: the replaced text should be kept. */
export interface SettledText {
  text: string;
  isMerged: boolean;
  loses: boolean;
}

const MAX_PLANS = 512;
const MAX_TEXTS = 12;
const MAX_CHARS = 1024 * 1024;
const MAX_LINES = 1_000;
const textsShape = shape<string[]>(listOf(isText));
const textsFile = (home: Home, taskId: string) => path.join(home.cache, 'plan-texts', `${taskId}.json`);

/** Texts by file, the newest last. */
const stored = createStatCache<readonly string[] | undefined>(MAX_PLANS, (file) => peekJson(file, textsShape));
/** The texts of unchanged plans, by file. */
const read = createLru<string>(MAX_PLANS);

export function knownTexts(home: Home, taskId: string): readonly string[] {
  const file = textsFile(home, taskId);
  const first = read.get(file);
  return stored.get(file) ?? (first === undefined ? [] : [first]);
}

export function noteKnown(home: Home, taskId: string, text: string): void {
  const file = textsFile(home, taskId);
  const before = knownTexts(home, taskId);
  if (before.at(-1) === text) return;
  if (before.length === 0) read.set(file, text);
  if (before.length === 0) return;
  const texts = [...before.filter((other) => other !== text), text].slice(-MAX_TEXTS);
  for (let chars = texts.join('').length; chars > MAX_CHARS && texts.length > 1; ) chars -= texts.shift()?.length ?? 0;
  replaceFile(file, JSON.stringify(texts));
  read.delete(file);
}

const unixLines = (text: string): string => text.replaceAll('\r\n', '\n');

/**
 * Returns what a plan says after somebody saved `text`; the ends of its lines stay as saved. Pure.
 * @param known its texts, the newest last
 */
export function settle(known: readonly string[], text: string): SettledText {
  const settled = settleLines(known.map(unixLines), unixLines(text));
  if (!settled.isMerged) return { ...settled, text };
  return text.includes('\r\n') ? { ...settled, text: settled.text.replaceAll('\n', '\r\n') } : settled;
}

function settleLines(known: readonly string[], text: string): SettledText {
  const newest = known.at(-1);
  const accepted = (loses: boolean): SettledText => ({ text, isMerged: false, loses });
  if (newest === undefined || newest === text) return accepted(false);
  // Comparing longer texts would hold up everybody.
  if (known.length > 1 && [text, ...known].some((each) => splitLines(each).length > MAX_LINES)) return accepted(true);
  const base = nearest(known, text);
  // Removing a tick by hand also restores an older text.
  if (base === newest || (base === text && isUnticked(newest, text))) return accepted(takesBack(newest, text));
  const merged = mergePlans(newest, base, text);
  const loses = merged.loses || takesBack(newest, merged.text);
  return merged.text === text ? accepted(loses) : { text: merged.text, isMerged: true, loses };
}

const splitLines = (text: string): string[] => text.split('\n');
const MARK = /^(\s*(?:[-*+]|\d+[.)])\s+)\[(.)\]/;
const unmarked = (line: string): string => line.replace(MARK, '$1[ ]');

/** Returns the text that this one was made from: the one with the fewest changes, the newer of two. */
function nearest(known: readonly string[], text: string): string {
  const lines = splitLines(text);
  const changed = (base: string) => {
    const runs = diffIndices(splitLines(base), lines);
    const gone = new Set(runs.flatMap((run) => run.buffer1Content));
    const come = new Set(runs.flatMap((run) => run.buffer2Content));
    const isNew = (other: ReadonlySet<string>) => (line: string) => !other.has(line);
    return runs.reduce((sum, { buffer1Content, buffer2Content }) => {
      const [old, next] = [buffer1Content.filter(isNew(come)), buffer2Content.filter(isNew(gone))];
      return sum + wordsApart(old, next) + (buffer2Content.length - next.length) / 100;
    }, 0);
  };
  const costs = known.map((base) => ({ base, cost: changed(base) })).toReversed();
  return costs.reduce((best, each) => (each.cost < best.cost ? each : best)).base;
}

/** Compares line by line if both have the same number of lines. */
function wordsApart(before: readonly string[], after: readonly string[]): number {
  if (before.length > 1 && before.length === after.length)
    return before.reduce((sum, line, at) => sum + wordsApart([line], [after[at] ?? '']), 0);
  const [old, next] = [before, after].map((lines) => countsOf(lines.join(' ').match(/\[.\]|\S+/g) ?? []));
  const all = new Set([...(old?.keys() ?? []), ...(next?.keys() ?? [])]);
  return [...all].reduce((sum, word) => sum + Math.abs((old?.get(word) ?? 0) - (next?.get(word) ?? 0)), 0);
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function isUnticked(newest: string, text: string): boolean {
  const [before, after] = [splitLines(newest), splitLines(text)];
  return before.length === after.length && before.every((line, at) => unmarked(line) === unmarked(after[at] ?? ''));
}

/** Returns whether a finished step is open again. */
function takesBack(newest: string, text: string): boolean {
  const done = parsePlan(newest).steps.filter(({ status }) => status === 'done' || status === 'skipped');
  const open = parsePlan(text).steps.filter(({ status }) => status === 'pending' || status === 'in_progress');
  return done.some(({ title }) => open.some((step) => step.title === title));
}
