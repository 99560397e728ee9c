/**
 * What a script wrote into the task's own folder, kept as artifacts so that it goes along with the answer. Regular files only: no
 * link of either kind is followed, since a script could point it at any file of this machine.
 */
import { hash } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../../errors.ts';
import { createArtifact } from '../../../workspace/artifacts.ts';
import type { ToolScope } from '../../contract/tool-scope.ts';
import { attached } from '../artifacts.ts';

/** By name relative to the folder: what tells two states of a file apart. */
export type Snapshot = ReadonlyMap<string, string>;

export interface Kept {
  files: { name: string; id: string; ref: string }[];
  /** Names of files that stay where they are: too many, too large or empty. */
  left: string[];
}

const MAX_DEPTH = 3;
const MAX_SEEN = 1_000;
const MAX_FILES = 10;
const MAX_BYTES = 10_485_760;
const MAX_TOTAL = 3 * MAX_BYTES;

/** The regular files in a folder; hidden ones are the programs' own affair. */
export async function snapshotOf(folder: string): Promise<Snapshot> {
  const found = new Map<string, string>();
  async function walk(dir: string, prefix: string, depth: number): Promise<void> {
    for (const entry of (await entriesOf(dir)).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.size >= MAX_SEEN) return;
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const file = path.join(dir, entry.name);
      if (entry.isDirectory() && depth > 0) await walk(file, `${prefix}${entry.name}/`, depth - 1);
      else if (entry.isFile()) found.set(prefix + entry.name, await stampOf(file));
    }
  }
  await walk(folder, '', MAX_DEPTH);
  return found;
}

/** What a script has locked us out of, or given a name that is no text and so cannot be asked for. */
const OUT_OF_REACH = ['EACCES', 'ENOENT', 'ENOTDIR'];

async function entriesOf(dir: string): Promise<Dirent[]> {
  try {
    return await readdir(dir, { withFileTypes: true });
  } catch (error) {
    if (OUT_OF_REACH.includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}

async function stampOf(file: string): Promise<string> {
  try {
    const { ino, size, ctimeNs } = await lstat(file, { bigint: true });
    return `${ino} ${size} ${ctimeNs}`;
  } catch (error) {
    if (OUT_OF_REACH.includes(errorCode(error) ?? '')) return 'out of reach';
    throw error;
  }
}

/**
 * Keeps what is new or has changed. A file of the same name is the same artifact with new content.
 * @param isWanted names that are not are passed over
 */
export async function keepWritten(
  scope: ToolScope,
  folder: string,
  before: Snapshot,
  isWanted: (name: string) => boolean = () => true,
): Promise<Kept> {
  const after = await snapshotOf(folder);
  const kept: Kept = { files: [], left: [] };
  let total = 0;
  for (const [name, stamp] of after) {
    if (before.get(name) === stamp || !isWanted(name)) continue;
    const content = kept.files.length < MAX_FILES ? await contentOf(path.join(folder, name)) : undefined;
    if (content === undefined || content.length === 0 || total + content.length > MAX_TOTAL) {
      kept.left.push(name);
      continue;
    }
    total += content.length;
    const { default: mime } = await import('mime');
    const given = { title: name, name: path.basename(name), type: mime.getType(name) ?? 'application/octet-stream' };
    const id = hash('sha256', name).slice(0, 10);
    const ref = await createArtifact(scope.home, scope.taskId, { ...given, id, content, origin: 'agent' });
    kept.files.push({ name, ...attached(scope, ref) });
  }
  return kept;
}

/** Undefined for what is no regular file of one name alone, or larger than may be kept. */
async function contentOf(file: string): Promise<Buffer | undefined> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      // Nothing writes to it any more: the script and all that it started have ended.
      return stat.isFile() && stat.nlink === 1 && stat.size <= MAX_BYTES ? await handle.readFile() : undefined;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'EACCES', 'ENXIO'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}
