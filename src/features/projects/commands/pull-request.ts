/**
 * Runs `gh pr create` outside the sandbox with the person's own login, after asking. It runs in an empty folder and
 * names the repository explicitly, so that no file or setting of the project has an effect.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { UserError } from '../../../errors.ts';
import { scrub } from '../../../log.ts';
import type { Json } from '../../../workspace/types.ts';
import { readGit } from './git.ts';
import type { SimpleCommand } from './parse.ts';

const GH_MS = 60_000;
const MAX_OUTPUT = 4_000;

export interface PullRequest {
  /** `host/owner/name`. */
  repository: string;
  title: string;
  body: string;
  /** Defaults to the repository's default branch. */
  base?: string;
  head: string;
  isDraft: boolean;
}

const OPTIONS: Readonly<Record<string, 'title' | 'body' | 'base' | 'head'>> = {
  '-t': 'title',
  '--title': 'title',
  '-b': 'body',
  '--body': 'body',
  '-B': 'base',
  '--base': 'base',
  '-H': 'head',
  '--head': 'head',
};
const HOW =
  'A pull request must be a separate call: `gh pr create --title "…" --body "…" [--base BRANCH] [--draft]`, with plain text: no variables or substitutions.';
const BRANCH = /^[\w./@+-]+$/;

/** Returns whether the whole command opens a pull request. */
export function isPullRequest(commands: readonly SimpleCommand[] | undefined): boolean {
  const [only, ...others] = commands ?? [];
  const texts = only?.words.slice(0, 3).map(({ text }) => text) ?? [];
  return others.length === 0 && texts.join(' ') === 'gh pr create';
}

/** @throws UserError for another form of the command, or if the remote isn't on a Git host */
export async function findPullRequest(
  folder: string,
  commands: readonly SimpleCommand[],
  signal?: AbortSignal,
): Promise<PullRequest> {
  const [only] = commands;
  if (!only || only.assignments.length + only.redirections.length > 0) throw new UserError(HOW);
  const words = only.words.slice(3);
  const given = new Map<string, string>();
  let isDraft = false;
  while (words.length > 0) {
    const word = words.shift();
    if (word?.is !== 'plain') throw new UserError(HOW);
    const [, option = word.text, joined] = /^(--[a-z]+)=(.*)$/s.exec(word.text) ?? [];
    if (option === '--draft' || option === '-d') isDraft = true;
    else {
      const key = Object.hasOwn(OPTIONS, option) ? OPTIONS[option] : undefined;
      const value = joined === undefined ? words.shift() : undefined;
      if (key === undefined || (joined === undefined && value?.is !== 'plain')) throw new UserError(HOW);
      given.set(key, joined ?? value?.text ?? '');
    }
  }
  const read = async (...args: string[]) => (await readGit(folder, args, signal))?.trim() ?? '';
  const head = given.get('head') ?? (await read('symbolic-ref', '--quiet', '--short', 'HEAD'));
  const base = given.get('base');
  const title = given.get('title')?.trim() ?? '';
  if (title === '' || !given.has('body') || !BRANCH.test(head) || (base !== undefined && !BRANCH.test(base)))
    throw new UserError(HOW);
  const url = await read('config', '--get', 'remote.origin.url');
  const [, host = '', name = ''] =
    /^(?:(?:https|ssh):\/\/(?:[^/@]*@)?|[\w.-]+@)([\w.-]+)(?::\d+)?[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(url) ??
    [];
  if (host === '') throw new UserError('The remote "origin" is on a host that gh does not support.');
  const about = { repository: `${host}/${name}`, title, body: given.get('body') ?? '', head, isDraft };
  return { ...about, ...(base !== undefined && { base }) };
}

/** @throws UserError with the message of gh if it fails */
export async function openPullRequest(request: PullRequest, signal?: AbortSignal): Promise<Json> {
  const { repository, title, body, base, head, isDraft } = request;
  const empty = await fs.mkdtemp(path.join(os.tmpdir(), 'viber-pr-'));
  const args = ['pr', 'create', `--repo=${repository}`, `--title=${title}`, `--body=${body}`, `--head=${head}`];
  const more = [...(base === undefined ? [] : [`--base=${base}`]), ...(isDraft ? ['--draft'] : [])];
  const env = { ...process.env, GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1' };
  const { promise, resolve, reject } = Promise.withResolvers<Json>();
  try {
    execFile(
      'gh',
      [...args, ...more],
      { cwd: empty, timeout: GH_MS, env, ...(signal && { signal }) },
      (error, out, err) => {
        const said = scrub(`${out}${err}`).slice(-MAX_OUTPUT).trim();
        if (!error) resolve({ opened: true, output: said });
        else if (signal?.aborted) reject(signal.reason);
        else
          reject(
            new UserError(
              `The pull request was not opened. ${said || 'gh is missing, said nothing, or took too long.'}`,
            ),
          );
      },
    );
    return await promise;
  } finally {
    await fs.rm(empty, { recursive: true, force: true });
  }
}
