/**
 * Merges a plan that somebody saved with what has changed since they opened it, line by line. A step is its title:
 * ticks, bullets and numbers merge beside it. Where both changed the same words, the save wins. Pure.
 */
import { diffIndices } from 'node-diff3';
import type { StepStatus } from '../types.ts';
import { readStep, stepLine } from './plan-markdown.ts';

export interface MergedPlan {
  text: string;
  /** Something that the newest text says isn't in the merged one. */
  loses: boolean;
}

interface Line {
  text: string;
  /** What stays when a step is ticked, moved or indented. */
  key: string;
  step?: NonNullable<ReturnType<typeof readStep>>;
}

/** The lines of a text in one that was made from it. */
interface Derivation {
  /** By line of the old text; undefined for one that is gone. */
  lines: (Line | undefined)[];
  /** Lines of the old text that are elsewhere now. */
  moved: Set<number>;
  /** New lines, and moved ones with their old place, by the line of the old text that they stand before. */
  added: Map<number, { line: Line; from: number | undefined }[]>;
}

/** Longer runs of changed lines are paired by their titles alone. */
const MAX_RUN = 12;

export function mergePlans(newest: string, base: string, saved: string): MergedPlan {
  const old = parseLines(base);
  const [theirs, ours] = [derive(old, parseLines(newest)), derive(old, parseLines(saved))];
  const merged: string[] = [];
  let loses = false;
  const put = (at: number) => {
    const [was, now, given] = [old[at], theirs.lines[at], ours.lines[at]];
    if (was === undefined) return;
    if (now && given) {
      const line = mergeLine(now, was, given);
      loses ||= line.loses;
      merged.push(line.text);
    } else if (given && given.text !== was.text) merged.push(given.text);
    else if (now && now.text !== was.text) loses = true;
  };
  for (let at = 0; at <= old.length; at++) {
    const [theirNew, ourNew] = [theirs.added.get(at) ?? [], ours.added.get(at) ?? []];
    const known = new Set<string>();
    for (const { line, from } of theirNew) {
      if (from === undefined) merged.push(line.text);
      else if (!ours.moved.has(from)) put(from);
      if (from === undefined) known.add(line.key);
    }
    for (const { line, from } of ourNew) {
      if (from !== undefined) put(from);
      else if (!known.has(line.key)) merged.push(line.text);
    }
    if (!theirs.moved.has(at) && !ours.moved.has(at)) put(at);
  }
  return { text: merged.join('\n'), loses };
}

const parseLines = (text: string): Line[] => text.split('\n').map(parsePlanLine);

function parsePlanLine(text: string): Line {
  const step = readStep(text);
  return step ? { text, key: `- ${step.title}`, step } : { text, key: text.trimEnd() };
}

function derive(old: readonly Line[], next: readonly Line[]): Derivation {
  const lines: Derivation['lines'] = old.map(() => undefined);
  const runs: { start: number; gone: number[]; come: Line[] }[] = [];
  let [from, to] = [0, 0];
  const skip = (until: number) => {
    while (from < until) lines[from++] = next[to++];
  };
  for (const { buffer1, buffer2 } of diffIndices(old.map(lineKey), next.map(lineKey))) {
    skip(buffer1[0]);
    const gone = Array.from({ length: buffer1[1] }, (_, n) => from + n);
    runs.push({ start: from, gone, come: next.slice(to, to + buffer2[1]) });
    [from, to] = [from + buffer1[1], to + buffer2[1]];
  }
  skip(old.length);
  const places = new Map<string, number[]>();
  for (const at of runs.flatMap(({ gone }) => gone)) {
    const { key = '', step } = old[at] ?? {};
    if (step) places.set(key, [...(places.get(key) ?? []), at]);
  }
  const added: Derivation['added'] = new Map();
  const moves = new Map(runs.flatMap(({ come }) => come).map((line) => [line, places.get(line.key)?.shift()]));
  for (const [line, at] of moves) if (at !== undefined) lines[at] = line;
  for (const { start, gone, come } of runs) {
    let before = start;
    const reworded = pairs(
      gone.filter((at) => lines[at] === undefined).map((at) => ({ at, line: old[at] })),
      come.filter((line) => moves.get(line) === undefined),
    );
    for (const line of come) {
      const at = reworded.get(line);
      if (at === undefined) added.set(before, [...(added.get(before) ?? []), { line, from: moves.get(line) }]);
      else {
        lines[at] = line;
        before = at + 1;
      }
    }
  }
  return { lines, moved: new Set([...moves.values()].filter((at) => at !== undefined)), added };
}

const lineKey = ({ key }: Line): string => key;

/** Returns the places of reworded lines, paired in their order. */
function pairs(gone: readonly { at: number; line?: Line | undefined }[], come: readonly Line[]): Map<Line, number> {
  const isSmall = gone.length <= MAX_RUN && come.length <= MAX_RUN;
  const isText = gone.length === come.length && [...gone.map(({ line }) => line), ...come].every((line) => !line?.step);
  const paired = new Map<Line, number>();
  let next = 0;
  for (const [n, line] of come.entries()) {
    const isSame = (was: Line | undefined) => was !== undefined && isAlike(was, line);
    const index = isText ? n : isSmall ? gone.findIndex((was, each) => each >= next && isSame(was.line)) : -1;
    const found = gone[index];
    if (found === undefined) continue;
    paired.set(line, found.at);
    next = index + 1;
  }
  return paired;
}

/** Half of their pairs of letters are the same, and all numbers. */
function isAlike(one: Line, other: Line): boolean {
  if (!one.step !== !other.step) return false;
  const [a, b] = [one, other].map(({ key }) => key.slice(0, 500).toLowerCase());
  const [numbers, others] = [a, b].map((text) => text?.match(/\d+/g)?.join());
  if (numbers !== undefined && others !== undefined && numbers !== others) return false;
  const [left, right] = [pairsOf(a ?? ''), pairsOf(b ?? '')];
  const common = [...left].filter((pair) => right.has(pair)).length;
  return common > 0 && common * 2 >= Math.min((left.size + right.size) / 2, Math.min(left.size, right.size) * 1.6);
}

const pairsOf = (text: string): Set<string> =>
  new Set([...text.replace(/^- /, '')].map((letter, at, all) => letter + (all[at + 1] ?? '')).slice(0, -1));

function mergeLine(now: Line, was: Line, given: Line): MergedPlan {
  if (given.text === was.text || given.text === now.text) return { text: now.text, loses: false };
  if (now.text === was.text) return { text: given.text, loses: false };
  if (!now.step || !was.step || !given.step) return { text: given.text, loses: true };
  const title = pick(now.step.title, was.step.title, given.step.title);
  const bullet = pick(now.step.bullet, was.step.bullet, given.step.bullet);
  const status = pickStatus(now.step.status, was.step.status, given.step.status);
  return {
    text: stepLine({ bullet: bullet.is, title: title.is, status: status.is }),
    loses: title.isBoth || status.isBoth,
  };
}

/** Putting a closed step to work doesn't open it. */
const pickStatus = (now: StepStatus, was: StepStatus, given: StepStatus): MergePick<StepStatus> =>
  isClosed(now) && !isClosed(was) && !isClosed(given) ? { is: now, isBoth: false } : pick(now, was, given);

const isClosed = (status: StepStatus): boolean => status === 'done' || status === 'skipped';

interface MergePick<T> {
  is: T;
  isBoth: boolean;
}

const pick = <T>(now: T, was: T, given: T): MergePick<T> => ({
  is: given === was ? now : given,
  isBoth: now !== was && given !== was && now !== given,
});
