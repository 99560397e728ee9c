/** Finds projects below the allowed folders by the files that mark one. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { nearest } from '../../lib/nearest.ts';
import type { GitFolder } from './commands/git-folder.ts';

export interface Project {
  /** The path below its root; for the root itself, its own name. */
  name: string;
  /** Absolute, with links resolved. */
  folder: string;
  /** The project's own folder, if this is one task's worktree of it. */
  origin?: string;
  /** The project's repository, if it is outside the folder and commands may use it. */
  repository?: GitFolder;
}

/** Files and folders that mark a folder as a project. */
const MARKS: ReadonlySet<string> = new Set([
  ...['.git', 'AGENTS.md', 'CLAUDE.md', 'package.json', 'deno.json', 'pyproject.toml', 'setup.py', 'requirements.txt'],
  ...['go.mod', 'Cargo.toml', 'pom.xml', 'build.gradle', 'build.gradle.kts', 'Gemfile', 'composer.json', 'mix.exs'],
  ...['CMakeLists.txt', 'Makefile', 'flake.nix', 'Package.swift', 'pubspec.yaml'],
]);
/** Folders of packages and build results, where nobody keeps projects. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'vendor', 'target', 'dist', 'build', '__pycache__']);
const MAX_DEPTH = 4;
const MAX_FOLDERS = 5_000;

/** Lists the projects below these folders, by name. Links aren't followed, and projects within projects aren't listed. */
export async function findProjects(roots: readonly string[]): Promise<Project[]> {
  const found = new Map<string, Project>();
  for (const root of roots) {
    let left = MAX_FOLDERS;
    const queue = [{ folder: root, depth: 0 }];
    for (const { folder, depth } of queue) {
      if (left-- === 0) break;
      const entries = await entriesOf(folder);
      if (entries.some(({ name }) => MARKS.has(name))) {
        found.set(folder, { name: path.relative(root, folder) || path.basename(root), folder });
        continue;
      }
      if (depth === MAX_DEPTH) continue;
      for (const entry of entries)
        if (entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED.has(entry.name))
          queue.push({ folder: path.join(folder, entry.name), depth: depth + 1 });
    }
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
}

async function entriesOf(folder: string) {
  try {
    return await fs.readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // The folder was just removed, or this user may not read it.
    return [];
  }
}

export interface Matches {
  /** The matching project, or several with the same name. */
  found: Project[];
  /** The name of the most similar project. */
  near?: string;
}

/** Finds the project that a person or the model means, by its name, the end of its path, or its whole path. */
export function matchProject(wanted: string, projects: readonly Project[]): Matches {
  const name = wanted.trim().replace(/\/+$/, '').toLowerCase();
  const by = (test: (project: Project) => boolean) => projects.filter(test);
  const exact = by((one) => one.folder.toLowerCase() === name || one.name.toLowerCase() === name);
  const found = exact.length > 0 ? exact : by(({ folder }) => folder.toLowerCase().endsWith(`/${name}`));
  if (found.length > 0 || name === '') return { found: name === '' ? [] : found };
  const last = (one: Project) => path.basename(one.folder);
  const near = nearest(path.basename(name), projects.map(last));
  const same = projects.find((one) => last(one) === near);
  return { found: [], ...(same && { near: same.name }) };
}
