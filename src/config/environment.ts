/** What becomes of values before they are checked: `${NAME}` is replaced, what is blank counts as absent, secrets are noted. */
import type { ConfigProblem } from '../errors.ts';
import { addSecret } from '../log.ts';
import type { Data } from './parse.ts';

const REFERENCE = /\$?\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
const SECRET_KEY = /^(token|apiKey|secret|botToken|appToken|signingSecret)$/;
const SECRET_VARIABLE = /(TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASS|AUTH|CREDENTIALS?)$/i;

/** Whether the value at a dotted path must never be shown. */
export function isSecretPath(path: readonly PropertyKey[]): boolean {
  const last = path.at(-1);
  if (typeof last !== 'string') return path.at(-2) === 'headers';
  // The environment of a skill or of a server of tools is named by its owner.
  const isVariable = (path[0] === 'skills' && path[1] === 'env') || (path[0] === 'mcp' && path[2] === 'env');
  // The address of a server carries its password.
  if (path.join('.') === 'engine.url') return true;
  return SECRET_KEY.test(last) || (isVariable && SECRET_VARIABLE.test(last)) || path.at(-2) === 'headers';
}

/** A variable that is set to '' counts as not set: container tools pass empty ones along. */
export function variable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

/** Registers every value of the environment whose name says that it is a secret, used by us or not. */
export function hideEnvironment(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && value.length >= 8 && /(TOKEN|API_KEY|SECRET|PASSWORD)$/.test(name)) addSecret(value);
  }
}

/**
 * A copy of `data` with `${NAME}` and `${NAME:-default}` replaced in every string; `$${NAME}` stays `${NAME}`. A variable
 * that is not set is a problem at its path. Secrets among the values are registered with the log.
 */
export function substitute(
  data: Data,
  env: NodeJS.ProcessEnv,
  problems: ConfigProblem[],
  path: readonly string[] = [],
): Data {
  if (Array.isArray(data)) return data.map((item, index) => substitute(item, env, problems, [...path, String(index)]));
  if (typeof data === 'object' && data !== null) {
    return Object.fromEntries(
      Object.entries(data).map(([key, item]): [string, Data] => [key, substitute(item, env, problems, [...path, key])]),
    );
  }
  if (typeof data !== 'string') return data;
  const text = data.replace(REFERENCE, (whole: string, name: string, fallback: string | undefined) => {
    if (whole.startsWith('$$')) return whole.slice(1);
    const value = variable(env, name);
    if (value !== undefined && SECRET_VARIABLE.test(name)) addSecret(value);
    if (value !== undefined || fallback !== undefined) return value ?? fallback ?? '';
    problems.push({ path: path.join('.'), message: `the environment variable ${name} is not set` });
    return 'unset';
  });
  if (isSecretPath(path)) addSecret(text);
  return text;
}

/** Without keys that have no value: `http:` with everything under it commented out, or an optional secret that is ''. */
export function tidy(data: Data, path: readonly string[] = []): { [key: string]: Data } {
  const entries = Object.entries(data ?? {}).flatMap(([key, value]: [string, Data]): [string, Data][] => {
    const here = [...path, key];
    const named = here.length === 2 && (path[0] === 'channels' || path[0] === 'providers');
    if (value === null) return named ? [[key, {}]] : [];
    if (value === '' && isSecretPath(here)) return [];
    return [[key, typeof value === 'object' && !Array.isArray(value) ? tidy(value, here) : value]];
  });
  return Object.fromEntries(entries);
}
