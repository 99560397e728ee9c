/**
 * Files that a provider refuses: found by leaving out one after the other, remembered as refused by that provider, and never sent to it
 * again. One that it has taken before is above suspicion.
 */
import { createHash } from 'node:crypto';
import { createLru } from '../../lib/lru.ts';
import type { Prompt } from '../contract/model.ts';
import { filesIn, withoutFiles } from './prompt.ts';

export type OnRefused = (data: Uint8Array, name: string) => void;

const MAX_KNOWN = 5_000;
/** Of this many new files one is looked for; of more, and where no single one is to blame, all of them are left out. */
const MAX_TRIED = 4;

/** By provider and sum of the bytes: whether the file was taken. */
const known = createLru<boolean>(MAX_KNOWN);
const sums = new WeakMap<Uint8Array, string>();

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
        if (!isBare && out.size <= 2) known.set(keyOf(data), false);
        onRefused?.(data, name);
      }
    },
  };
}
