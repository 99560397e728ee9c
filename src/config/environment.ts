/** Prepares values before validation: replaces `${NAME}`, drops blank values and registers secrets. */
import { type ConfigProblem, problemWith } from '../errors.ts';
import { addSecret } from '../log.ts';
import { say } from '../messages/messages.ts';
import type { Data } from './parse.ts';
import { fromFile } from './secret-files.ts';
import { LOOKED_AT } from './secret-json.ts';
import { isAbsentWhenEmpty, isSecretName } from './secret-names.ts';
import { isSecretNumber, itemBefore, secretsIn } from './secrets.ts';

const REFERENCE = /\$?\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
/** Returns a variable; '' counts as not set, since container tools pass empty variables along. */
export function variable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

/** Registers every environment value whose name marks it as a secret, whether or not it is used here. */
export function hideEnvironment(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && value.length >= 8 && /(TOKEN|API_KEY|SECRET|PASSWORD)$/.test(name)) addSecret(value);
  }
}

/**
 * Returns a copy of `data` with `${NAME}` and `${NAME:-default}` replaced in every string; `$${NAME}` becomes
 * `${NAME}`. An unset variable is a problem at its path. Registers secrets among the values with the log.
 */
export function substitute(
  data: Data,
  env: NodeJS.ProcessEnv,
  problems: ConfigProblem[],
  path: readonly PropertyKey[] = [],
  before?: string,
): Data {
  if (Array.isArray(data)) {
    const done: Data[] = [];
    for (const [at, item] of data.entries()) {
      const texts = [...done, item].slice(-LOOKED_AT).map((each) => (typeof each === 'string' ? each : undefined));
      done.push(substitute(item, env, problems, [...path, at], itemBefore(texts, texts.length - 1)));
    }
    return done;
  }
  if (typeof data === 'object' && data !== null) {
    return Object.fromEntries(
      Object.entries(data).map(([key, item]): [string, Data] => [key, substitute(item, env, problems, [...path, key])]),
    );
  }
  if (typeof data === 'number' && isSecretNumber(data, path, before)) addSecret(String(data));
  if (typeof data !== 'string') return data;
  const text = data.replace(REFERENCE, (whole: string, name: string, fallback: string | undefined) => {
    if (whole.startsWith('$$')) return whole.slice(1);
    const given = variable(env, name);
    const file = given === undefined ? fromFile(env, name) : undefined;
    const value = file && 'value' in file ? file.value : given;
    if (value !== undefined && (file || isSecretName(name))) addSecret(value);
    if (file && 'problem' in file) problems.push(problemWith(path.join('.'), file.problem));
    else if (value !== undefined || fallback !== undefined) return value ?? fallback ?? '';
    else problems.push({ ...problemWith(path.join('.'), say('config.unsetVariable', { name })), variable: name });
    return 'unset';
  });
  for (const secret of secretsIn(text, path, before)) addSecret(secret);
  return text;
}

/** Drops keys without a value: an `http:` whose content is commented out, or an optional secret that is ''. */
export function tidy(data: Data, path: readonly string[] = []): { [key: string]: Data } {
  const entries = Object.entries(data ?? {}).flatMap(([key, value]: [string, Data]): [string, Data][] => {
    const here = [...path, key];
    const named = here.length === 2 && (path[0] === 'channels' || path[0] === 'providers');
    if (value === null) return named ? [[key, {}]] : [];
    if (value === '' && isAbsentWhenEmpty(here)) return [];
    return [[key, typeof value === 'object' && !Array.isArray(value) ? tidy(value, here) : value]];
  });
  return Object.fromEntries(entries);
}
