/** The available playbooks: `playbooks/*.md` in the home, and a bundled example unless a file has its name. */
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../../../errors.ts';
import { createStatCache } from '../../../lib/files/cache.ts';
import { originalOf } from '../../../lib/second-versions.ts';
import { say } from '../../../messages/messages.ts';
import type { Home } from '../../../workspace/home.ts';
import { PLAYBOOK_LIMITS, type Playbook, parsePlaybook, placeholdersOf, playbookName } from './read-playbook.ts';

export type ListedPlaybook =
  | { name: string; playbook: Playbook; needs: string[] }
  /** Whether it can't be read; `problem` says why, with lines. */
  | { name: string; problem: string };

const EXAMPLE = parsePlaybook(`# Playbook: release-feature

## Goal
Prepare a feature branch for release.

## Steps
1. [Coder] Run all tests and ensure they pass.
2. [Coder] Bump the version in package.json.
3. [Git] Create a new branch named \`release/v<version>\`.
4. [Git] Push the branch and open a PR.
`);

const MAX_FILES = 200;
const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

const folders = createStatCache<readonly string[]>(4, (folder) =>
  fs
    .readdirSync(folder)
    .filter((name) => /^[^.].*\.md$/i.test(name) && originalOf(name) === undefined && playbookName(stem(name)) !== '')
    .sort()
    .slice(0, MAX_FILES),
);
const files = createStatCache<ListedPlaybook>(MAX_FILES, readPlaybook);

const stem = (file: string): string => path.basename(file).slice(0, -3);
const listedPlaybook = (name: string, playbook: Playbook): ListedPlaybook => ({
  name,
  playbook,
  needs: placeholdersOf(playbook),
});

function readPlaybook(file: string): ListedPlaybook {
  const name = playbookName(stem(file));
  const stat = fs.lstatSync(file);
  if (!stat.isFile()) return { name, problem: 'it is not a regular file' };
  if (stat.size > PLAYBOOK_LIMITS.chars * 4) return { name, problem: 'it is too large' };
  try {
    return listedPlaybook(name, parsePlaybook(fs.readFileSync(file, 'utf8')));
  } catch (error) {
    if (error instanceof UserError) return { name, problem: error.message };
    throw error;
  }
}

/** Returns all playbooks by name. The first file with a name wins. */
export function listPlaybooks(home: Home): ListedPlaybook[] {
  const all = new Map<string, ListedPlaybook>();
  for (const file of folders.get(home.playbooks) ?? []) {
    const found = files.get(path.join(home.playbooks, file));
    if (found && !all.has(found.name)) all.set(found.name, found);
  }
  if (!all.has(EXAMPLE.name)) all.set(EXAMPLE.name, listedPlaybook(EXAMPLE.name, EXAMPLE));
  return [...all.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/**
 * Finds a playbook by its file name or title, in any case. The typed name is looked up and never used as a path.
 * @throws {UserError} if there is none, or it can't be read
 */
export function findPlaybook(home: Home, typed: string): Extract<ListedPlaybook, { playbook: Playbook }> {
  const name = typed.trim().toLowerCase();
  const all = listPlaybooks(home);
  const found = NAME.test(name)
    ? (all.find((each) => each.name === name) ?? all.find((each) => 'playbook' in each && each.playbook.name === name))
    : undefined;
  if (!found) {
    const names = all.slice(0, 20).map((each) => each.name);
    throw new UserError(say('playbooks.noSuch', { names: names.join(', ') }));
  }
  if ('problem' in found) throw new UserError(say('playbooks.cannotUse', { name: found.name, problem: found.problem }));
  return found;
}
