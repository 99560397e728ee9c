/** Reads `agents/{viber}.yaml` for every run, cached by size and time. The last good version stays in use. */

import { lstatSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, errorCode, errorMessage, problemSaid } from '../errors.ts';
import { scrub } from '../log.ts';
import { say, type Wording } from '../messages/messages.ts';
import { tidy } from './environment.ts';
import { parseYaml, readBounded } from './parse.ts';
import type { AgentConfig } from './schema.ts';
import { oldSpellings, respell } from './spelling.ts';
import { validate } from './validate.ts';

/**
 * A file counts as written once it has been unchanged for this long (ms): half a YAML file is often valid and means
 * something else.
 */
const SETTLE_MS = 150;
const SETTLE_TRIES = 10;
const GONE_LOOKS = 2;
const CACHE_SIZE = 100;

interface CachedAgent {
  stamp: string;
  agent: AgentConfig;
}

const cache = new Map<string, CachedAgent>();

/**
 * Returns the content of `agents/{viber}.yaml`, or only `warnings` if there is no such file. For a broken or
 * half-written file, returns the last good version with a warning, or `isBroken`.
 * @throws {ConfigError} for an invalid ID
 */
export async function loadAgent(home: string, viber: string): Promise<AgentConfig> {
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(viber)) {
    throw new ConfigError([{ path: 'agents', message: `"${viber.slice(0, 70)}" is not a viber's id` }]);
  }
  const name = `agents/${viber}.yaml`;
  const file = join(home, name);
  // Most vibers have no file; finding that out must not cost an exception per run.
  const last = cache.get(file);
  let found = statIn(file);
  // Some editors move the old file away before they write the new one: its limits apply until it is certainly gone.
  for (let looks = 0; (!found || found.isSymbolicLink()) && last !== undefined && looks < GONE_LOOKS; looks++) {
    await sleep(SETTLE_MS);
    found = statIn(file);
  }
  if (!found) {
    cache.delete(file);
    return { warnings: [] };
  }
  // A dangling link may have contained limits; reading a pipe would wait for its writer.
  if (!found.isFile()) return keepLastVersion(last, say('checks.agentNoFile', { file: name }));
  try {
    const stamp = await settledStamp(file, last?.stamp);
    if (last !== undefined && stamp === last.stamp) return last.agent;
    if (stamp === undefined) return keepLastVersion(last, say('checks.agentUnfinished', { file: name }));
    const agent = await readAgent(file, name);
    if ((await settledStamp(file, stamp)) !== stamp)
      return keepLastVersion(last, say('checks.agentChanged', { file: name }));
    cache.delete(file);
    cache.set(file, { stamp, agent });
    for (const oldest of cache.keys()) if (cache.size > CACHE_SIZE) cache.delete(oldest);
    return agent;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      cache.delete(file);
      return { warnings: [] };
    }
    return keepLastVersion(last, problemOf(error));
  }
}

/** Returns what a path leads to; the link itself if that is nothing. */
function statIn(file: string) {
  const own = lstatSync(file, { throwIfNoEntry: false });
  return own?.isSymbolicLink() ? (statSync(file, { throwIfNoEntry: false }) ?? own) : own;
}

/** Returns what is wrong with a file, without secrets. */
function problemOf(error: unknown): Wording | string {
  const [problem, ...more] = error instanceof ConfigError ? error.problems : [];
  if (problem?.said && more.length === 0)
    return problem.path ? say('doctor.setting', { path: problem.path, what: problem.said }) : problem.said;
  return scrub(errorMessage(error)).replaceAll('\n', '; ');
}

function keepLastVersion(last: CachedAgent | undefined, problem: Wording | string): AgentConfig {
  if (last === undefined) return { warnings: [say('checks.agentProblem', { problem })], isBroken: true };
  return { ...last.agent, warnings: [say('checks.agentKept', { problem })] };
}

/**
 * Returns size and time of a file that nobody is writing to, or undefined if it keeps changing. Throws Node's own
 * errors.
 */
async function settledStamp(file: string, known: string | undefined): Promise<string | undefined> {
  let before: string | undefined;
  for (let tries = 0; tries < SETTLE_TRIES; tries++) {
    const { size, mtimeMs, ctimeMs, ino } = await stat(file);
    const stamp = `${size}:${mtimeMs}:${ctimeMs}:${ino}`;
    const age = Date.now() - mtimeMs;
    // A time in the future says nothing about the age; two equal looks at the file do.
    if (stamp === known || age >= SETTLE_MS || (age < 0 && stamp === before)) return stamp;
    before = stamp;
    await sleep(SETTLE_MS);
  }
  return undefined;
}

/** Quotes prose: `#5` and `#general` are words there, although YAML treats them as a comment. */
const wholeWords = (text: string): string =>
  text.replace(
    /^((?:description|prompt|systemPrompt):[ \t]+)([^\s"'|>[{#&*!%@`].*?[ \t]#[^\s#].*?)([ \t]+#[ \t].*)?$(?!\n[ \t])/gm,
    (_line, key: string, words: string, comment = '') => `${key}${JSON.stringify(words.trimEnd())}${comment}`,
  );

async function readAgent(file: string, shown: string): Promise<AgentConfig> {
  const data = tidy(await parseYaml(wholeWords(await readBounded(file)), shown));
  const { agentSchema } = await import('./schema.ts');
  const { data: spelled, old } = respell(agentSchema, data);
  const { value, warnings } = validate(agentSchema, spelled);
  const said = [...oldSpellings(old), ...warnings.map(problemSaid)];
  return { ...value, warnings: said.map((what) => say('checks.agentWarning', { file: shown, what })) };
}

/** Joins the warnings of a file. */
export const joinWarnings = ([first, ...more]: readonly Wording[]): Wording | string =>
  more.reduce<Wording | string>((joined, second) => say('checks.agentBoth', { first: joined, second }), first ?? '');
