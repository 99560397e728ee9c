/** Opens a source as a list of files, with a reader per kind that is loaded on demand. */
import { readFile, stat } from 'node:fs/promises';
import { errorCode, UserError } from '../../errors.ts';
import { cleanName } from '../../lib/text.ts';
import { say } from '../../messages/messages.ts';
import type { Network } from './download.ts';
import type { Source } from './source.ts';
import { checkEntries, LIMITS, type Tree, titleOf, tooLarge } from './tree.ts';

/** @throws UserError when it isn't available, or contains a path that leaves it */
export async function openSource(source: Source, network: Network, scratch: string): Promise<Tree> {
  const tree = await openTree(source, network, scratch);
  try {
    checkEntries(tree.entries);
    return tree;
  } catch (error) {
    await tree.close();
    throw error;
  }
}

async function openTree(source: Source, network: Network, scratch: string): Promise<Tree> {
  switch (source.kind) {
    case 'folder':
      // A file sent in a chat is named after its content.
      if (await isPlainFile(source.path)) return openTree({ ...source, kind: 'zip' }, network, scratch);
      return (await import('./folder.ts')).openFolder(source.path);
    case 'zip': {
      const { openZip } = await import('./zip.ts');
      return openZip(await readArchive(source.path), titleOf(source.path));
    }
    case 'web': {
      const [{ openZip }, { download }] = await Promise.all([import('./zip.ts'), import('./download.ts')]);
      return openZip(await download(source.url, network, LIMITS.packed), titleOf(new URL(source.url).pathname));
    }
    case 'npm':
      return (await import('./npm.ts')).openPackage(source, network);
    case 'git':
      return (await import('./git.ts')).openRepository(source, network, scratch);
  }
}

async function readArchive(file: string): Promise<Buffer> {
  try {
    const found = await stat(file);
    if (found.isFile() && found.size > LIMITS.packed) throw tooLarge();
    if (found.isFile()) return await readFile(file);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error) ?? '')) throw error;
  }
  throw new UserError(say('adding.notThere', { source: cleanName(file) }));
}

async function isPlainFile(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG', 'ELOOP'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}
