/**
 * Checks a sandbox before anything runs in it. Bubblewrap mounts by path, while a command that runs in the same folder
 * may swap a part of that path for a link: the mount then shows what the link leads to, anywhere on this machine.
 * Invariant: nothing runs in a sandbox before each mount of the work folder is at its place, and shows that place.
 */
import { execFile } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../errors.ts';
import { findTrusted, searchPath } from './sandbox.ts';

/** A mount in the work folder. */
export interface Guard {
  at: string;
  isReadOnly: boolean;
}

/** The work folder, and a descriptor of it. */
export interface HeldWork {
  folder: string;
  fd: number;
}

interface Mount {
  id: string;
  device: string;
  /** The path in its own file system of what it shows. */
  root: string;
  at: string;
  isReadOnly: boolean;
}

/** Thrown when the sandbox doesn't show what it should. Trying again may help. */
export class SandboxFailure extends Error {
  override name = 'SandboxFailure';
}

const SETUP_MS = 10_000;
/** Where bubblewrap builds what becomes the root once all is mounted. */
const BUILT_AT = '/newroot';
/** Numbers that the kernel keeps back from processes once they were all used. */
const RESERVED_PIDS = 300;
const LIMIT_MS = 5_000;

/**
 * Waits until all is mounted, then checks it.
 * @param first the first process inside, which waits
 * @param works the folders that it may write; all guards are in one of them
 * @throws SandboxFailure
 */
export async function checkMounts(first: number, works: readonly HeldWork[], guards: readonly Guard[]): Promise<void> {
  const inside = await untilMounted(first);
  const own = readMounts('self');
  for (const { at, isReadOnly } of [...works.map(({ folder }) => ({ at: folder, isReadOnly: false })), ...guards]) {
    const work = works.find(({ folder }) => `${at}/`.startsWith(`${folder}/`));
    const wanted = work && wantedMount(at, work, own);
    // What was mounted last covers what was there before.
    const shown = inside.findLast((mount) => mount.at === at);
    const isThere =
      shown !== undefined &&
      shown.device === wanted?.device &&
      shown.root === wanted.root &&
      (shown.isReadOnly || !isReadOnly);
    if (!isThere) throw new SandboxFailure(`${at} was replaced while the sandbox was set up`);
  }
}

async function untilMounted(first: number): Promise<Mount[]> {
  for (const until = performance.now() + SETUP_MS; performance.now() < until; await sleep(1)) {
    const mounts = readMounts(first);
    if (mounts.some(({ at, root }) => at === '/' && root === BUILT_AT)) return mounts;
  }
  throw new SandboxFailure('the sandbox was not set up in time');
}

/** Returns what a mount at this path, which shows this path, has to show. */
function wantedMount(at: string, { folder, fd }: HeldWork, own: readonly Mount[]): Mount | undefined {
  const [, id] = /^mnt_id:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1')) ?? [];
  const below = own.filter((mount) => mount.at.startsWith(`${folder}/`) && `${at}/`.startsWith(`${mount.at}/`));
  const [holder] = [...below].sort((a, b) => b.at.length - a.at.length);
  const mount = holder ?? own.find((each) => each.id === id);
  return mount && { ...mount, root: path.join(mount.root, path.relative(mount.at, at)) };
}

/** Lists what is mounted for a process, in order. */
function readMounts(pid: number | 'self'): Mount[] {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
  } catch (error) {
    // It has ended before.
    if (['ENOENT', 'ESRCH', 'EINVAL'].includes(errorCode(error) ?? ''))
      throw new SandboxFailure('the sandbox has ended');
    throw error;
  }
  return text.split('\n').flatMap((line) => {
    const [id, , device, root, at, options] = line.split(' ').map(decodeOctal);
    if (!id || !device || !root || !at) return [];
    return [{ id, device, root, at, isReadOnly: options?.split(',').includes('ro') === true }];
  });
}

const decodeOctal = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

let nsenter: Promise<string | undefined> | undefined;

/**
 * Bounds the processes of a sandbox where the kernel's limit for a user doesn't hold, which is for root. Does nothing
 * where it can't.
 */
export async function limitProcesses(first: number, most: number): Promise<void> {
  if (process.getuid?.() !== 0 || !hasOwnPidLimits(os.release())) return;
  nsenter ??= findTrusted('nsenter', searchPath(true));
  const program = await nsenter;
  const namespace = `/proc/${first}/ns/pid`;
  // The same file means the whole machine to a process outside.
  if (!program || readlinkSync(namespace) === readlinkSync('/proc/self/ns/pid')) return;
  const write = `echo ${most + RESERVED_PIDS} > /proc/sys/kernel/pid_max`;
  const args = [`--pid=${namespace}`, '--', '/bin/sh', '-c', write];
  await new Promise<void>((resolve) => execFile(program, args, { timeout: LIMIT_MS, env: {} }, () => resolve()));
}

/** Returns whether each PID namespace has a limit of its own: since Linux 6.14. */
export function hasOwnPidLimits(release: string): boolean {
  const [major = 0, minor = 0] = release.split('.').map(Number.parseFloat);
  return major > 6 || (major === 6 && minor >= 14);
}
