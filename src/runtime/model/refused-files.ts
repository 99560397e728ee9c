/**
 * Files that a provider refuses: found by leaving out one after the other, remembered as refused by that provider, and never sent to it
 * again. One that it has taken before is above suspicion.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { quarantine } from '../../lib/damage.ts';
import { unusable } from '../../lib/database-places.ts';
import { createLru } from '../../lib/lru.ts';
import type { Prompt } from '../contract/model.ts';
import { filesIn, withoutFiles } from './prompt.ts';

/** @param most how many the model takes, where that alone is the reason */
export type OnRefused = (data: Uint8Array, name: string, most?: number) => void;

const MAX_KNOWN = 5_000;
/** Of this many new files one is looked for; of more, and where no single one is to blame, all of them are left out. */
const MAX_TRIED = 4;

/** By provider and sum of the bytes: whether the file was taken. */
const known = createLru<boolean>(MAX_KNOWN);
const sums = new WeakMap<Uint8Array, string>();

const ABOUT = { lost: 'which pictures were refused', next: 'They may be refused once more.' };

/** Where what was refused stands over a restart, a line each. It can be made again, so that nothing of it stops a start or a run. */
let kept: string | undefined;

/** Remembers from now on what the file holds, and adds to it. */
export function keepRefused(file: string): void {
  kept = file;
  leniently(() => {
    const why = unusable(file);
    if (why !== undefined) quarantine(file, why, ABOUT);
    if (!fs.existsSync(file)) return;
    const lines = fs
      .readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => /^\S+ [0-9a-f]{64}$/.test(line));
    const latest = [...new Set(lines)].slice(-MAX_KNOWN);
    for (const key of latest) known.set(key, false);
    if (lines.length > 2 * MAX_KNOWN) fs.writeFileSync(file, `${latest.join('\n')}\n`, { mode: 0o600 });
  });
}

function refuse(key: string): void {
  if (known.get(key) === false) return;
  known.set(key, false);
  const file = kept;
  if (file === undefined) return;
  leniently(() => {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    fs.appendFileSync(file, `${key}\n`, { mode: 0o600 });
  });
}

/** A disk that is full or closed costs the memory of it, and nothing else. */
function leniently(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

function sumOf(data: Uint8Array): string {
  const sum = sums.get(data) ?? createHash('sha256').update(data).digest('hex');
  sums.set(data, sum);
  return sum;
}

export interface RefusedFiles {
  /** The prompt without what this provider is known to refuse, or suspected to. */
  without(prompt: Prompt): Prompt;
  /** After a refusal: leaves out another file; false when there is nothing left to try. */
  suspect(prompt: Prompt): boolean;
  /** The prompt was taken. @param isBare all files were left out of it */
  worked(prompt: Prompt, isBare: boolean): void;
}

export function createRefusedFiles(provider: string, onRefused?: OnRefused): RefusedFiles {
  const keyOf = (data: Uint8Array) => `${provider} ${sumOf(data)}`;
  let suspects: { data: Uint8Array; name: string }[] | undefined;
  let tried = 0;
  let out = new Set<string>();
  let given: Prompt = [];

  return {
    without(prompt) {
      given = prompt;
      for (const { data, name } of filesIn(prompt)) if (known.get(keyOf(data)) === false) onRefused?.(data, name);
      return withoutFiles(prompt, (data) => known.get(keyOf(data)) === false || out.has(keyOf(data)));
    },
    suspect(prompt) {
      suspects ??= filesIn(prompt)
        .filter(({ data }) => known.get(keyOf(data)) === undefined)
        .reverse();
      if (suspects.length === 0 || tried > suspects.length || (tried === suspects.length && tried < 2)) return false;
      const isAll = suspects.length > MAX_TRIED || tried === suspects.length;
      const next = isAll ? suspects : suspects.slice(tried, tried + 1);
      out = new Set(next.map(({ data }) => keyOf(data)));
      tried = isAll ? suspects.length + 1 : tried + 1;
      return true;
    },
    worked(prompt, isBare) {
      for (const { data } of filesIn(prompt)) known.set(keyOf(data), true);
      const left = filesIn(given).filter(({ data }) => isBare || out.has(keyOf(data)));
      for (const { data, name } of left) {
        // Of several that were left out together it is not known which was to blame.
        if (!isBare && out.size <= 2) refuse(keyOf(data));
        onRefused?.(data, name);
      }
    },
  };
}
