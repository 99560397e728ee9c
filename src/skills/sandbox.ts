/**
 * The sandbox for scripts: bubblewrap, where it is installed and really works. Inside are the system's programs
 * (read-only), the work folder (writable), the skill's own folder (read-only) and a private home; no other file of this
 * machine, no other process, and no network. With `proxy`, the only connections out go through this program.
 */
import { execFile } from 'node:child_process';
import { access, constants, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../errors.ts';

export interface SandboxOrder {
  /** Writable, under its own path. */
  work: string;
  /** Its descriptor, if the sandbox accepts one: anything that replaces the folder then isn't shown. */
  workFd?: number;
  /** The descriptor of a file with the calls that it refuses. */
  filterFd?: number;
  /** Parts of it that are mounts of their own. */
  guards: readonly { at: string; isReadOnly: boolean }[];
  /** The folder in it where the command begins; absent: the work folder itself. */
  chdir?: string;
  /** More arguments that mount something, after the private home. */
  mounts?: readonly string[];
  /** Files of `run` that replace those of /etc. */
  names?: readonly string[];
  /** Private folder of this run: `script`, `passwd`, `group` (readable), `home` (writable). */
  run: string;
  skillFolder?: string;
  /** Another folder that it may read. */
  readable?: string;
  /** A program outside the system's folders that may still run. */
  program?: string;
  /** The proxy's socket and the program that uses it inside; absent for no network. */
  proxy?: { socket: string; node: string };
  /** It is started in the network of another sandbox, and stays there. */
  joins?: { hasProxy: boolean };
}

export interface Sandbox {
  /** Absolute path of the program. */
  command: string;
  /** Whether it can mount an open folder, and closes it before anything runs inside. */
  takesOpen: boolean;
  /**
   * Returns its arguments up to the command to run inside. It reports on descriptor 3 which process is the first
   * inside; that one waits for descriptor 4 once all is mounted.
   */
  args(order: SandboxOrder): Promise<string[]>;
  /**
   * Returns the same for a program that only reads this folder, in which it runs.
   * @param fd its descriptor there, if the sandbox accepts one
   */
  readOnly(folder: string, fd: number | undefined): string[];
  /** Returns the same for a program of ours that sees these files, and whose network other sandboxes join. */
  host(files: readonly string[]): string[];
  /** Returns whether a sandbox works in the network that these words before its command enter. */
  worksIn(enter: readonly string[]): Promise<boolean>;
}

/** The system's program folders. Other folders of the PATH don't exist inside. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/run/current-system'];
/** Files that programs need to start: libraries, links to alternatives, the time zone, fonts. */
const ETC = ['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'localtime', 'fonts'].map(inEtc);
/** Names and certificates. */
const ETC_NETWORK = [
  ...['resolv.conf', 'hosts', 'nsswitch.conf', 'gai.conf', 'services', 'protocols'],
  ...['ssl', 'pki', 'ca-certificates', 'ca-certificates.conf', 'crypto-policies'],
].map(inEtc);
/** Bytes of /tmp and of /dev/shm inside, which are in memory. */
const TMP_BYTES = 256 * 1024 * 1024;
/** Forbids user namespaces, whose owner could mount anything and reach kernel features closed to others. */
const NO_NAMESPACES = ['--unshare-user', '--disable-userns'];
export const IN_MEMORY = ['/tmp', '/dev/shm'];
/** Against hanging alone: the answer holds until the gateway ends, and a machine may be busy. */
const PROBE_MS = 60_000;

let probed: Promise<Sandbox | undefined> | undefined;

/**
 * Returns the sandbox, or undefined if there is none. The first call tries it out (about 10 ms); later ones use the
 * result.
 */
export function findSandbox(): Promise<Sandbox | undefined> {
  probed ??= probe();
  return probed;
}

/** Returns whether scripts run in a sandbox here. Otherwise each run needs a person's consent (promise 55). */
export async function hasSandbox(): Promise<boolean> {
  return (await findSandbox()) !== undefined;
}

/** Returns whether a file is where the sandbox shows it: among the system's programs. */
export const isSystemFile = (file: string): boolean => SYSTEM.some((root) => file.startsWith(`${root}/`));

/** Returns the folders to search for programs, in order; inside the sandbox only the system's. */
export function searchPath(inSandbox: boolean, variable = process.env.PATH ?? ''): string[] {
  const named = variable.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const usual = ['/usr/local/bin', '/usr/bin', '/bin'];
  const isSystem = (folder: string) => SYSTEM.some((root) => folder === root || folder.startsWith(`${root}/`));
  return [...new Set([...named.map((folder) => path.normalize(folder)), ...usual])].filter(
    (folder) => !inSandbox || isSystem(folder),
  );
}

/** Returns the absolute path of a program, or undefined. Runs nothing. */
export async function findProgram(name: string, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const file = path.join(folder, name);
    try {
      await access(file, constants.X_OK);
      return file;
    } catch (error) {
      if (!['ENOENT', 'EACCES', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(errorCode(error) ?? '')) throw error;
    }
  }
  return undefined;
}

/**
 * Finds the sandbox's program. Replacing it would grant everything the gateway has, so it is taken only from system
 * folders, on the PATH where there is one, and only if nobody but root can change it.
 */
export async function findBubblewrap(variable = process.env.PATH ?? ''): Promise<string | undefined> {
  const named = variable.split(path.delimiter).map((folder) => path.normalize(folder));
  const folders = searchPath(true, variable).filter((folder) => variable === '' || named.includes(folder));
  return findTrusted('bwrap', folders);
}

/**
 * Returns the first program of this name that root owns, with every folder above it, and that nobody else may change.
 */
export async function findTrusted(name: string, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const found = await findProgram(name, [folder]);
    const file = found && (await realpath(found));
    if (file && (await isRootsAlone(file))) return file;
  }
  return undefined;
}

async function isRootsAlone(file: string): Promise<boolean> {
  for (let at = file; ; at = path.dirname(at)) {
    const { uid, mode } = await stat(at);
    // Nobody can replace root's files in a sticky folder.
    const isOthers = (mode & 0o022) !== 0 && (at === file || (mode & 0o1000) === 0);
    if (uid !== 0 || isOthers) return false;
    if (at === path.dirname(at)) return true;
  }
}

/** Returns what bubblewrap says where it is installed and doesn't work; '' if it says nothing. */
export async function whyNoSandbox(): Promise<string> {
  const command = await findBubblewrap();
  if (command === undefined) return '';
  const { said } = await tryOut(command, await baseArgs([]));
  return said.trim().split('\n').at(-1) ?? '';
}

async function probe(): Promise<Sandbox | undefined> {
  if (process.platform !== 'linux') return undefined;
  const command = await findBubblewrap();
  if (!command) return undefined;
  // Older versions can't limit /tmp, or keep scripts from making their own in-memory file systems.
  const size = ['--size', String(TMP_BYTES)];
  for (const [own, tmpSize] of [
    [NO_NAMESPACES, size],
    [[], size],
    [[], []],
  ] as const) {
    const base = [...own, ...(await baseArgs(tmpSize))];
    if (await works(command, base))
      return {
        command,
        takesOpen: await says(command, '--bind-fd'),
        args: async (order) => [...base, ...(await orderArgs(order))],
        readOnly: (folder, fd) => [
          ...base,
          ...(fd === undefined ? ['--ro-bind', folder] : ['--ro-bind-fd', String(fd)]),
          ...[folder, '--remount-ro', '/', '--chdir', folder, '--info-fd', '3', '--'],
        ],
        // Those that join need user namespaces of their own below this one.
        host: (files) => [
          ...['--unshare-user', ...base.slice(own.length), ...showing(files)],
          ...['--remount-ro', '/', '--info-fd', '3', '--'],
        ],
        worksIn: ([first = '', ...enter]) => works(first, [...enter, command, ...base, '--share-net']),
      };
  }
  return undefined;
}

const says = (command: string, option: string): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(command, ['--help'], { timeout: PROBE_MS, env: {} }, (_error, stdout, stderr) =>
      resolve(`${stdout}${stderr}`.includes(`${option} `)),
    );
  });

async function works(command: string, base: string[]): Promise<boolean> {
  return (await tryOut(command, base)).works;
}

/**
 * Tries the sandbox out. Being installed isn't enough: containers and some kernels refuse namespaces, and the machine's
 * settings must be out of reach.
 */
function tryOut(command: string, base: string[]): Promise<{ works: boolean; said: string }> {
  const args = [
    ...base,
    '--remount-ro',
    '/',
    '--',
    '/bin/sh',
    '-c',
    '[ -w /proc/sys/kernel/core_pattern ] || echo works',
  ];
  return new Promise((resolve) => {
    execFile(command, args, { timeout: PROBE_MS, env: {} }, (error, stdout, said) =>
      resolve({ works: !error && stdout === 'works\n', said }),
    );
  });
}

async function baseArgs(tmpSize: readonly string[]): Promise<string[]> {
  return [
    ...['--unshare-all', '--cap-drop', 'ALL', '--die-with-parent', '--new-session', '--hostname', 'viber'],
    ...SYSTEM.flatMap((folder) => ['--ro-bind-try', folder, folder]),
    ...(await bindReadable(ETC)),
    // As root, bubblewrap leaves /proc/sys writable: settings of the whole machine.
    ...['--proc', '/proc', '--remount-ro', '/proc'],
    ...['--dev', '/dev', ...tmpSize, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...[...tmpSize, '--tmpfs', '/tmp'],
  ];
}

async function orderArgs({
  work,
  workFd,
  filterFd,
  guards,
  chdir = work,
  mounts = [],
  names = [],
  run,
  skillFolder,
  readable: other,
  program,
  proxy,
  joins,
}: SandboxOrder): Promise<string[]> {
  const own = (name: string, at = path.join(run, name)) => [path.join(run, name), at];
  return [
    ...(joins ? ['--share-net'] : []),
    ...(filterFd === undefined ? [] : ['--seccomp', String(filterFd)]),
    ...(proxy || joins?.hasProxy ? await bindReadable(ETC_NETWORK) : []),
    // The work folder may be inside it.
    ...(other ? ['--ro-bind', other, other] : []),
    ...(workFd === undefined ? ['--bind', work] : ['--bind-fd', String(workFd)]),
    ...[work, ...guards.flatMap(({ at, isReadOnly }) => [isReadOnly ? '--ro-bind' : '--bind', at, at])],
    ...(skillFolder ? ['--ro-bind', skillFolder, skillFolder] : []),
    ...showing([program, proxy?.node, proxy?.socket].filter((file) => file !== undefined)),
    ...['--ro-bind', ...own('script'), '--bind', ...own('home')],
    ...['passwd', 'group', ...names].flatMap((name) => ['--ro-bind', ...own(name, inEtc(name))]),
    ...mounts,
    ...['--remount-ro', '/', '--chdir', chdir, '--info-fd', '3', '--block-fd', '4', '--'],
  ];
}

const showing = (files: readonly string[]): string[] =>
  [...new Set(files)].flatMap((file) => ['--ro-bind', file, file]);

/** Binds links as their target, which may not exist inside. */
async function bindReadable(files: readonly string[]): Promise<string[]> {
  const args: string[] = [];
  for (const file of files) {
    try {
      args.push('--ro-bind-try', await realpath(file), file);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  return args;
}

function inEtc(name: string): string {
  return `/etc/${name}`;
}
