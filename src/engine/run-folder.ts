/**
 * Where a process keeps its lock and sockets when several share a home: a folder of this machine, which other machines never see.
 * Each process has its own, kept by a lock of the operating system, so that a folder whose process is gone is used again.
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

/** Processes of one home on one machine. */
const MOST = 256;

/** Throws LockedError when another process has the folder that was chosen, WorkspaceError for one that cannot be used. */
export function openRunFolder(home: string, env: Env, chosen?: string): RunFolder {
  if (chosen !== undefined) return ofOneself(chosen);
  const all = place(bases(env)[0] ?? os.tmpdir(), home);
  for (let n = 1; n <= MOST; n++) {
    try {
      return locked(path.join(all, String(n)));
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
    }
  }
  throw new LockedError(`${MOST} gateways of this machine use ${home} already`);
}

/** The folders that processes of this machine have for a home, used now or not. */
export function runFolders(home: string, env: Env): string[] {
  return bases(env).flatMap((base) => {
    const all = place(base, home);
    if (!fs.existsSync(all) || !isMine(all)) return [];
    const names = fs.readdirSync(all).filter((name) => /^\d+$/.test(name));
    return names.sort((a, b) => Number(a) - Number(b)).map((name) => path.join(all, name));
  });
}

function ofOneself(folder: string): RunFolder {
  try {
    return locked(folder);
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new LockedError(`another gateway uses ${folder}; give each its own engine.runDir, or none`, { cause: error });
  }
}

function locked(folder: string): RunFolder {
  try {
    // Whoever else may write above it must not choose what stands in it.
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(folder, errorMessage(error), error);
  }
  if (!isMine(folder)) throw unusable(folder, 'it belongs to somebody else, or is no folder');
  if (!isMine(path.dirname(path.dirname(folder))) && isOurs(folder))
    throw unusable(folder, 'the folder above it belongs to somebody else');
  fs.chmodSync(folder, 0o700);
  return { folder, release: acquireLock(folder).release };
}

/** Below one for all gateways of this user; short, since the name of a socket may have a hundred characters. */
function place(base: string, home: string): string {
  const real = fs.existsSync(home) ? fs.realpathSync(home) : path.resolve(home);
  return path.join(base, NAME, createHash('sha256').update(real).digest('hex').slice(0, 12));
}

const uid = process.getuid?.() ?? 0;
const NAME = `openviber-${uid}`;
const isOurs = (folder: string) => path.basename(path.dirname(path.dirname(folder))) === NAME;

/** The first is where new ones are made: what a service is given, a login may lack. */
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
