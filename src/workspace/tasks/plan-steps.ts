/**
 * Tracks the steps of a plan through changes, so that a button for a step keeps its meaning; `cache/plan-steps` has
 * what is known, from the first buttons on. If two steps can't be told apart with certainty, neither counts as the old
 * one.
 */
import path from 'node:path';
import { hashText, writeFileAtomic } from '../../lib/files.ts';
import { peekJson } from '../../lib/json.ts';
import { distance } from '../../lib/nearest.ts';
import { isText, listOf, objectOf, shape } from '../../lib/shape.ts';
import type { Home } from '../home.ts';

interface KnownStep {
  /** Eight hexadecimal digits, unique within a plan forever. */
  key: string;
  title: string;
}

export interface KnownSteps {
  steps: readonly KnownStep[];
  /** Keys of removed steps, the newest last. */
  gone: readonly string[];
}

/** `id` is `=N` for the step at position N of the previous plan. */
export interface NamedStep {
  id?: string;
  title: string;
}

const MAX_GONE = 300;
const STANDS = /^=(\d{1,4})$/;
const BEGIN: KnownSteps = { steps: [], gone: [] };

const knownShape = shape<KnownSteps>(
  objectOf({ steps: listOf(objectOf({ key: isText, title: isText })), gone: listOf(isText) }),
);
const stepsFile = (home: Home, taskId: string) => path.join(home.cache, 'plan-steps', `${taskId}.json`);

export const standsAt = (index: number): string => `=${index + 1}`;

/** Returns the known steps of a plan after a change. Pure. */
export function followSteps(before: KnownSteps, after: readonly NamedStep[]): KnownSteps {
  const from = pair(
    before.steps.map(({ title }) => title),
    after,
  );
  const fresh = freshKeys([...before.gone, ...before.steps.map(({ key }) => key)]);
  const steps = after.map(({ title }, at): KnownStep => {
    const known = before.steps[from[at] ?? -1];
    return { key: known ? known.key : fresh(title), title };
  });
  const kept = new Set(steps.map(({ key }) => key));
  const lost = before.steps.map(({ key }) => key).filter((key) => !kept.has(key));
  return { steps, gone: [...before.gone, ...lost].slice(-MAX_GONE) };
}

/** Returns old indices, -1 for a new step. */
function pair(old: readonly string[], after: readonly NamedStep[]): number[] {
  const next = after.map(({ title }) => title);
  if (old.length === next.length && old.every((title, at) => title === next[at])) return old.map((_, at) => at);
  const named = after.map(({ id, title }) => {
    const index = Number(STANDS.exec(id ?? '')?.[1] ?? 0) - 1;
    return old[index] === title ? index : -1;
  });
  // If some steps have positions, the others are new.
  return named.some((index) => index >= 0) ? once(named) : byWords(old, next);
}

function once(from: readonly number[]): number[] {
  const taken = new Set<number>();
  return from.map((index) => {
    if (index < 0 || taken.has(index)) return -1;
    taken.add(index);
    return index;
  });
}

function byWords(old: readonly string[], next: readonly string[]): number[] {
  const from = next.map(() => -1);
  const isStill = isSameOrder(old, next);
  const places = [placesBy(old, (at) => old[at] ?? ''), placesBy(next, (at) => next[at] ?? '')] as const;
  const around = [placesBy(old, (at) => neighbours(old, at)), placesBy(next, (at) => neighbours(next, at))] as const;
  for (const [title, is] of places[1]) {
    const was = places[0].get(title) ?? [];
    // Unique, or as many as before in the same order among the others: each one is unchanged.
    if (was.length === is.length && (is.length === 1 || isStill))
      for (const [n, at] of is.entries()) from[at] = was[n] ?? -1;
    else
      for (const at of is) {
        const here = neighbours(next, at);
        const [index, another] = around[0].get(here) ?? [];
        if (index !== undefined && another === undefined && around[1].get(here)?.length === 1) from[at] = index;
      }
  }
  // Between two matched steps equally many lines remain. Each pair matches if only the spelling changed; a single pair
  // also if one adds words to the other.
  const taken = new Set(from);
  for (const { at, end } of gaps(from)) {
    const above = at === 0 ? -1 : (from[at - 1] ?? -1);
    const below = end === next.length ? old.length : (from[end] ?? -1);
    if ((at > 0 && above < 0) || below - above - 1 !== end - at) continue;
    for (let n = 0; n < end - at; n++) {
      const [was, is] = [old[above + 1 + n] ?? '', next[at + n] ?? ''];
      const areSameSteps = isSpeltAnew(was, is) || (end - at === 1 && saysMore(was, is));
      if (areSameSteps && !taken.has(above + 1 + n)) from[at + n] = above + 1 + n;
    }
  }
  return from;
}

function gaps(from: readonly number[]): { at: number; end: number }[] {
  const found: { at: number; end: number }[] = [];
  for (const [at, index] of from.entries()) {
    const last = found.at(-1);
    if (index >= 0) continue;
    if (last?.end === at) last.end++;
    else found.push({ at, end: at + 1 });
  }
  return found;
}

function placesBy(list: readonly string[], nameOf: (at: number) => string): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const at of list.keys()) {
    const name = nameOf(at);
    const known = places.get(name);
    if (known) known.push(at);
    else places.set(name, [at]);
  }
  return places;
}

const neighbours = (list: readonly string[], at: number): string =>
  JSON.stringify([list[at - 1] ?? null, list[at], list[at + 1] ?? null]);

function isSameOrder(old: readonly string[], next: readonly string[]): boolean {
  const [inOld, inNext] = [new Set(old), new Set(next)];
  const kept = old.filter((title) => inNext.has(title));
  const stays = next.filter((title) => inOld.has(title));
  return kept.length === stays.length && kept.every((title, at) => title === stays[at]);
}

const stepWords = (title: string): string[] => title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** One contains the words of the other: at its beginning or end, or spread over it if they are at least half of it. */
function saysMore(old: string, next: string): boolean {
  const [a, b] = [stepWords(old), stepWords(next)];
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const isAt = (from: number) => short.every((word, at) => word === long[from + at]);
  if (short.length === 0) return false;
  if (isAt(0) || isAt(long.length - short.length)) return true;
  let found = 0;
  for (const word of long) if (word === short[found]) found++;
  return short.length > 1 && found === short.length && short.length * 2 >= long.length;
}

function isSpeltAnew(old: string, next: string): boolean {
  const [a, b] = [stepWords(old), stepWords(next)];
  return a.length > 0 && a.length === b.length && a.every((word, at) => isSlip(word, b[at] ?? ''));
}

/** Letters are swapped, left out or doubled; in long words one or two of any kind. Numbers must match. */
function isSlip(a: string, b: string): boolean {
  if (a === b) return true;
  if (/\p{N}/u.test(a + b) || Math.min(a.length, b.length) < 3) return false;
  const changes = distance(a, b);
  if (a.length >= 8 && changes <= 2) return true;
  if (changes !== 1) return false;
  return a.length >= 6 || a.length !== b.length || [...a].sort().join() === [...b].sort().join();
}

/**
 * The first step with a title has the same key in every plan: buttons from before anything was stored still mean it.
 */
function freshKeys(used: Iterable<string>): (title: string) => string {
  const taken = new Set(used);
  const counts = new Map<string, number>();
  return (title) => {
    for (;;) {
      const n = (counts.get(title) ?? 0) + 1;
      counts.set(title, n);
      const key = hashText(n === 1 ? title : `${title}\n${n}`).slice(0, 8);
      if (taken.has(key)) continue;
      taken.add(key);
      return key;
    }
  };
}

/** Remembers the keys. Callers of this and of `noteChange` hold the plan's lock. */
export async function stepKeys(home: Home, taskId: string, steps: readonly NamedStep[]): Promise<string[]> {
  const known = peekJson(stepsFile(home, taskId), knownShape);
  const now = followSteps(
    known ?? BEGIN,
    steps.map(({ title }) => ({ title })),
  );
  if (!known || !isSame(known, now)) await writeSteps(home, taskId, now);
  return now.steps.map(({ key }) => key);
}

/** Does nothing if no keys were given out yet. */
export async function noteChange(
  home: Home,
  taskId: string,
  change: () => { before: readonly NamedStep[]; after: readonly NamedStep[] },
): Promise<void> {
  const known = peekJson(stepsFile(home, taskId), knownShape);
  if (!known) return;
  const { before, after } = change();
  // Changes by an editor come first.
  const stood = followSteps(
    known,
    before.map(({ title }) => ({ title })),
  );
  const now = followSteps(stood, after);
  if (!isSame(known, now)) await writeSteps(home, taskId, now);
}

const isSame = (a: KnownSteps, b: KnownSteps): boolean =>
  JSON.stringify([a.steps, a.gone]) === JSON.stringify([b.steps, b.gone]);

const writeSteps = (home: Home, taskId: string, { steps, gone }: KnownSteps): Promise<unknown> =>
  writeFileAtomic(stepsFile(home, taskId), `${JSON.stringify({ steps, gone })}\n`, { sync: false });
