/** Runs a schema over data and says, for every wrong key at once, where it is, what was expected and what was found. */
import type { z } from 'zod';
import { ConfigError, type ConfigProblem } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { scrub } from '../log.ts';
import { variableOf } from './channel-variables.ts';
import type { Data } from './parse.ts';
import { isSecretPath } from './secret-names.ts';
import { masked } from './secrets.ts';

/** More than this are not slips of the pen but another kind of file. */
const MAX_UNKNOWN = 100;
/** A schema that runs once in a process is not worth compiling (12 ms). */
const COLD = { jitless: true };

export interface Checked<T> {
  value: T;
  warnings: string[];
}

/**
 * The parsed value, and one warning for each key the schema does not know (it is left out). `known` are problems found
 * before; a path that has one gets no second. Throws ConfigError with all problems together.
 */
export function validate<T>(schema: z.ZodType<T>, data: Data, known: readonly ConfigProblem[] = []): Checked<T> {
  const unknown: ConfigProblem[] = [];
  let clean = data;
  let result = schema.safeParse(clean, COLD);
  // Unknown keys hide whether the rest is right; without them a second pass tells.
  for (const issue of result.error?.issues ?? []) {
    if (issue.code !== 'unrecognized_keys') continue;
    const parent = issue.path.map(String);
    if (unknown.length + issue.keys.length > MAX_UNKNOWN) {
      throw new ConfigError([{ path: parent.join('.'), message: `too many unknown keys (${issue.keys[0]}, ...)` }]);
    }
    for (const key of issue.keys) {
      const guess = nearest(key, issue.message.split(' '));
      const hint = guess ? `; did you mean ${guess}?` : '';
      unknown.push({ path: [...parent, key].join('.'), message: `unknown key, ignored${hint}` });
    }
    clean = without(clean, parent, issue.keys);
  }
  if (unknown.length > 0) result = schema.safeParse(clean, COLD);
  const problems = known.filter(({ path }, index) => known.findIndex((other) => other.path === path) === index);
  for (const issue of result.error?.issues ?? []) {
    const path = issue.path.map(String);
    if (problems.some((problem) => problem.path === path.join('.'))) continue;
    // What is wrong is the key, whatever stands below it.
    const said =
      issue.code === 'invalid_key'
        ? (issue.issues[0]?.message ?? issue.message)
        : `${issue.message}, ${found(valueAt(clean, path), path)}`;
    const variable = valueAt(clean, path) === undefined ? variableOf(path) : undefined;
    problems.push({ path: path.join('.'), message: scrub(said), ...(variable && { variable }) });
  }
  if (problems.length > 0 || !result.success) {
    // A misspelt key is often why another one is missing.
    throw new ConfigError([...problems, ...unknown.filter(({ message }) => message.includes('did you mean'))]);
  }
  return { value: result.data, warnings: unknown.map(({ path, message }) => `${path}: ${message}`) };
}

/** What stands at a path, undefined where nothing does. */
export function valueAt(data: Data | undefined, path: readonly string[]): Data | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return data;
  if (typeof data !== 'object' || data === null) return undefined;
  return valueAt(Array.isArray(data) ? data[Number(key)] : data[key], rest);
}

/** A copy in which the section at `parent` has none of `keys`. */
function without(data: Data, parent: readonly string[], keys: readonly string[]): Data {
  const [step, ...rest] = parent;
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data))
    return data.map((item, index) => (String(index) === step ? without(item, rest, keys) : item));
  const entries = Object.entries(data);
  if (step === undefined) return Object.fromEntries(entries.filter(([name]) => !keys.includes(name)));
  return Object.fromEntries(entries.map(([name, item]) => [name, name === step ? without(item, rest, keys) : item]));
}

/** What stands there, in words; never the value of a secret. */
export function found(value: Data | undefined, path: readonly string[]): string {
  if (value === undefined) return 'but it is missing';
  if (value === null) return 'found nothing';
  if (Array.isArray(value)) return 'found a list';
  if (typeof value === 'object') return 'found a section';
  if (isSecretPath(path)) return `found a ${typeof value === 'string' ? 'text' : typeof value} that does not fit`;
  return `found ${shownValue(value, path)}`;
}

/** Addresses may carry a password: http://name:password@host. */
export function shownValue(value: Data, path: readonly string[] = []): string {
  const shown = JSON.stringify(masked(value, path));
  return shown.length > 60 ? `${shown.slice(0, 60)}...` : shown;
}
