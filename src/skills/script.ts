/**
 * Runs scripts (promises 54 and 55). Nothing is substituted into a script file; parameters are variables in an
 * environment that holds nothing else of ours. It runs in its own process group, bounded in time, output, memory and
 * files, in the given folder, and in the sandbox where there is one.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, UserError } from '../errors.ts';
import { memoryLimitMb } from '../lib/memory-watch.ts';
import { FIRST_TO_GO, LIFELINE } from '../lib/process-group.ts';
import { systemTimezone } from '../lib/timezone.ts';
import type { Shell } from './fences.ts';
import { repositoriesIn } from './repositories.ts';
import { createRunFolder, removeRunFolder } from './run-folder.ts';
import { runProcess } from './run-process.ts';
import { findProgram, findSandbox, IN_MEMORY, type Sandbox, searchPath } from './sandbox.ts';
import { openScriptProxy, PROXY_VARIABLES, type ScriptProxy, withProxy } from './script-proxy.ts';

export { hasSandbox } from './sandbox.ts';

export interface ScriptOrder {
  script: { shell: Shell; text: string };
  /** Runs instead of the script, in the sandbox or not at all. */
  program?: { command: readonly string[]; stdin?: string; visible?: string; env: Readonly<Record<string, string>> };
  /** From `toVariables`. */
  variables: Readonly<Record<string, string>>;
  /** Variables granted to the skill (`skills.env.NAME`): in the environment, and masked in the output. */
  granted?: Readonly<Record<string, string>>;
  /** Absolute path of the work folder; it must exist. */
  cwd: string;
  /** The skill's own folder; the script gets its path in SKILL_DIR. */
  skillFolder?: string;
  /** Absolute path of a folder that it may read; the script gets it in OPENVIBER_FILES. */
  readable?: string;
  /** Allows the public internet, by http and https; without a sandbox whatever this machine reaches. */
  network?: boolean;
  /** Other hosts it may reach, for tests. */
  reach?: Parameters<typeof openScriptProxy>[1];
  /** 60 s by default. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** If false, runs without the sandbox even if there is one. */
  sandbox?: boolean;
  /** Megabytes for all its processes together; 2 GiB by default, and never more than half of the machine. */
  memoryMb?: number;
}

export interface ScriptResult {
  /** Exit code; null when a signal ended it. */
  code: number | null;
  signal: string | null;
  /** Beginning and end of the output, at most 64 KB each. */
  stdout: string;
  stderr: string;
  /** Bytes written. */
  stdoutBytes: number;
  stderrBytes: number;
  timedOut: boolean;
  /** "used more than 2,048 MB of memory", when it was ended for that. */
  usedMemory?: string;
  /** Whether output was left out. A script that writes more than 8 MB is ended, with `signal` set. */
  truncated: boolean;
  sandboxed: boolean;
  ms: number;
}

/** After the three streams and the sandbox's info descriptor. */
const FIRST_OPEN = 4;
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 64 * 1024;
/** The `ulimit -d` of each process. */
const MEMORY_MB = 2048;

/** Sets each limit that the shell supports; the last one by bash's or dash's option. */
const LIMITS = [
  'ulimit -c 0; ulimit -t "$1"; ulimit -n 1024; ulimit -f 2097152; ulimit -d 2097152',
  '(ulimit -u "$2") 2>/dev/null && ulimit -u "$2" || ulimit -p "$2"',
].join('; ');
const WRAPPER = `{ ${LIMITS}; } 2>/dev/null; shift 2; exec "$@"`;
/** Most processes: inside, the script's alone; outside, all of this user's. */
const MAX_PROCESSES = { inside: '512', outside: '4096' };

/**
 * Runs a script to its end. A script that fails, or is ended for its time or output, is a result, not an error.
 * @throws UserError when it can't be started, with the reason; the signal's reason when it was aborted
 */
export async function runScript(order: ScriptOrder): Promise<ScriptResult> {
  order.signal?.throwIfAborted();
  const cwd = await folderOf(order.cwd);
  const sandbox = order.sandbox === false ? undefined : await findSandbox();
  if (order.program && !sandbox) throw new UserError('There is no sandbox on this machine, so it is not run.');
  const folders = searchPath(sandbox !== undefined);
  const shell = await findProgram(order.script.shell, ['/bin', '/usr/bin', ...folders]);
  if (!shell) throw new UserError(`The script needs ${order.script.shell}; install it.`);
  const run = await createRunFolder(order.script.text, cwd);
  const repositories = sandbox && repositoriesIn(cwd);
  let proxy: ScriptProxy | undefined;
  let work: FileHandle | undefined;
  try {
    if (sandbox?.takesOpen) work = await openFolder(cwd);
    const started = performance.now();
    const marker = randomUUID();
    if (sandbox && order.network) proxy = await openScriptProxy(run, order.reach);
    const { timeoutMs = TIMEOUT_MS, granted = {}, signal, memoryMb = MEMORY_MB } = order;
    const outcome = await runProcess({
      ...(await commandOf(order, {
        cwd,
        run,
        shell,
        sandbox,
        timeoutMs,
        guards: repositories?.args ?? [],
        proxy,
        isOpen: work !== undefined,
      })),
      env: {
        ...(proxy ? PROXY_VARIABLES : {}),
        ...environment(order, { run, cwd, folders, inside: sandbox !== undefined, marker }),
        ...order.program?.env,
        ...order.variables,
        ...granted,
      },
      cwd,
      open: work ? [work.fd] : [],
      ...(order.program?.stdin === undefined ? {} : { stdin: order.program.stdin }),
      timeoutMs,
      maxOutput: MAX_OUTPUT,
      signal,
      strays: sandbox ? { kind: 'namespace' } : { kind: 'marked', marker },
      memory: { limitMb: memoryLimitMb(memoryMb), folders: [run, cwd], inside: sandbox ? IN_MEMORY : [] },
    });
    if (outcome.endedBy === 'abort') signal?.throwIfAborted();
    const secrets = Object.values(granted);
    const [stdout, stderr] = [outcome.stdout.read(secrets), outcome.stderr.read(secrets)];
    return {
      code: outcome.code,
      signal: outcome.signal,
      stdout: stdout.text,
      stderr: stderr.text,
      stdoutBytes: stdout.bytes,
      stderrBytes: stderr.bytes,
      timedOut: outcome.endedBy === 'timeout',
      ...(outcome.usedMemory === undefined ? {} : { usedMemory: outcome.usedMemory }),
      truncated: stdout.truncated || stderr.truncated,
      sandboxed: sandbox !== undefined,
      ms: Math.round(performance.now() - started),
    };
  } finally {
    await work?.close();
    proxy?.close();
    repositories?.tidy();
    await removeRunFolder(run);
  }
}

async function folderOf(folder: string): Promise<string> {
  try {
    const real = await realpath(folder);
    // The caller checked exactly this path, without links.
    if (real !== folder) throw new UserError('The folder that the script should work in was replaced by a link.');
    if ((await stat(real)).isDirectory() && real !== path.parse(real).root) return real;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
  }
  throw new UserError('The folder that the script should work in is not there.');
}

/** Holds the folder open: if it is replaced, the sandbox still shows this one. */
async function openFolder(folder: string): Promise<FileHandle> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const handle = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if ((await readlink(`/proc/self/fd/${handle.fd}`)) === folder) return handle;
  await handle.close();
  throw new UserError('The folder that the script should work in was replaced.');
}

function environment(
  order: ScriptOrder,
  {
    run,
    cwd,
    folders,
    inside,
    marker,
  }: { run: string; cwd: string; folders: string[]; inside: boolean; marker: string },
): Record<string, string> {
  return {
    PATH: folders.join(path.delimiter),
    HOME: path.join(run, 'home'),
    TMPDIR: inside ? '/tmp' : path.join(run, 'tmp'),
    LANG: 'C.UTF-8',
    TZ: systemTimezone(),
    OPENVIBER_SCRIPT: marker,
    // A repository above the work folder isn't the script's.
    GIT_CEILING_DIRECTORIES: path.dirname(cwd),
    ...(order.skillFolder ? { SKILL_DIR: order.skillFolder } : {}),
    ...(order.readable ? { OPENVIBER_FILES: order.readable } : {}),
  };
}

interface ScriptOptions {
  cwd: string;
  run: string;
  shell: string;
  sandbox: Sandbox | undefined;
  timeoutMs: number;
  guards: readonly string[];
  proxy: ScriptProxy | undefined;
  /** The work folder is passed open, as the first descriptor. */
  isOpen: boolean;
}

async function commandOf(order: ScriptOrder, given: ScriptOptions): Promise<{ command: string; args: string[] }> {
  const { cwd, run, shell, sandbox, timeoutMs, guards, proxy, isOpen } = given;
  const limits = [String(Math.ceil(timeoutMs / 1000) + 5), sandbox ? MAX_PROCESSES.inside : MAX_PROCESSES.outside];
  const interpreter = [shell, ...(order.script.shell === 'bash' ? ['--noprofile', '--norc'] : []), '-e'];
  const own = order.program?.command ?? [...interpreter, path.join(run, 'script')];
  const what = proxy ? withProxy(process.execPath, proxy.socket, own) : own;
  const args = ['-c', WRAPPER, 'sh', ...limits, ...what];
  // A sandbox ends with this gateway by itself.
  if (!sandbox)
    return { command: '/bin/sh', args: ['-c', `${FIRST_TO_GO}; ${LIFELINE}; ${WRAPPER}`, ...args.slice(2)] };
  const { skillFolder, readable, program } = order;
  const more = {
    ...(isOpen ? { workFd: FIRST_OPEN } : {}),
    ...(skillFolder ? { skillFolder } : {}),
    ...(readable ? { readable } : {}),
    ...(program?.visible ? { program: program.visible } : {}),
    ...(proxy ? { proxy: { socket: proxy.socket, node: process.execPath } } : {}),
  };
  const outside = await sandbox.args({ work: cwd, guards, run, ...more });
  // Inside, /proc is read-only.
  const first = ['-c', `${FIRST_TO_GO}; exec "$@"`, 'sh', sandbox.command];
  return { command: '/bin/sh', args: [...first, ...outside, '/bin/sh', ...args] };
}
