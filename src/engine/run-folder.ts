/**
 * Folders for locks and sockets when several processes share a home. They belong to this machine; other machines never
 * see them. Each process locks its own with a lock of the operating system, so the folder of a process that ended is
 * reused.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { errorCode, errorMessage, LockedError, WorkspaceError } from '../errors.ts';
import { acquireLock } from './local/lock.ts';

export interface RunFolder {
  folder: string;
  release(): void;
}

type Env = Record<string, string | undefined>;

/** Most processes of one home on one machine. */
const MOST = 256;

/**
 * @throws LockedError when another process has the chosen folder
 * @throws WorkspaceError when it can't be used
 */
export function openRunFolder(home: string, env: Env, chosen?: string): RunFolder {
  if (chosen !== undefined) return openChosen(chosen);
  const all = folderFor(bases(env)[0] ?? os.tmpdir(), home);
  for (let n = 1; n <= MOST; n++) {
    try {
      return locked(path.join(all, String(n)));
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
    }
  }
  throw new LockedError(`${MOST} gateways of this machine use ${home} already`);
}

/** Lists the folders that processes of this machine have for a home, in use or not. */
export function runFolders(home: string, env: Env): string[] {
  return bases(env).flatMap((base) => {
    const all = folderFor(base, home);
    if (!fs.existsSync(all) || !isMine(all)) return [];
    const names = fs.readdirSync(all).filter((name) => /^\d+$/.test(name));
    return names.sort((a, b) => Number(a) - Number(b)).map((name) => path.join(all, name));
  });
}

function openChosen(folder: string): RunFolder {
  try {
    return locked(folder);
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new LockedError(`another gateway uses ${folder}; give each its own engine.runDir, or none`, { cause: error });
  }
}

function locked(folder: string): RunFolder {
  try {
    // Others with write access above this folder must not control its contents.
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(folder, errorMessage(error), error);
  }
  if (!isMine(folder)) throw unusable(folder, "it belongs to somebody else, or isn't a folder");
  if (!isMine(path.dirname(path.dirname(folder))) && isOurFolder(folder))
    throw unusable(folder, 'the folder above it belongs to somebody else');
  fs.chmodSync(folder, 0o700);
  return { folder, release: acquireLock(folder).release };
}

/**
 * Returns the home's folder, below one folder for all gateways of this user. Short, since a socket's path is limited to
 * about a hundred characters.
 */
function folderFor(base: string, home: string): string {
  const real = fs.existsSync(home) ? fs.realpathSync(home) : path.resolve(home);
  return path.join(base, NAME, createHash('sha256').update(real).digest('hex').slice(0, 12));
}

const uid = process.getuid?.() ?? 0;
const NAME = `openviber-${uid}`;
const isOurFolder = (folder: string) => path.basename(path.dirname(path.dirname(folder))) === NAME;

/** Lists possible parents. New folders go into the first; a login may lack the one that a service has. */
function bases({ XDG_RUNTIME_DIR }: Env): string[] {
  const given = XDG_RUNTIME_DIR !== undefined && path.isAbsolute(XDG_RUNTIME_DIR) ? [XDG_RUNTIME_DIR] : [];
  const all = [...given, `/run/user/${uid}`, os.tmpdir()];
  return [...new Set(all)].filter((base) => isWritable(base));
}

function isWritable(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

function isMine(folder: string): boolean {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === uid;
}

const unusable = (folder: string, why: string, cause?: unknown) =>
  new WorkspaceError(`${folder} cannot be used: ${why}. Choose another with engine.runDir.`, { cause });
