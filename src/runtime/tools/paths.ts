/**
 * Resolves paths from a model (promises 50 and 51): an artifact of this task, or a file of this viber's workspace, but
 * nothing operational, hidden or behind a link; a guest only gets the task's files. Scripts may write there at the same
 * time, so a file is used through its open handle.
 */
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { type HeldFile, useFile, useFolder } from '../../lib/files/below.ts';
import { pathNames } from '../../lib/files/path-names.ts';
import { inFolder } from '../../lib/locks.ts';
import { isProtected } from '../../workspace/home.ts';
import { isOwnFile } from '../../workspace/own-files.ts';
import { type ArtifactMeta, openTask } from '../../workspace/tasks/index.ts';
import type { ArtifactRef } from '../../workspace/types.ts';
import type { FileScope, ToolScope } from '../contract/tool-scope.ts';
import { refusedToGuest } from './offered.ts';

export interface FoundFile extends HeldFile {
  /** The model may refer to it by this name. */
  label: string;
  name: string;
  type?: string;
  ref?: ArtifactRef;
}

export type Area = 'task' | 'workspace';

/** `area` is undefined unless the path begins with `workspace/` or `artifacts/<this task>/`. */
export function splitArea(scope: FileScope, given: string): { area: Area | undefined; rest: string } {
  const parts = given
    .trim()
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  if (given.startsWith('/')) return { area: undefined, rest: given };
  if (parts[0] === 'workspace') return { area: 'workspace', rest: parts.slice(1).join('/') };
  if (parts[0] !== 'artifacts') return { area: undefined, rest: parts.join('/') };
  if (parts[1] !== scope.taskId) {
    throw new UserError(`Only artifacts of this task can be used: name them alone, or artifacts/${scope.taskId}/NAME.`);
  }
  return { area: 'task', rest: parts.slice(2).join('/') };
}

/** The newest of several. */
export async function artifactNamed(scope: FileScope, name: string): Promise<ArtifactMeta | undefined> {
  const wanted = name.trim().toLowerCase();
  const metas = openTask(scope.home, scope.taskId).artifacts.list();
  return (
    metas.find((meta) => meta.id === wanted) ??
    metas.findLast((meta) =>
      [meta.title, meta.name, path.posix.basename(meta.ref)].some((word) => word.toLowerCase() === wanted),
    )
  );
}

/** Looks at this task's artifacts first, then at the workspace. | @throws UserError if there is no such file */
export async function useFound<T>(
  scope: FileScope,
  given: string,
  use: (file: FoundFile) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { area, rest } = splitArea(scope, given);
  const meta = area === 'workspace' ? undefined : await artifactNamed(scope, rest);
  if (meta) return useArtifact(scope, meta, use);
  const areas: readonly Area[] = scope.isGuest ? ['task'] : ['task', 'workspace'];
  for (const where of area ? [area] : areas) {
    const place = placeIn(scope, where, rest);
    if (place.names.length === 0) continue;
    const look = () =>
      useFile(place.root, place.names, async (file) => ({
        result: await use({ ...file, label: rest, name: path.basename(rest) }),
      }));
    const found = await inPlace(place, look, signal);
    if (found) return found.result;
  }
  throw new UserError(`There is no file "${given.slice(0, 100)}"; list_files shows what there is.`);
}

async function useArtifact<T>(
  { home, taskId }: FileScope,
  meta: ArtifactMeta,
  use: (file: FoundFile) => Promise<T>,
): Promise<T> {
  const file = openTask(home, taskId).artifacts.pathOf(meta);
  const about = { label: meta.title, name: meta.name, type: meta.type, ref: meta };
  // Transcription programs rely on the file's extension; only the gateway writes where artifacts are.
  const found = await useFile(openTask(home, taskId).folder, [path.basename(file)], async (held) => ({
    result: await use({ ...held, path: file, ...about }),
  }));
  if (!found) throw new UserError(`The file of "${meta.title}" is no longer there.`);
  return found.result;
}

export interface Place {
  root: string;
  names: readonly string[];
}

/** Links are only detected when it is opened. | @throws UserError for a path that may not be used */
export function placeIn(scope: FileScope, area: Area, rest: string): Place {
  if (scope.isGuest && (area === 'workspace' || RECORDS.test(rest))) throw refusedToGuest();
  const root = area === 'task' ? openTask(scope.home, scope.taskId).folder : scope.home.viberDir(scope.viber);
  const names = rest === '' ? [] : pathNames(rest);
  for (const part of names) {
    if (part.startsWith('.')) throw unusablePath(rest, 'hidden files are off limits');
    if (isSecret(part)) throw unusablePath(rest, 'credentials are off limits');
  }
  return { root, names };
}

/** The write wouldn't follow a link either. | @throws UserError */
export async function refuseLinks({ root, names }: Place): Promise<void> {
  const [last = '', ...above] = names.toReversed();
  const stat = await useFolder(root, above.reverse(), (folder) => folder.stat(last));
  if (stat?.isSymbolicLink()) throw unusablePath(names.join('/'), 'links are not followed');
}

/** Scripts there wait for `work`, and it for them. */
export function inPlace<T>({ root, names }: Place, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return inFolder(path.join(realRoot(root), ...names), work, signal);
}

const realRoot = (root: string): string => (existsSync(root) ? realpathSync.native(root) : root);

/** Dedicated tools write the gateway's records, and the viber's own prompt, plan and memory. | @throws UserError */
export function refuseProtected(scope: ToolScope, area: Area, { root, names }: Place, rest: string): void {
  const [first = ''] = rest.toLowerCase().split('/');
  if (first === 'task.md') throw unusablePath(rest, 'call update_plan to change the plan');
  if (area === 'workspace' && (first === 'memory.md' || first === 'memory'))
    throw unusablePath(rest, 'call remember to add to memory');
  const isOwned = area === 'workspace' && OWNED.test(rest);
  const file = path.join(realRoot(root), ...names);
  if (isOwned || isProtected(scope.home, file) || isOwnFile(scope.home, file))
    throw unusablePath(rest, 'only the person may change it');
}

/** These shape every later prompt. */
const OWNED = /^((identity|soul|user|agents|tools)\.md|session-log|memory\.sqlite.*)$/i;

/** A task's people, and where else it was discussed. */
const RECORDS = /^(task\.json|artifacts\.jsonl|playbook\.md)$/i;

/** A model never sees these names (promise 57). */
export const isSecret = (name: string): boolean => /^credentials$|\.secret\.md$/i.test(name);

const unusablePath = (rest: string, why: string): UserError =>
  new UserError(`"${rest.slice(0, 100)}" cannot be used: ${why}.`);
