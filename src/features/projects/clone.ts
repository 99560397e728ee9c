/**
 * Clones a repository into an allowed folder, inside the sandbox, with network access to the repository's host only.
 * The clone is built in a hidden folder and renamed once it is complete. No code from it runs: no hooks, filters or
 * submodules.
 */
import fs from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { readBytes, useFile } from '../../lib/files/below.ts';
import { type Resolve, resolveBySystem } from '../../lib/public-address.ts';
import type { ScriptOrder } from '../../skills/script.ts';

export interface Repository {
  /** For example `https://github.com/acme/shop`. */
  url: string;
  host: string;
  /** The name of the folder to create. */
  name: string;
}

const TIMEOUT_MS = 600_000;
/** The total size limit of all files, in bytes. */
const MAX_BYTES = 5_000_000_000;
const MAX_FILES = 500_000;
const STAGING = '.viber-clone-';
const MAX_CONFIG = 100_000;

const HOST = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

/**
 * Parses the address of a repository as people write it; returns undefined for anything else.
 * @example
 * parseRepository('github.com/acme/shop')?.name === 'shop'
 */
export function parseRepository(given: string): Repository | undefined {
  const words = given.trim();
  const [, sshHost, sshPath] = /^git@([\w.-]+):([\w./-]+)$/.exec(words) ?? [];
  const address = sshHost === undefined ? words.replace(/^https:\/\//i, '') : `${sshHost}/${sshPath}`;
  const [host = '', ...names] = address
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/');
  const name = names.at(-1) ?? '';
  const isPlain = names.length >= 2 && names.length <= 6 && names.every((one) => NAME.test(one));
  if (!isPlain || !HOST.test(host.toLowerCase()) || name.endsWith('.git')) return undefined;
  return { url: `https://${host.toLowerCase()}/${names.join('/')}`, host: host.toLowerCase(), name };
}

/** Options that keep git from running other programs or asking for a password. */
const GIT = [
  'git',
  ...['-c core.hooksPath=/dev/null', '-c core.fsmonitor=false', '-c credential.helper=', '-c submodule.recurse=false'],
  ...['-c protocol.allow=never', '-c protocol.https.allow=always', '-c transfer.fsckObjects=true'],
].join(' ');
const SCRIPT = `set -eu
${GIT} clone --quiet --no-checkout --no-recurse-submodules --template= -- "$REPOSITORY" "$FOLDER"
cd "$FOLDER"
${GIT} rev-parse --quiet --verify HEAD >/dev/null || exit 0
${GIT} ls-tree -r -l --full-tree HEAD | awk -v bytes="$MAX_BYTES" -v files="$MAX_FILES" \\
  '{ size += $4; count++ } END { if (size > bytes || count > files) { print "too large" > "/dev/stderr"; exit 9 } }'
${GIT} checkout --quiet
`;
const VARIABLES = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_LFS_SKIP_SMUDGE: '1',
  MAX_BYTES: String(MAX_BYTES),
  MAX_FILES: String(MAX_FILES),
};

/**
 * Returns the new folder, or the existing one if it was cloned before.
 * @throws UserError with the reason
 */
export async function cloneInto(
  root: string,
  { url, host, name }: Repository,
  signal: AbortSignal,
  more: Partial<ScriptOrder> = {},
): Promise<string> {
  const folder = path.join(root, name);
  if (fs.lstatSync(folder, { throwIfNoEntry: false })) {
    if (await isCloneOf(folder, url)) return folder;
    throw new UserError(
      `The folder ${folder} already exists: choose it by its name, or ask the person to clone under another name.`,
    );
  }
  const { hasSandbox, runScript } = await import('../../skills/script.ts');
  if (!(await hasSandbox()))
    throw new UserError("This machine has no sandbox, so I can't clone anything: ask the person to clone it by hand.");
  const staging = fs.mkdtempSync(path.join(root, STAGING));
  try {
    const { code, stderr, timedOut } = await runScript({
      script: { shell: 'bash', text: SCRIPT },
      variables: { ...VARIABLES, REPOSITORY: url, FOLDER: name },
      cwd: staging,
      network: true,
      reach: { resolve: onlyHost(host) },
      timeoutMs: TIMEOUT_MS,
      signal,
      ...more,
    });
    if (code !== 0) throw new UserError(cloneFailure(url, timedOut, stderr));
    if (fs.lstatSync(folder, { throwIfNoEntry: false }))
      throw new UserError(`The folder ${folder} was created in the meantime.`);
    fs.renameSync(path.join(staging, name), folder);
    return folder;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Removes leftovers of clones whose process was killed, after a day. */
export async function removeStaging(root: string, olderThan: number): Promise<void> {
  for (const name of fs.readdirSync(root)) {
    if (!name.startsWith(STAGING)) continue;
    const folder = path.join(root, name);
    const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (stat?.isDirectory() && stat.mtimeMs < olderThan) await rm(folder, { recursive: true, force: true });
  }
}

const onlyHost =
  (wanted: string): Resolve =>
  (name) =>
    name.toLowerCase() === wanted
      ? resolveBySystem(name)
      : Promise.reject(new UserError(`A clone may only reach ${wanted}.`));

async function isCloneOf(folder: string, url: string): Promise<boolean> {
  const read = useFile(folder, ['.git', 'config'], ({ fd }) => readBytes(fd, MAX_CONFIG)).catch((error: unknown) => {
    if (error instanceof UserError) return undefined;
    throw error;
  });
  const written = (await read)?.toString('utf8') ?? '';
  return written.split('\n').some((line) => line.trim().replace(/\.git$/, '') === `url = ${url}`);
}

/** Maps a failure to our own words: nothing that a server wrote is passed on. */
function cloneFailure(url: string, isLate: boolean, said: string): string {
  if (isLate) return `Cloning ${url} took longer than ten minutes.`;
  if (/too large/.test(said)) return `${url} is too large: the limit is 5 GB and ${MAX_FILES} files.`;
  if (/could not read Username|Authentication failed|not found|terminal prompts disabled/i.test(said))
    return `${url} doesn't exist, or needs a login: then ask the person to clone it on the machine.`;
  if (/Could not resolve|unable to access|CONNECT tunnel/i.test(said)) return `${url} can't be reached now.`;
  return `${url} can't be cloned: git refused it.`;
}
