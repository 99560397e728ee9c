/** Reads the files of a local folder. Links are listed and never followed. */
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, UserError } from '../../errors.ts';
import { cleanName } from '../../lib/text.ts';
import { say } from '../../messages/messages.ts';
import { LIMITS, type Tree, type TreeEntry, titleOf, tooLarge } from './tree.ts';

const SKIPPED = new Set(['.git', 'node_modules']);

/** @throws UserError when there is no such folder */
export async function openFolder(root: string): Promise<Tree> {
  if (!(await isFolder(root))) throw new UserError(say('adding.notThere', { source: cleanName(root) }));
  const entries = await listFolder(root);
  return {
    entries,
    version: '',
    title: titleOf(root),
    async read(names) {
      const sizes = new Map(entries.map(({ name, size }) => [name, size]));
      const found = new Map<string, Buffer>();
      for (const name of names) found.set(name, await readPlain(path.join(root, name), sizes.get(name) ?? 0));
      return found;
    },
    close: async () => undefined,
  };
}

export async function listFolder(root: string): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  async function walk(folder: string, prefix: string, depth: number): Promise<void> {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const [file, name] = [path.join(folder, entry.name), prefix + entry.name];
      if (entries.length > LIMITS.entries) throw tooLarge();
      if (entry.isDirectory()) {
        if (depth < LIMITS.depth && !SKIPPED.has(entry.name)) await walk(file, `${name}/`, depth + 1);
      } else if (entry.isFile()) {
        const { size, mode } = await lstat(file);
        entries.push({ name, size, kind: 'file', isExecutable: (mode & 0o100) !== 0 });
      } else entries.push({ name, size: 0, kind: entry.isSymbolicLink() ? 'link' : 'other', isExecutable: false });
    }
  }
  await walk(root, '', 1);
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads a file unless it has become a link or pipe, or has changed size, since it was listed. */
async function readPlain(file: string, size: number): Promise<Buffer> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size !== size) throw new UserError(say('adding.changing'));
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

async function isFolder(root: string): Promise<boolean> {
  try {
    return (await lstat(root)).isDirectory();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG', 'ELOOP'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}
