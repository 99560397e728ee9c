/**
 * Runs programs in a root filesystem, as a container engine does: with bubblewrap, started by root. Its mounts and processes end
 * with it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { text } from 'node:stream/consumers';

export interface Inside {
  root: string;
  env: Readonly<Record<string, string>>;
  /** 0 unless told. Without rights of root: no capability is left. */
  user?: number;
  folder?: string;
  /** Folders of this machine, by their place inside. */
  volumes?: Readonly<Record<string, string>>;
  /** Files and folders of this machine that can only be read, by their place inside, which must be there. */
  shown?: Readonly<Record<string, string>>;
  isReadOnly?: boolean;
  /** A file with compiled rules for system calls, for a user without rights. */
  filter?: string;
  /** Covers parts of /proc, as engines do unless told. */
  isProcMasked?: boolean;
}

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Parts of /proc that every kernel has. */
const MASKS = ['/proc/interrupts', '/proc/timer_list'];

/** Where the rules for system calls are shown. */
const FILTER = '/run/filter';

function argsOf({ root, env, user = 0, folder = '/', volumes = {}, shown = {}, isReadOnly, filter }: Inside): string[] {
  return [
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--die-with-parent', '--clearenv'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...[isReadOnly ? '--ro-bind' : '--bind', root, '/', '--dev', '/dev'],
    ...['--perms', '1777', '--tmpfs', '/tmp', '--tmpfs', '/run'],
    ...Object.entries(volumes).flatMap(([at, from]) => ['--bind', from, at]),
    ...Object.entries({ ...shown, ...(filter !== undefined && { [FILTER]: filter }) }).flatMap(([at, from]) => [
      ...['--ro-bind', from, at],
    ]),
    ...['--chdir', folder],
    ...(user === 0 ? [] : RIGHTS.flatMap((name) => ['--cap-add', name])),
  ];
}

/** Of root, until it becomes the user. */
const RIGHTS = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP', 'CAP_SYS_ADMIN'];

/**
 * Mounts /proc as an engine does, which bubblewrap would do with some of its parts covered, then runs the command. The
 * kernel gives a sandbox inside a /proc of its own only where nothing of this one is covered.
 */
const withProc = (isMasked: boolean): string[] => [
  ...['/bin/sh', '-c'],
  [
    'mount -t proc -o nosuid,nodev,noexec proc /proc',
    ...(isMasked ? MASKS.map((file) => `mount --bind /dev/null ${file}`) : []),
    'exec "$@"',
  ].join(' && '),
  'sh',
];

/** Leaves the rights of root, as `docker run --user --cap-drop ALL` does. */
const asUser = (user: number, filter: string | undefined): string[] => [
  // biome-ignore format: a list is filled
  ...[
    'setpriv', '--reuid', `${user}`, '--regid', `${user}`, '--clear-groups', '--inh-caps=-all', '--bounding-set=-all',
  ],
  ...['--no-new-privs', ...(filter === undefined ? [] : ['--seccomp-filter', FILTER]), '--'],
];

export function startInside(inside: Inside, command: readonly string[]): ChildProcess {
  const { user = 0, filter, isProcMasked = false } = inside;
  const words = [...withProc(isProcMasked), ...(user === 0 ? [] : asUser(user, filter)), ...command];
  return spawn('bwrap', [...argsOf(inside), '--', ...words], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH },
  });
}

/** Starts a command beside one that runs already, as `docker exec` does. */
export function startBeside(running: ChildProcess, inside: Inside, command: readonly string[]): ChildProcess {
  const { env, user = 0, folder = '/', filter } = inside;
  const [first = ''] = fs.readFileSync(`/proc/${running.pid}/task/${running.pid}/children`, 'utf8').split(' ');
  const enter = ['--target', first, '--mount', '--pid', '--ipc', '--uts', '--root', '--'];
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const words = [
    'env',
    '--ignore-environment',
    `--chdir=${folder}`,
    ...pairs,
    ...(user === 0 ? [] : asUser(user, filter)),
    ...command,
  ];
  return spawn('nsenter', [...enter, ...words], { stdio: ['pipe', 'pipe', 'pipe'], env: { PATH: process.env.PATH } });
}

interface Given {
  input?: string;
  timeoutMs?: number;
}

/** Waits for the end of a command. */
export async function ended(child: ChildProcess, { input = '', timeoutMs = 600_000 }: Given = {}): Promise<Ended> {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('it has no streams');
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  stdin.on('error', () => undefined).end(input);
  const closed = new Promise<number>((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve(code ?? -1));
  });
  const [out, err, code] = await Promise.all([text(stdout), text(stderr), closed]);
  clearTimeout(timer);
  return { code, out, err };
}

export const runInside = (inside: Inside, command: readonly string[], given: Given = {}): Promise<Ended> =>
  ended(startInside(inside, command), given);

/** @throws with what it said unless it ended well */
export function outputOf({ code, out, err }: Ended, command: readonly string[]): string {
  if (code === 0) return out;
  throw new Error(`${command.join(' ')} ended with ${code}:\n${`${out}\n${err}`.trim().slice(-4_000)}`);
}

export const mustRunInside = async (inside: Inside, command: readonly string[], given: Given = {}): Promise<string> =>
  outputOf(await runInside(inside, command, given), command);
