/** Guesses which setting an unknown key was meant to be: one beside it, or one some levels away. */
import type { z } from 'zod';
import { nearest } from '../lib/nearest.ts';
import { describeSettings } from './describe.ts';
import { plainKey } from './spelling.ts';

/** More places than this help nobody. */
const MAX_PLACES = 3;

/**
 * Returns a key of the same section, or the whole path of a setting elsewhere. The same name elsewhere counts for more
 * than a similar name here.
 */
export function likelySetting(
  schema: z.core.$ZodType,
  parent: readonly string[],
  key: string,
  siblings: readonly string[],
): string | undefined {
  const places = otherPlaces(schema, parent).filter(({ name }) => plainKey(name) === plainKey(key));
  if (places.length > 0 && places.length <= MAX_PLACES) return places.map(({ path }) => path).join(', ');
  return nearest(key, siblings);
}

/** Lists sections and settings below the parent, and those beside what it is in. */
function otherPlaces(schema: z.core.$ZodType, parent: readonly string[]): { path: string; name: string }[] {
  const found = new Map<string, string>();
  for (const { path } of describeSettings(schema))
    for (let length = 1; length <= path.length; length++) {
      const place = placeAt(path.slice(0, length), parent);
      if (place) found.set(place.join('.'), place.at(-1) ?? '');
    }
  return [...found].map(([path, name]) => ({ path, name }));
}

/** Returns the path with the names that the parent has; undefined if it is beside the key, or on another branch. */
function placeAt(path: readonly string[], parent: readonly string[]): string[] | undefined {
  const common = path.findIndex((step, at) => step !== parent[at] && !(step === '*' && parent[at] !== undefined));
  const shared = common < 0 ? path.length : common;
  const isBelow = shared === parent.length && path.length > parent.length + 1;
  const isAbove = shared === path.length - 1 && shared < parent.length;
  const named = path.map((step, at) => (step === '*' ? parent[at] : step));
  const isNamed = named.every((step): step is string => step !== undefined);
  return isNamed && (isBelow || isAbove) ? named : undefined;
}
