/**
 * Lists a project's files as git would see them: without ignored files, and without following links. It pauses every
 * few milliseconds so that other work can proceed, and limits how long the project's rules can make one step.
 */

import fs from 'node:fs';
import { setImmediate as pause } from 'node:timers/promises';
import { errorCode } from '../../errors.ts';
import { type HeldFolder, holdFolder, PathRefused, readBytes } from '../../lib/files/below.ts';
import { type IgnoreRules, ignores, parseRules } from './ignore-rules.ts';
import { newSteps } from './patterns.ts';

export interface WalkedEntry {
  /** Relative to the project. Folders end in `/`. */
  path: string;
  isFolder: boolean;
}

/** The rules of one .gitignore, and the depth of its folder below the project's. */
export interface Rules {
  depth: number;
  rules: IgnoreRules;
}

export interface WalkOptions {
  depth?: number;
  signal?: AbortSignal;
  onCut?(names: readonly string[]): void;
}

export const MAX_RULES = 100_000;
/** Reading and sorting this many entries takes about 20 ms. */
export const MAX_IN_FOLDER = 20_000;
const PAUSE_MS = 5;

/**
 * Iterates over a project's files and folders, in order of name within each folder.
 * @param names the path of the folder to start in
 * @param depth the number of levels; unlimited by default
 * @param onCut called for each folder of which only the first entries are listed; without it, all are
 * @throws UserError if matching the project's rules takes too long; the signal's reason if it aborts
 */
export async function* walkProject(
  folder: string,
  names: readonly string[] = [],
  { depth = Number.POSITIVE_INFINITY, signal, onCut }: WalkOptions = {},
): AsyncGenerator<WalkedEntry> {
  const above = await rulesAbove(folder, names);
  if (!above) return;
  const rest = breather(signal);
  const queue: { names: readonly string[]; rules: readonly Rules[] }[] = [{ names, rules: above }];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    const held = holdIfThere(folder, at.names);
    if (!held) continue;
    const below: typeof queue = [];
    try {
      const all = held.entries(onCut && MAX_IN_FOLDER);
      if (all.length === MAX_IN_FOLDER) onCut?.(at.names);
      const entries = all.filter(({ name, isFile, isFolder }) => name !== '.git' && (isFile || isFolder));
      entries.sort((a, b) => (a.name < b.name ? -1 : 1));
      const own = entries.some(({ name }) => name === '.gitignore') ? await readRules(held, at.names.length) : [];
      const rules = [...at.rules, ...own];
      for (const { name, isFolder } of entries) {
        await rest();
        const path = [...at.names, name];
        if (isIgnored(path, isFolder, rules)) continue;
        yield { path: path.join('/') + (isFolder ? '/' : ''), isFolder };
        if (isFolder && path.length - names.length < depth) below.push({ names: path, rules });
      }
    } finally {
      held.close();
    }
    queue.push(...below.reverse());
  }
}

export const isIgnoredFolder = async (folder: string, names: readonly string[]): Promise<boolean> =>
  (await rulesAbove(folder, names)) === undefined;

/** Returns a function that pauses for other work if the last pause was too long ago. */
function breather(signal: AbortSignal | undefined): () => Promise<void> | undefined {
  let last = performance.now();
  return () => {
    if (performance.now() - last < PAUSE_MS) return undefined;
    return pause().then(() => {
      signal?.throwIfAborted();
      last = performance.now();
    });
  };
}

/** Returns the rules of the folders above; undefined if one of the folders is ignored. */
async function rulesAbove(folder: string, names: readonly string[]): Promise<Rules[] | undefined> {
  const rules: Rules[] = [];
  for (let depth = 0; depth < names.length; depth++) {
    rules.push(...(await rulesIn(folder, names.slice(0, depth))));
    if (isIgnored(names.slice(0, depth + 1), true, rules)) return undefined;
  }
  return rules;
}

/** Returns undefined if the folder was removed or replaced since it was listed. */
function holdIfThere(folder: string, names: readonly string[]): HeldFolder | undefined {
  try {
    return holdFolder(folder, names);
  } catch (error) {
    if (error instanceof PathRefused) return undefined;
    throw error;
  }
}

async function rulesIn(folder: string, names: readonly string[]): Promise<Rules[]> {
  const held = holdIfThere(folder, names);
  try {
    return held ? await readRules(held, names.length) : [];
  } finally {
    held?.close();
  }
}

export async function readRules(held: HeldFolder, depth: number): Promise<Rules[]> {
  try {
    const { fd, stat } = held.file('.gitignore');
    try {
      if (!stat.isFile() || stat.size > MAX_RULES) return [];
      return [{ depth, rules: parseRules((await readBytes(fd, stat.size)).toString('utf8')) }];
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

/** Applies the rules of the innermost folder that has one for this path. */
export function isIgnored(path: readonly string[], isFolder: boolean, rules: readonly Rules[]): boolean {
  const steps = newSteps();
  for (const { depth, rules: by } of rules.toReversed()) {
    const isIgnoredHere = ignores(by, path.slice(depth), isFolder, steps);
    if (isIgnoredHere !== undefined) return isIgnoredHere;
  }
  return false;
}
