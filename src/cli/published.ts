/** Asks npm which version of this program is published, and whether what has its name there is this program at all. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errorCode, errorMessage } from '../errors.ts';
import { isRecord, parseJson } from '../lib/json.ts';
import { manifestHere, PACKAGE } from './version.ts';

export type NpmAnswer =
  | { kind: 'version'; version: string }
  | { kind: 'none' }
  /** Somebody else's package has our name. */
  | { kind: 'foreign'; theirs: string; ours: string }
  | { kind: 'unknown'; why: string };

const ask = promisify(execFile);
const WAIT_MS = 30_000;

export async function newestPublished(env: NodeJS.ProcessEnv): Promise<NpmAnswer> {
  const args = ['view', `${PACKAGE}@latest`, 'version', 'repository.url', '--json'];
  try {
    const { stdout } = await ask('npm', args, { env, timeout: WAIT_MS, maxBuffer: 1_000_000 });
    return readNpmAnswer(parseJson(stdout), ownRepository(manifestHere()));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'unknown', why: 'there is no npm here' };
    const said = isRecord(error) && typeof error.stdout === 'string' ? parseJson(error.stdout) : undefined;
    const problem = isRecord(said) && isRecord(said.error) ? said.error : {};
    if (problem.code === 'E404') return { kind: 'none' };
    const why = [problem.code, problem.summary].filter((part) => typeof part === 'string' && part !== '').join(': ');
    return { kind: 'unknown', why: why || (errorMessage(error).split('\n')[0] ?? '') };
  }
}

/** @param ours the repository of this program; '' if it was moved out of its package */
export function readNpmAnswer(answer: unknown, ours: string): NpmAnswer {
  // npm answers with nothing if the package has no such version.
  if (answer === undefined) return { kind: 'none' };
  const { version, 'repository.url': url } = isRecord(answer) ? answer : {};
  if (typeof version !== 'string' || !/^\d+\.\d+\.\d+/.test(version))
    return { kind: 'unknown', why: 'npm answered without a version' };
  const theirs = plainAddress(url);
  return theirs === plainAddress(ours)
    ? { kind: 'version', version }
    : { kind: 'foreign', theirs: theirs || '?', ours: plainAddress(ours) };
}

const ownRepository = (manifest: Record<string, unknown> = {}): string =>
  isRecord(manifest.repository) ? String(manifest.repository.url) : '';

const plainAddress = (url: unknown): string =>
  typeof url === 'string'
    ? url
        .replace(/^git\+/, '')
        .replace(/\.git$/, '')
        .toLowerCase()
    : '';

/** Returns whether `a` comes after `b`; a version such as 1.2.3-rc.1 comes before 1.2.3. */
export function comesAfter(a: string, b: string): boolean {
  const [mine, theirs] = [a, b].map((version) => {
    const [, numbers = '', rest] = /^(\d+\.\d+\.\d+)(?:-(.+))?/.exec(version) ?? [];
    return { numbers: numbers.split('.').map(Number), rest };
  });
  for (let n = 0; n < 3; n++) {
    const difference = (mine?.numbers[n] ?? 0) - (theirs?.numbers[n] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  if (mine?.rest === undefined || theirs?.rest === undefined)
    return mine?.rest === undefined && theirs?.rest !== undefined;
  return mine.rest.localeCompare(theirs.rest, 'en', { numeric: true }) > 0;
}
