/** A separate disk that can be filled and made read-only while programs write to it. Only root can mount one. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export interface SmallDisk {
  folder: string;
  /** Fills it: nothing more can be written, not even to open files. */
  full(): void;
  /**
   * Makes it read-only: no file can be opened for writing, created, renamed or removed, and open files have no room.
   */
  readOnly(): void;
  /** Restores the initial state. */
  well(): void;
  remove(): void;
}

const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'ignore' });

/** Returns undefined where nothing may be mounted. */
export function mountSmallDisk(root: string, megabytes: number): SmallDisk | undefined {
  const below = path.join(root, 'disk');
  const folder = path.join(root, 'home');
  for (const each of [below, folder]) fs.mkdirSync(each, { recursive: true });
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', below);
  } catch {
    return undefined;
  }
  const inside = path.join(below, 'home');
  fs.mkdirSync(inside, { mode: 0o700 });
  run('mount', '--bind', inside, folder);
  const ballast = path.join(below, 'ballast');
  let isCovered = false;
  let isGone = false;

  function fill(): void {
    const to = fs.openSync(ballast, 'a');
    try {
      for (const size of [1 << 20, 1 << 12]) for (let end = false; !end; ) end = !writes(to, size);
    } finally {
      fs.closeSync(to);
    }
  }

  const disk: SmallDisk = {
    folder,
    full: fill,
    readOnly() {
      fill();
      // A file system can't be made read-only while files are open for writing, but another mount in its place can.
      run('mount', '--bind', inside, folder);
      run('mount', '-o', 'remount,bind,ro', folder);
      isCovered = true;
    },
    well() {
      if (isCovered) run('umount', '--lazy', folder);
      isCovered = false;
      fs.rmSync(ballast, { force: true });
    },
    remove() {
      if (isGone) return;
      isGone = true;
      disk.well();
      for (const each of [folder, below]) run('umount', '--lazy', each);
    },
  };
  return disk;
}

function writes(file: number, size: number): boolean {
  try {
    return fs.writeSync(file, Buffer.alloc(size)) === size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false;
    throw error;
  }
}
