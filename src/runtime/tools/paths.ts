/**
 * What a path from a model may mean (promises 50 and 51): an artifact of this task, or a file of this viber's
 * workspace. No other task's, no operational file, nothing hidden, nothing through a link; for a guest the task's alone. Resolving never opens anything.
 */
import { lstatSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { guardPath } from '../../lib/files.ts';
import { type ArtifactMeta, artifactPath, listArtifacts } from '../../workspace/artifacts.ts';
import { isProtected } from '../../workspace/home.ts';
import type { ArtifactRef } from '../../workspace/types.ts';
import type { ToolScope } from '../contract/tool-scope.ts';
import { refusedToGuest } from './guests.ts';

/** What of a run's scope says which files it may use. */
export type FileScope = Pick<ToolScope, 'home' | 'viber' | 'taskId' | 'isGuest'>;

export interface FoundFile {
  /** Absolute, real. */
  file: string;
  /** As the model may name it again. */
  label: string;
  /** As it was called when it came, with its ending. */
  name: string;
  type?: string;
  /** Of an artifact. */
  ref?: ArtifactRef;
}

export type Area = 'task' | 'workspace';

/** `workspace/...` and `artifacts/<this task>/...` say where they are; of anything else `area` is undefined. */
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

/** The artifact with exactly this id, title or name; the newest of several. */
export async function artifactNamed(scope: FileScope, name: string): Promise<ArtifactMeta | undefined> {
  const wanted = name.trim().toLowerCase();
  const metas = await listArtifacts(scope.home, scope.taskId);
  return (
    metas.find((meta) => meta.id === wanted) ??
    metas.findLast((meta) =>
      [meta.title, meta.name, path.posix.basename(meta.ref)].some((word) => word.toLowerCase() === wanted),
    )
  );
}

/** The existing file a model means: this task's artifacts first, then the workspace. Throws UserError when there is none. */
export async function findFile(scope: FileScope, given: string): Promise<FoundFile> {
  const { area, rest } = splitArea(scope, given);
  const meta = area === 'workspace' ? undefined : await artifactNamed(scope, rest);
  if (meta)
    return {
      file: artifactPath(scope.home, scope.taskId, meta),
      label: meta.title,
      name: meta.name,
      type: meta.type,
      ref: meta,
    };
  const areas: readonly Area[] = scope.isGuest ? ['task'] : ['task', 'workspace'];
  for (const where of area ? [area] : areas) {
    const file = await resolveIn(scope, where, rest);
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile()) return { file, label: rest, name: path.basename(rest) };
  }
  throw new UserError(`There is no file "${given.slice(0, 100)}"; list_files shows what there is.`);
}

/** The real path of `rest` in an area, existing or not. Throws UserError for every path that may not be used. */
export async function resolveIn(scope: FileScope, area: Area, rest: string): Promise<string> {
  if (scope.isGuest && (area === 'workspace' || RECORDS.test(rest))) throw refusedToGuest();
  const root = area === 'task' ? scope.home.taskDir(scope.taskId) : scope.home.viberDir(scope.viber);
  if (rest === '') return guardPath(root, '.');
  const file = await guardPath(root, rest);
  const relative = path.relative(await guardPath(root, '.'), file);
  if (relative.split(path.sep).join('/') !== rest) throw refused(rest, 'links are not followed');
  for (const part of rest.split('/')) {
    if (part.startsWith('.')) throw refused(rest, 'hidden files are off limits');
    if (isSecret(part)) throw refused(rest, 'credentials are off limits');
  }
  return file;
}

/** Throws UserError where only typed operations may write: the gateway's records, the viber's own prompt, plan and memory. */
export function refuseProtected(scope: ToolScope, area: Area, file: string, rest: string): void {
  const [first = ''] = rest.toLowerCase().split('/');
  if (first === 'task.md') throw refused(rest, 'call update_plan to change the plan');
  if (area === 'workspace' && (first === 'memory.md' || first === 'memory'))
    throw refused(rest, 'call remember to add to memory');
  const isOwned = area === 'workspace' && OWNED.test(rest);
  if (isOwned || isProtected(scope.home, file)) throw refused(rest, 'only the person may change it');
}

/** What shapes every later prompt, and the records beside it. */
const OWNED = /^((identity|soul|user|agents|tools)\.md|session-log|memory\.sqlite.*)$/i;

/** What the gateway itself notes of a task: whose it is, and where else it was spoken about. */
const RECORDS = /^(task\.json|artifacts\.jsonl|playbook\.md)$/i;

/** Never shown to a model (promise 57). */
export const isSecret = (name: string): boolean => /^credentials$|\.secret\.md$/i.test(name);

const refused = (rest: string, why: string): UserError =>
  new UserError(`"${rest.slice(0, 100)}" cannot be used: ${why}.`);
