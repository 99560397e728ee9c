/**
 * Files below a folder that somebody else may write at the same moment: a script, another viber, a program that keeps folders in
 * step. Each folder on the way is opened by descriptor out of the one before it, never through a link, and everything is done by a
 * name within the folder that is held. Whatever is swapped meanwhile, nothing outside is read, written, renamed or removed.
 *
 * Linux gives an open folder a path (`/proc/self/fd/N`). Other systems do not: there the parts are compared with their descriptors by
 * device and inode, before and after each step, and what was opened or made with what then stands at its path. So a swap that was taken
 * back in between is noticed too: nothing of another file is read, and nothing is written into one; an empty file or folder may be left
 * elsewhere. No script is locked in a sandbox on those systems, so none gets out of it.
 */
import fs from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorCode, UserError } from '../../errors.ts';
import { tempBeside, writeAll } from './staged-file.ts';

// Syncing waits for the disk: never on the main thread.
const fsync = promisify(fs.fsync);
const read = promisify(fs.read);
const PIECE = 1024 * 1024;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = fs.constants;
const hasFolderPaths = process.platform === 'linux' && fs.existsSync('/proc/self/fd');

const REPLACED = 'A folder was replaced while a file in it was being used.';

/** A regular file that is held open: whoever reads it by its descriptor or its path reads this one. */
export interface HeldFile {
  fd: number;
  /** Leads to the open file, for what reads by a path: threads, and programs that this process starts. */
  path: string;
  stat: fs.Stats;
}

/** What stands at a path is nothing that is used: a link, say. */
export class PathRefused extends UserError {
  override name = 'PathRefused';
}

export interface Entry {
  name: string;
  isFile: boolean;
  isFolder: boolean;
}

/** Which folder a path led to when it was opened. */
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

  /** The folder from which names are meant. It is the gateway's own, and may be a link of a person. */
  static root(folder: string): HeldFolder {
    const real = fs.realpathSync.native(folder);
    return new HeldFolder(real, real, []);
  }

  /** A folder in this one. Throws Node's errors: ENOENT; ENOTDIR or ELOOP for a link and for what is no folder. */
  folder(name: string): HeldFolder {
    return new HeldFolder(this.at(name), path.join(this.#parts.at(-1)?.path ?? '', name), this.#parts);
  }

  /** Makes a folder in this one; false where something of that name is there. */
  make(name: string): boolean {
    try {
      fs.mkdirSync(this.at(name), { mode: 0o700 });
      // Where only its path can tell, it may have been made elsewhere.
      if (!hasFolderPaths && !this.stat(name)?.isDirectory()) throw new PathRefused(REPLACED);
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** Throws Node's errors; ELOOP for a link. */
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

  /** The path of an entry, for a call that does not follow it. */
  at(name: string): string {
    if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name)) throw new Error('not the name of an entry');
    this.check();
    return path.join(this.#at, name);
  }

  entries(): Entry[] {
    const found = fs.readdirSync(this.#at, { withFileTypes: true });
    this.check();
    // Where only its path can tell, the names may be another's: those that are here count.
    const here = hasFolderPaths ? found : found.filter((one) => this.stat(one.name) !== undefined);
    return here.map((one) => ({ name: one.name, isFile: one.isFile(), isFolder: one.isDirectory() }));
  }

  /** Of the entry itself; undefined where there is none. */
  stat(name: string): fs.BigIntStats | undefined {
    return fs.lstatSync(this.at(name), { bigint: true, throwIfNoEntry: false });
  }

  /** A path for a temporary file in this folder. */
  temp(): string {
    const { dev = 0, ino = 0 } = this.#parts.at(-1) ?? {};
    return tempBeside(this.at('temp'), `${dev}:${ino}`);
  }

  sync(): Promise<void> {
    return fsync(this.#fd);
  }

  /** Whether every folder on the way is still the one that was opened, where only its path can tell. */
  check(): void {
    if (hasFolderPaths) return;
    for (const { path: file, dev, ino } of this.#parts) {
      const there = fs.lstatSync(file, { throwIfNoEntry: false });
      if (there?.dev !== dev || there.ino !== ino) throw new PathRefused(REPLACED);
    }
  }

  /** Whether an open file is the one of this name here, where only its path can tell. */
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
  /** Folders that are missing are made. */
  isMade?: boolean;
  /** They are on the disk when they are used. */
  sync?: boolean;
}

/**
 * Uses the folder that `names` lead to below `root`. Undefined where there is none.
 * @throws UserError for a link on the way, and for what is no folder
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
  { isMade = false, sync = false }: Making,
): Promise<HeldFolder | undefined> {
  if (!isMade) return holdFolder(root, names);
  for (const [index, name] of names.entries()) {
    const above = holdFolder(root, names.slice(0, index));
    try {
      if (above?.make(name) && sync) await above.sync();
    } finally {
      above?.close();
    }
  }
  return holdFolder(root, names);
}

/**
 * The folder that `names` lead to below `root`, to be closed. Undefined where there is none.
 * @throws UserError for a link on the way, and for what is no folder
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
    throw refusal(names, error);
  }
}

/**
 * Uses the regular file that `names` lead to below `root`, held open. Undefined where there is none.
 * @throws UserError for a link, for what is no regular file, and for what may not be opened
 */
export function useFile<T>(
  root: string,
  names: readonly string[],
  use: (file: HeldFile) => T | Promise<T>,
): Promise<T | undefined> {
  return useFolder(root, names.slice(0, -1), async (folder) => {
    if (names.length === 0) throw refused(['.'], NO_FILE);
    const file = openFile(folder, names);
    if (file === undefined) return undefined;
    try {
      if (!file.stat.isFile()) throw refused(names, NO_FILE);
      return await use(file);
    } finally {
      fs.closeSync(file.fd);
    }
  });
}

/**
 * A file of a task, or another that stands in a folder of ours, open. Neither may be a link; what is above belongs to the owner, who may
 * have moved it. Rejects with ENOENT where it is gone or has become something else.
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
  throw Object.assign(new Error(`ENOENT: ${path.basename(file)} is gone, or is no file any more`), { code: 'ENOENT' });
}

/** The bytes of such a file. */
export async function readKept(file: string): Promise<Buffer> {
  const handle = await openKept(file);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Undefined where there is none. Throws UserError for a link, and for what may not be opened. */
export function openFile(folder: HeldFolder, names: readonly string[]): HeldFile | undefined {
  try {
    return folder.file(names.at(-1) ?? '');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw refusal(names, error);
  }
}

/** What is in an open file, from its beginning. Throws UserError where it has become larger than `maxBytes`. */
export async function readBytes(fd: number, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let length = 0; ; ) {
    const { bytesRead, buffer } = await read(fd, Buffer.alloc(PIECE), 0, PIECE, length);
    if (bytesRead === 0) return Buffer.concat(parts);
    parts.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
    if (length > maxBytes) throw new UserError('The file is growing while it is read.');
  }
}

/**
 * Puts a file in place below `root` with one rename, after its bytes are on the disk; folders that are missing are made.
 * @param isNew nothing of that name may be there
 * @throws UserError for a link, and where a folder stands in its place
 */
export async function putFile(
  root: string,
  names: readonly string[],
  bytes: Uint8Array,
  { mode = 0o600, sync = true, isNew = false } = {},
): Promise<void> {
  const name = names.at(-1) ?? '';
  if (name === '') throw refused(['.'], 'it is a folder');
  const put = async (folder: HeldFolder) => {
    const stands = folder.stat(name);
    if (stands?.isDirectory()) throw refused(names, 'it is a folder');
    if (stands && !stands.isFile()) throw refused(names, stands.isSymbolicLink() ? LINK : NO_FILE);
    if (stands && isNew) throw refused(names, 'it is there already');
    const temp = folder.temp();
    try {
      await write(temp, bytes, { mode, sync, check: (fd) => folder.checkOpened(fd, path.basename(temp)) });
      fs.renameSync(temp, folder.at(name));
      folder.check();
    } catch (error) {
      fs.rmSync(temp, { force: true });
      throw errorCode(error) === 'ENOENT' ? gone(names, error) : refusal(names, error);
    }
    if (sync) await folder.sync();
    return true;
  };
  // Somebody may take away a folder that has just been made.
  if (!(await useFolder(root, names.slice(0, -1), put, { isMade: true, sync })))
    throw refused(names, 'its folder is gone');
}

/** @param check before the first byte is written */
async function write(
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

const gone = (names: readonly string[], cause?: unknown): PathRefused => refused(names, 'its folder is gone', cause);

const LINK = 'links are not followed';
const NO_FILE = 'it is not a regular file';

/** Why a step of the system's was refused; the error itself where that says nothing about the path. */
function refusal(names: readonly string[], error: unknown): unknown {
  const code = errorCode(error) ?? '';
  if (code === 'ELOOP' || code === 'ENOTDIR')
    return refused(names, `a part of it is a link or no folder: ${LINK}`, error);
  if (code === 'EISDIR' || code === 'ENOTEMPTY') return refused(names, 'it is a folder', error);
  if (code === 'EACCES' || code === 'EPERM') return refused(names, 'it may not be opened', error);
  if (code === 'ENXIO' || code === 'ENODEV') return refused(names, NO_FILE, error);
  if (code === 'ENAMETOOLONG') return refused(names, 'a name in it is too long', error);
  return error;
}

const refused = (names: readonly string[], why: string, cause?: unknown): PathRefused =>
  new PathRefused(`"${names.join('/').slice(0, 100)}" cannot be used: ${why}.`, { cause });
