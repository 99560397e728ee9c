/**
 * Accesses files below a folder that others may write at the same time: a script, another viber, a sync program. Each
 * folder on the path is opened by descriptor from the previous one, never through a link, and every operation uses a
 * name within the held folder. Whatever is swapped in between, nothing outside is read, written, renamed or removed.
 *
 * Linux gives an open folder a path (`/proc/self/fd/N`). Other systems don't: there the folders are compared with their
 * descriptors by device and inode before and after each step, and anything opened or created is compared with what is
 * then at its path. This also detects a swap that was reverted: no other file is read or written, though an empty file
 * or folder may be left elsewhere. Those systems have no sandbox for scripts, so no script escapes one.
 */
import fs from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorCode, UserError } from '../../errors.ts';
import { tempBeside, writeAll } from './staged-file.ts';

// Syncing waits for the disk, so never on the main thread.
const fsync = promisify(fs.fsync);
const read = promisify(fs.read);
const PIECE = 1024 * 1024;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = fs.constants;
const hasFolderPaths = process.platform === 'linux' && fs.existsSync('/proc/self/fd');

const REPLACED = 'A folder was replaced while a file in it was being used.';

/** A regular file that is held open: reading by its descriptor or its path reads this one. */
export interface HeldFile {
  fd: number;
  /** A path to the open file, for readers that need one: threads, and programs that this process starts. */
  path: string;
  stat: fs.Stats;
}

/** Thrown when a path leads to something that isn't used, such as a link. */
export class PathRefused extends UserError {
  override name = 'PathRefused';
}

export interface Entry {
  name: string;
  isFile: boolean;
  isFolder: boolean;
}

/** A folder on a path, as it was when opened. */
interface Part {
  path: string;
  dev: number;
  ino: number;
}

export class HeldFolder {
  readonly #fd: number;
  /** From the root down to this one. */
  readonly #parts: readonly Part[];
  readonly #at: string;

  private constructor(file: string, real: string, above: readonly Part[]) {
    this.#fd = fs.openSync(file, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    const { dev, ino } = fs.fstatSync(this.#fd);
    this.#parts = [...above, { path: real, dev, ino }];
    this.#at = hasFolderPaths ? `/proc/self/fd/${this.#fd}` : real;
    this.#checkAtFirst();
  }

  /** Opens the root folder. It belongs to the gateway, and may be a person's link. */
  static root(folder: string): HeldFolder {
    const real = fs.realpathSync.native(folder);
    return new HeldFolder(real, real, []);
  }

  /**
   * Opens a folder in this one.
   * @throws Node's errors: ENOENT; ENOTDIR or ELOOP for a link or anything but a folder
   */
  folder(name: string): HeldFolder {
    return new HeldFolder(this.at(name), path.join(this.#parts.at(-1)?.path ?? '', name), this.#parts);
  }

  /**
   * Creates a folder in this one; returns false when something of that name exists, or this one is removed meanwhile.
   */
  make(name: string, mode = 0o700): boolean {
    try {
      fs.mkdirSync(this.at(name), { mode });
      // Without descriptor paths, it may have been created elsewhere.
      if (!hasFolderPaths && !this.stat(name)?.isDirectory()) throw new PathRefused(REPLACED);
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST' || errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }

  /** @throws Node's errors; ELOOP for a link */
  file(name: string): HeldFile {
    const at = this.at(name);
    const fd = fs.openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      this.checkOpened(fd, name);
      return { fd, path: hasFolderPaths ? `/proc/${process.pid}/fd/${fd}` : at, stat: fs.fstatSync(fd) };
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  }

  /** Returns the path of an entry, for a call that doesn't follow links. */
  at(name: string): string {
    if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name)) throw new Error('not the name of an entry');
    this.check();
    return path.join(this.#at, name);
  }

  /** @param most a folder may hold millions, and reading them all would stop everything else */
  entries(most = Number.POSITIVE_INFINITY): Entry[] {
    const found =
      most === Number.POSITIVE_INFINITY ? fs.readdirSync(this.#at, { withFileTypes: true }) : this.#first(most);
    this.check();
    // Without descriptor paths, the names may be another folder's: only those that are here count.
    const here = hasFolderPaths ? found : found.filter((one) => this.stat(one.name) !== undefined);
    return here.map((one) => ({ name: one.name, isFile: one.isFile(), isFolder: one.isDirectory() }));
  }

  #first(most: number): fs.Dirent[] {
    const folder = fs.opendirSync(this.#at, { bufferSize: 1_024 });
    try {
      const found: fs.Dirent[] = [];
      for (let one = folder.readSync(); one !== null && found.length < most; one = folder.readSync()) found.push(one);
      return found;
    } finally {
      folder.closeSync();
    }
  }

  /** Returns the status of the entry itself; undefined if there is none. */
  stat(name: string): fs.BigIntStats | undefined {
    return fs.lstatSync(this.at(name), { bigint: true, throwIfNoEntry: false });
  }

  temp(): string {
    const { dev = 0, ino = 0 } = this.#parts.at(-1) ?? {};
    return tempBeside(this.at('temp'), `${dev}:${ino}`);
  }

  sync(): Promise<void> {
    return fsync(this.#fd);
  }

  /** Checks that every folder on the path is still the opened one, if only paths are available. */
  check(): void {
    if (hasFolderPaths) return;
    for (const { path: file, dev, ino } of this.#parts) {
      const there = fs.lstatSync(file, { throwIfNoEntry: false });
      if (there?.dev !== dev || there.ino !== ino) throw new PathRefused(REPLACED);
    }
  }

  /** Checks that an open file is the one of this name here, if only paths are available. */
  checkOpened(fd: number, name: string): void {
    if (hasFolderPaths) return;
    const [opened, there] = [fs.fstatSync(fd, { bigint: true }), this.stat(name)];
    if (opened.dev !== there?.dev || opened.ino !== there.ino) throw new PathRefused(REPLACED);
    this.check();
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  #checkAtFirst(): void {
    try {
      this.check();
    } catch (error) {
      this.close();
      throw error;
    }
  }
}

interface Making {
  /** Creates missing folders. */
  isMade?: boolean;
  /** Syncs created folders before they are used. */
  sync?: boolean;
  /** The mode of created folders; 0700 by default. */
  mode?: number;
}

/**
 * Uses the folder that `names` lead to below `root`. Returns undefined if there is none.
 * @throws UserError for a link on the path, or anything but a folder
 */
export async function useFolder<T>(
  root: string,
  names: readonly string[],
  use: (folder: HeldFolder) => T | Promise<T>,
  making: Making = {},
): Promise<T | undefined> {
  const folder = await walk(root, names, making);
  try {
    return folder && (await use(folder));
  } finally {
    folder?.close();
  }
}

async function walk(
  root: string,
  names: readonly string[],
  { isMade = false, sync = false, mode }: Making,
): Promise<HeldFolder | undefined> {
  if (!isMade) return holdFolder(root, names);
  for (const [index, name] of names.entries()) {
    const above = holdFolder(root, names.slice(0, index));
    try {
      if (above?.make(name, mode) && sync) await above.sync();
    } finally {
      above?.close();
    }
  }
  return holdFolder(root, names);
}

/**
 * Opens the folder that `names` lead to below `root`; the caller closes it. Returns undefined if there is none.
 * @throws UserError for a link on the path, or anything but a folder
 */
export function holdFolder(root: string, names: readonly string[]): HeldFolder | undefined {
  let folder: HeldFolder | undefined;
  try {
    folder = HeldFolder.root(root);
    for (const name of names) {
      const next: HeldFolder = folder.folder(name);
      folder.close();
      folder = next;
    }
    return folder;
  } catch (error) {
    folder?.close();
    if (errorCode(error) === 'ENOENT') return undefined;
    throw stepError(names, error);
  }
}

/**
 * Uses the regular file that `names` lead to below `root`, held open. Returns undefined if there is none.
 * @throws UserError for a link, anything but a regular file, or one that may not be opened
 */
export function useFile<T>(
  root: string,
  names: readonly string[],
  use: (file: HeldFile) => T | Promise<T>,
): Promise<T | undefined> {
  return useFolder(root, names.slice(0, -1), async (folder) => {
    if (names.length === 0) throw pathRefused(['.'], NO_FILE);
    const file = openFile(folder, names);
    if (file === undefined) return undefined;
    try {
      if (!file.stat.isFile()) throw pathRefused(names, NO_FILE);
      return await use(file);
    } finally {
      fs.closeSync(file.fd);
    }
  });
}

/**
 * Opens a file of a task, or another in a folder of ours. Neither file nor folder may be a link; the folders above
 * belong to the owner, who may have moved them. Rejects with ENOENT when it is gone or isn't a file any more.
 */
export async function openKept(file: string): Promise<FileHandle> {
  const folder = path.dirname(file);
  const again = async ({ path: at, stat }: HeldFile): Promise<FileHandle | undefined> => {
    const handle = await open(at, hasFolderPaths ? O_RDONLY : O_RDONLY | O_NOFOLLOW);
    const { dev, ino } = await handle.stat();
    if (dev === stat.dev && ino === stat.ino) return handle;
    await handle.close();
    return undefined;
  };
  try {
    const opened = await useFile(path.dirname(folder), [path.basename(folder), path.basename(file)], again);
    if (opened) return opened;
  } catch (error) {
    if (!(error instanceof PathRefused)) throw error;
  }
  throw Object.assign(new Error(`ENOENT: ${path.basename(file)} is gone, or is no longer a file`), { code: 'ENOENT' });
}

export async function readKept(file: string): Promise<Buffer> {
  const handle = await openKept(file);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/**
 * Returns undefined if there is none.
 * @throws UserError for a link, or a file that may not be opened
 */
export function openFile(folder: HeldFolder, names: readonly string[]): HeldFile | undefined {
  try {
    return folder.file(names.at(-1) ?? '');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw stepError(names, error);
  }
}

/**
 * Reads an open file from its beginning.
 * @throws UserError when it is larger than `maxBytes`
 */
export async function readBytes(fd: number, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  const piece = Math.min(PIECE, maxBytes + 1);
  for (let length = 0; ; ) {
    const { bytesRead, buffer } = await read(fd, Buffer.alloc(piece), 0, piece, length);
    if (bytesRead === 0) return Buffer.concat(parts);
    parts.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
    if (length > maxBytes) throw new UserError('The file is growing while it is read.');
  }
}

/**
 * Puts a file in place below `root` with one rename, after its bytes are on disk; creates missing folders.
 * @param isNew whether the name must be unused
 * @param sync `bytes` doesn't wait for the folder: after a power cut the file from before may be there, whole
 * @throws UserError for a link, or when a folder is in its place
 */
export async function putFile(
  root: string,
  names: readonly string[],
  bytes: Uint8Array,
  {
    mode = 0o600,
    sync = true,
    isNew = false,
    folderMode,
  }: { mode?: number; sync?: boolean | 'bytes'; isNew?: boolean; folderMode?: number } = {},
): Promise<void> {
  const name = names.at(-1) ?? '';
  if (name === '') throw pathRefused(['.'], 'it is a folder');
  const put = async (folder: HeldFolder) => {
    const stands = folder.stat(name);
    if (stands?.isDirectory()) throw pathRefused(names, 'it is a folder');
    if (stands && !stands.isFile()) throw pathRefused(names, stands.isSymbolicLink() ? LINK : NO_FILE);
    if (stands && isNew) throw pathRefused(names, 'it is there already');
    const temp = folder.temp();
    try {
      await writeBelow(temp, bytes, {
        mode,
        sync: sync !== false,
        check: (fd) => folder.checkOpened(fd, path.basename(temp)),
      });
      fs.renameSync(temp, folder.at(name));
      folder.check();
    } catch (error) {
      fs.rmSync(temp, { force: true });
      throw errorCode(error) === 'ENOENT' ? gone(names, error) : stepError(names, error);
    }
    if (sync === true) await folder.sync();
    return true;
  };
  // A new folder may be removed by somebody else.
  if (
    !(await useFolder(root, names.slice(0, -1), put, {
      isMade: true,
      sync: sync === true,
      ...(folderMode !== undefined && { mode: folderMode }),
    }))
  )
    throw pathRefused(names, 'its folder is gone');
}

/** @param check called before the first byte is written */
async function writeBelow(
  file: string,
  bytes: Uint8Array,
  { mode, sync, check }: { mode: number; sync: boolean; check: (fd: number) => void },
): Promise<void> {
  const fd = fs.openSync(file, 'wx', mode);
  try {
    check(fd);
    writeAll(fd, bytes, 0);
    if (sync) await fsync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

const gone = (names: readonly string[], cause?: unknown): PathRefused =>
  pathRefused(names, 'its folder is gone', cause);

const LINK = 'links are not followed';
const NO_FILE = 'it is not a regular file';

/** Returns why the system refused a step; the error itself if it isn't about the path. */
function stepError(names: readonly string[], error: unknown): unknown {
  const code = errorCode(error) ?? '';
  if (code === 'ELOOP' || code === 'ENOTDIR')
    return pathRefused(names, `a part of it is a link or isn't a folder: ${LINK}`, error);
  if (code === 'EISDIR' || code === 'ENOTEMPTY') return pathRefused(names, 'it is a folder', error);
  if (code === 'EACCES' || code === 'EPERM') return pathRefused(names, 'it may not be opened', error);
  if (code === 'ENXIO' || code === 'ENODEV') return pathRefused(names, NO_FILE, error);
  if (code === 'ENAMETOOLONG') return pathRefused(names, 'a name in it is too long', error);
  return error;
}

const pathRefused = (names: readonly string[], why: string, cause?: unknown): PathRefused =>
  new PathRefused(`"${names.join('/').slice(0, 100)}" cannot be used: ${why}.`, { cause });
