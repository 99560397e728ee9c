/**
 * Remembers files that a provider refuses, and never sends them to it again. Finds them by leaving out one file after
 * another; a file that the provider accepted before is not suspected.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { quarantine } from '../../lib/damage.ts';
import { unusable } from '../../lib/database-places.ts';
import { createLru } from '../../lib/lru.ts';
import type { Prompt } from '../contract/model.ts';
import { promptFiles, withoutFiles } from './prompt.ts';

/** @param most how many files the model takes, if that is the only reason */
export type OnRefused = (data: Uint8Array, name: string, most?: number) => void;

const MAX_KNOWN = 5_000;
/**
 * With at most this many new files, single files are tried; with more, or if none of them is to blame, all are left
 * out.
 */
const MAX_TRIED = 4;

/** Whether a file was accepted, by provider and hash of its bytes. */
const known = createLru<boolean>(MAX_KNOWN);
const sums = new WeakMap<Uint8Array, string>();

const ABOUT = { lost: 'which pictures were refused', next: 'They may be refused once more.' };

/**
 * The file that keeps refusals across restarts, one per line. They can be found again, so no problem with this file
 * stops a start or a run.
 */
let kept: string | undefined;

/** Loads the refusals in the file and adds new ones to it from now on. */
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

function noteRefusal(key: string): void {
  if (known.get(key) === false) return;
  known.set(key, false);
  const file = kept;
  if (file === undefined) return;
  leniently(() => {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    fs.appendFileSync(file, `${key}\n`, { mode: 0o600 });
  });
}

/** A full or closed disk only costs the saved refusals. */
function leniently(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

function contentSum(data: Uint8Array): string {
  const sum = sums.get(data) ?? createHash('sha256').update(data).digest('hex');
  sums.set(data, sum);
  return sum;
}

export interface RefusedFiles {
  /** Returns the prompt without the files that this provider is known or suspected to refuse. */
  without(prompt: Prompt): Prompt;
  /** Leaves out another file after a refusal; returns false if nothing is left to try. */
  suspect(prompt: Prompt): boolean;
  /**
   * Records that the prompt was accepted.
   * @param isBare whether all files were left out of it
   */
  worked(prompt: Prompt, isBare: boolean): void;
}

export function createRefusedFiles(provider: string, onRefused?: OnRefused): RefusedFiles {
  const keyOf = (data: Uint8Array) => `${provider} ${contentSum(data)}`;
  let suspects: { data: Uint8Array; name: string }[] | undefined;
  let tried = 0;
  let out = new Set<string>();
  let given: Prompt = [];

  return {
    without(prompt) {
      given = prompt;
      for (const { data, name } of promptFiles(prompt)) if (known.get(keyOf(data)) === false) onRefused?.(data, name);
      return withoutFiles(prompt, (data) => known.get(keyOf(data)) === false || out.has(keyOf(data)));
    },
    suspect(prompt) {
      suspects ??= promptFiles(prompt)
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
      for (const { data } of promptFiles(prompt)) known.set(keyOf(data), true);
      const left = promptFiles(given).filter(({ data }) => isBare || out.has(keyOf(data)));
      for (const { data, name } of left) {
        // If several files were left out together, we don't know which was to blame.
        if (!isBare && out.size <= 2) noteRefusal(keyOf(data));
        onRefused?.(data, name);
      }
    },
  };
}
