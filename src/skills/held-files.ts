/** Files of a run that stay open: what a sandbox gets by its descriptor can't be replaced. */
import { constants } from 'node:fs';
import { type FileHandle, open, readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../errors.ts';
import { syscallFilter } from './syscall-filter.ts';

/** Holds the folder open: if it is replaced, the sandbox still shows this one. */
export async function openFolder(folder: string): Promise<FileHandle> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const handle = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if ((await readlink(`/proc/self/fd/${handle.fd}`)) === folder) return handle;
  await handle.close();
  throw new UserError('The folder that the script should work in was replaced.');
}

/** Opens it anew for each sandbox, which reads it to its end. */
export async function openFilter(run: string): Promise<FileHandle | undefined> {
  const filter = syscallFilter();
  if (!filter) return undefined;
  const file = path.join(run, 'filter');
  await writeFile(file, filter, { mode: 0o600 });
  return open(file);
}
