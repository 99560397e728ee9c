/**
 * Events of folders that may come, go and come back. The library that watches sees what happens in a folder that
 * exists, but loses one that is deleted and made again (chokidar 6.0.0: 6 of 100 under load). So it is only given
 * folders that exist, and the watch is renewed whenever a folder is another one than before.
 */
import fs from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../errors.ts';
import { isSkippedFolder, isTemporary } from './look-folders.ts';

/** How often it is checked whether a missing folder has come, in ms. */
const CHECK_MS = 1_000;

interface RootOptions {
  /** Folders; they need not exist yet. */
  roots: readonly string[];
  /** How many levels of folders below a root are watched; 0 for its own files only. */
  depth: number;
  /** Selects files by their name relative to the root. */
  match(name: string): boolean;
  onError(error: unknown): void;
}

/**
 * Calls `onEvent` for anything that may matter, often more than once, and each time a watch has begun, since what
 * changed before caused no event. Resolves, once it is watching, to a function that ends it.
 */
export async function watchRoots(watched: RootOptions, onEvent: () => void): Promise<() => Promise<void>> {
  let identities: string | undefined;
  let end: (() => Promise<void>) | undefined;
  let renewing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  /** Renews the watch until its folders are the ones that are there. */
  async function renew(): Promise<void> {
    for (let now = identitiesOf(watched.roots); now !== identities && !hasEnded; now = identitiesOf(watched.roots)) {
      identities = now;
      await end?.();
      end = undefined;
      end = await watchExisting(watched, () => {
        onEvent();
        check();
      });
      onEvent();
    }
    clearTimeout(timer);
    if (!hasEnded && watched.roots.some((root) => folderId(root) === undefined))
      timer = setTimeout(check, CHECK_MS).unref();
  }

  function check(): void {
    renewing ??= renew()
      .catch(watched.onError)
      .finally(() => {
        renewing = undefined;
      });
  }

  check();
  await renewing;
  return async () => {
    hasEnded = true;
    clearTimeout(timer);
    await renewing;
    await end?.();
  };
}

async function watchExisting(
  { roots, depth, match, onError }: RootOptions,
  onEvent: () => void,
): Promise<() => Promise<void>> {
  const folders = (await Promise.all(roots.map(folderAt))).filter((folder) => folder !== undefined);
  const { watch } = await import('chokidar');
  const watcher = watch(folders, {
    depth,
    ignoreInitial: true,
    // Links are checked by who reads the folders; their targets aren't watched.
    followSymlinks: false,
    // Both would delay the events of single files; here the whole set has to settle.
    atomic: false,
    awaitWriteFinish: false,
    ignored: (file, stats) => {
      const root = folders.find((folder) => file.startsWith(folder + path.sep));
      if (root === undefined) return false;
      const parts = path.relative(root, file).split(path.sep);
      if (parts.some(isTemporary)) return true;
      if (stats?.isDirectory()) return parts.length > depth || parts.some(isSkippedFolder);
      return stats?.isFile() === true && !match(parts.join('/'));
    },
  });
  watcher.on('all', onEvent);
  watcher.on('error', onError);
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  return () => watcher.close();
}

/** Equal as long as the same folders are there. */
function identitiesOf(roots: readonly string[]): string {
  return roots.map((root) => folderId(root) ?? '').join();
}

async function folderAt(root: string): Promise<string | undefined> {
  try {
    return folderId(root) && (await realpath(root));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Undefined for what isn't there or can't be looked at. The time is part of it, since numbers are used again. */
function folderId(root: string): string | undefined {
  try {
    const found = fs.statSync(root, { bigint: true, throwIfNoEntry: false });
    return found?.isDirectory() ? `${found.dev}:${found.ino}:${found.birthtimeNs}` : undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
