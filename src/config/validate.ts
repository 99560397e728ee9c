/**
 * Validates data against a schema and reports every wrong key at once: its path, what was expected and what was found.
 */
import type { z } from 'zod';
import { ConfigError, type ConfigProblem, problemWith } from '../errors.ts';
import { scrub } from '../log.ts';
import { expectationOf } from '../messages/expects.ts';
import { messagesIn, say, type Wording } from '../messages/messages.ts';
import { variableOf } from './channel-variables.ts';
import { likelySetting } from './likely-setting.ts';
import type { Data } from './parse.ts';
import { isSecretPath } from './secret-names.ts';
import { masked } from './secrets.ts';

/** More unknown keys than this mean another kind of file, not typing errors. */
const MAX_UNKNOWN = 100;
/** Compiling a schema that is used once is not worth its time (12 ms). */
const COLD = { jitless: true };

export interface Validation<T> {
  value: T;
  /** Unknown keys. */
  warnings: ConfigProblem[];
}

/**
 * Returns the parsed value, and a warning for each unknown key, which is dropped.
 * @param known problems found before; their paths get no second one
 * @throws {ConfigError} with all problems
 */
export function validate<T>(schema: z.ZodType<T>, data: Data, known: readonly ConfigProblem[] = []): Validation<T> {
  const unknown: ConfigProblem[] = [];
  let clean = data;
  let result = schema.safeParse(clean, COLD);
  // Unknown keys hide whether the rest is valid, so a second pass runs without them.
  for (const issue of result.error?.issues ?? []) {
    if (issue.code !== 'unrecognized_keys') continue;
    const parent = issue.path.map(String);
    if (unknown.length + issue.keys.length > MAX_UNKNOWN) {
      throw new ConfigError([problemWith(parent.join('.'), say('config.manyUnknown', { key: issue.keys[0] ?? '' }))]);
    }
    for (const key of issue.keys) {
      const guess = likelySetting(schema, parent, key, issue.message.split(' '));
      const said = guess ? say('config.didYouMean', { guess }) : say('config.unknownKey');
      unknown.push({ ...problemWith([...parent, key].join('.'), said), isWarning: true });
    }
    clean = withoutKeys(clean, parent, issue.keys);
  }
  if (unknown.length > 0) result = schema.safeParse(clean, COLD);
  const problems = known.filter(({ path }, index) => known.findIndex((other) => other.path === path) === index);
  for (const issue of result.error?.issues ?? []) {
    const path = issue.path.map(String);
    if (problems.some((problem) => problem.path === path.join('.'))) continue;
    // The key itself is wrong, whatever is below it.
    const said =
      issue.code === 'invalid_key'
        ? expectationOf(issue.issues[0]?.message ?? issue.message)
        : describeFound(expectationOf(issue.message), valueAt(clean, path), path);
    const variable = valueAt(clean, path) === undefined ? variableOf(path) : undefined;
    const message = scrub(messagesIn('en').said(said));
    problems.push({ path: path.join('.'), message, said: sayIt(said), ...(variable && { variable }) });
  }
  if (problems.length > 0 || !result.success) {
    // A misspelt key often explains a missing one.
    throw new ConfigError([...problems, ...unknown.filter(({ said }) => said?.key === 'config.didYouMean')]);
  }
  return { value: result.data, warnings: unknown };
}

/** Returns the value at a path, or undefined. */
export function valueAt(data: Data | undefined, path: readonly string[]): Data | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return data;
  if (typeof data !== 'object' || data === null) return undefined;
  return valueAt(Array.isArray(data) ? data[Number(key)] : data[key], rest);
}

/** Returns a copy in which the section at `parent` lacks `keys`. */
function withoutKeys(data: Data, parent: readonly string[], keys: readonly string[]): Data {
  const [step, ...rest] = parent;
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data))
    return data.map((item, index) => (String(index) === step ? withoutKeys(item, rest, keys) : item));
  const entries = Object.entries(data);
  if (step === undefined) return Object.fromEntries(entries.filter(([name]) => !keys.includes(name)));
  return Object.fromEntries(
    entries.map(([name, item]) => [name, name === step ? withoutKeys(item, rest, keys) : item]),
  );
}

/** Describes the value in words, and never shows a secret. */
function describeFound(expected: Wording | string, value: Data | undefined, path: readonly string[]): Wording {
  if (value === undefined) return say('expected.missing', { expected });
  if (value === null) return say('expected.nothing', { expected });
  if (Array.isArray(value)) return say('expected.aList', { expected });
  if (typeof value === 'object') return say('expected.aSection', { expected });
  if (isSecretPath(path))
    return say('expected.hidden', { expected, kind: typeof value === 'string' ? 'text' : typeof value });
  return say('expected.found', { expected, what: scrub(shownValue(value, path)) });
}

const sayIt = (said: Wording | string): Wording =>
  typeof said === 'string' ? say('common.asItIs', { text: said }) : said;

/** Masks secrets: a URL may contain a password, as in http://name:password@host. */
export function shownValue(value: Data, path: readonly string[] = []): string {
  const shown = JSON.stringify(masked(value, path));
  return shown.length > 60 ? `${shown.slice(0, 60)}...` : shown;
}
