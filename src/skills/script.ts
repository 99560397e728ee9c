/**
 * The one runner of scripts (promises 54 and 55). A script is a file that nothing is substituted into; parameters are variables of an environment
 * that holds nothing else of ours. It runs in its own process group, bounded in time, output, memory and files, in the given
 * folder, and in the sandbox where there is one.
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
  /** Is run in place of the script, in the sandbox or not at all. */
  program?: { command: readonly string[]; stdin?: string; visible?: string; env: Readonly<Record<string, string>> };
  /** From `toVariables`. */
  variables: Readonly<Record<string, string>>;
  /** What the skill was granted (`skills.env.NAME`): in the environment, and masked in the output. */
  granted?: Readonly<Record<string, string>>;
  /** Absolute path of the folder to work in; it must be there. */
  cwd: string;
  /** The skill's own folder; the script finds its path in SKILL_DIR. */
  skillFolder?: string;
  /** Absolute path of a folder that it may read; the script finds it in OPENVIBER_FILES. */
  readable?: string;
  /** The public internet, by http and https; without a sandbox whatever this machine reaches. */
  network?: boolean;
  /** For tests: what may be reached beside that. */
  reach?: Parameters<typeof openScriptProxy>[1];
  /** 60 s by default. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** false: runs without the sandbox although there is one. */
  sandbox?: boolean;
  /** Megabytes for all its processes together; 2 GiB by default, and never more than half of the machine. */
  memoryMb?: number;
}

export interface ScriptResult {
  /** Exit code; null when a signal ended it. */
  code: number | null;
  signal: string | null;
  /** At most 64 KB each: the beginning and the end of what was written. */
  stdout: string;
  stderr: string;
  /** Bytes that were written. */
  stdoutBytes: number;
  stderrBytes: number;
  timedOut: boolean;
  /** "used more than 2,048 MB of memory", when it was ended for that. */
  usedMemory?: string;
  /** Whether output was left out. It was ended when it wrote more than 8 MB: `signal` is set then. */
  truncated: boolean;
  sandboxed: boolean;
  ms: number;
}

/** Three streams and what the sandbox says come before. */
const FIRST_OPEN = 4;
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 64 * 1024;
/** As `ulimit -d` says for each of its processes. */
const MEMORY_MB = 2048;

/** Each where the shell can; the last one under the name that bash or that dash has for it. */
const LIMITS = [
  'ulimit -c 0; ulimit -t "$1"; ulimit -n 1024; ulimit -f 2097152; ulimit -d 2097152',
  '(ulimit -u "$2") 2>/dev/null && ulimit -u "$2" || ulimit -p "$2"',
].join('; ');
const WRAPPER = `{ ${LIMITS}; } 2>/dev/null; shift 2; exec "$@"`;
/** Processes: inside, those of the script alone; outside, all of this user. */
const MAX_PROCESSES = { inside: '512', outside: '4096' };

/**
 * Runs a script to its end. A script that fails, or is ended for its time or output, is a result, not an error.
 * @throws UserError when it cannot be started, with the reason; the signal's reason when it was aborted
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
    // Who asked has looked at the folder of this path, and at no other.
    if (real !== folder) throw new UserError('The folder that the script should work in was replaced by a link.');
    if ((await stat(real)).isDirectory() && real !== path.parse(real).root) return real;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
  }
  throw new UserError('The folder that the script should work in is not there.');
}

/** Held from here on: what comes into its place is not what the sandbox shows. */
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
    // A repository above the work folder is not the script's.
    GIT_CEILING_DIRECTORIES: path.dirname(cwd),
    ...(order.skillFolder ? { SKILL_DIR: order.skillFolder } : {}),
    ...(order.readable ? { OPENVIBER_FILES: order.readable } : {}),
  };
}

interface Given {
  cwd: string;
  run: string;
  shell: string;
  sandbox: Sandbox | undefined;
  timeoutMs: number;
  guards: readonly string[];
  proxy: ScriptProxy | undefined;
  /** The folder is given open, as the first of the files that are. */
  isOpen: boolean;
}

async function commandOf(order: ScriptOrder, given: Given): Promise<{ command: string; args: string[] }> {
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
