/**
 * Keeps files that a script wrote into the task's own folder as artifacts, so that they are attached to the answer.
 * Regular files only: links of either kind are not followed, since a script could point them at any file on this
 * machine.
 */
import { hash } from 'node:crypto';
import path from 'node:path';
import { errorCode } from '../../../errors.ts';
import { type HeldFolder, PathRefused, readBytes, useFile, useFolder } from '../../../lib/files/below.ts';
import type { ToolScope } from '../../../runtime/contract/tool-scope.ts';
import { attached } from '../../../runtime/tools/artifacts.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import type { WorkFolder } from './work-folder.ts';

/** Stamps that distinguish two states of a file, by name relative to the folder. */
export type Snapshot = ReadonlyMap<string, string>;

export interface KeptFiles {
  files: { name: string; id: string; ref: string }[];
  /** Names of files that stay where they are: too many, too large or empty. */
  left: string[];
}

const MAX_DEPTH = 3;
const MAX_SEEN = 1_000;
const MAX_FILES = 10;
const MAX_BYTES = 10_485_760;
const MAX_TOTAL = 3 * MAX_BYTES;

/** Lists the regular files in a task's own work folder; hidden files are internal to programs. */
export async function snapshotOf(work: WorkFolder): Promise<Snapshot> {
  const found = new Map<string, string>();
  function walk(folder: HeldFolder, prefix: string, depth: number): void {
    for (const entry of (unlessGone(() => folder.entries()) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.size >= MAX_SEEN) return;
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isFolder && depth > 0) walkInto(folder, entry.name, `${prefix}${entry.name}/`, depth - 1);
      else if (entry.isFile) found.set(prefix + entry.name, writtenStamp(folder, entry.name));
    }
  }
  function walkInto(folder: HeldFolder, name: string, prefix: string, depth: number): void {
    const below = unlessGone(() => folder.folder(name));
    try {
      if (below) walk(below, prefix, depth);
    } finally {
      below?.close();
    }
  }
  await useFolder(work.files, [path.basename(work.path)], (folder) => walk(folder, '', MAX_DEPTH));
  return found;
}

/** Codes for files that a script has locked, or whose names aren't valid text and so cannot be opened. */
const OUT_OF_REACH = ['EACCES', 'ENOENT', 'ENOTDIR', 'ELOOP'];

function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (OUT_OF_REACH.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

function writtenStamp(folder: HeldFolder, name: string): string {
  const stat = unlessGone(() => folder.stat(name));
  return stat ? `${stat.ino} ${stat.size} ${stat.ctimeNs}` : 'out of reach';
}

/**
 * Keeps new and changed files. A file with the same name becomes the same artifact with new content.
 * @param isWanted other names are skipped
 */
export async function keepWritten(
  scope: ToolScope,
  work: WorkFolder,
  before: Snapshot,
  isWanted: (name: string) => boolean = () => true,
): Promise<KeptFiles> {
  const after = await snapshotOf(work);
  const kept: KeptFiles = { files: [], left: [] };
  let total = 0;
  for (const [name, stamp] of after) {
    if (before.get(name) === stamp || !isWanted(name)) continue;
    const content = kept.files.length < MAX_FILES ? await contentOf(work, name) : undefined;
    if (content === undefined || content.length === 0 || total + content.length > MAX_TOTAL) {
      kept.left.push(name);
      continue;
    }
    total += content.length;
    const { default: mime } = await import('mime');
    const given = { title: name, name: path.basename(name), type: mime.getType(name) ?? 'application/octet-stream' };
    const id = hash('sha256', name).slice(0, 10);
    const ref = await openTask(scope.home, scope.taskId).artifacts.create({ ...given, id, content, origin: 'agent' });
    kept.files.push({ name, ...attached(scope, ref) });
  }
  return kept;
}

/** Returns undefined for a file that isn't regular, has several names, or is too large to keep. */
async function contentOf(work: WorkFolder, name: string): Promise<Buffer | undefined> {
  try {
    return await useFile(work.files, [path.basename(work.path), ...name.split('/')], ({ fd, stat }) =>
      stat.nlink === 1 && stat.size <= MAX_BYTES ? readBytes(fd, MAX_BYTES) : undefined,
    );
  } catch (error) {
    if (error instanceof PathRefused) return undefined;
    throw error;
  }
}
