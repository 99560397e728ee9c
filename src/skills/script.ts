/**
 * Runs scripts (promises 54 and 55). Nothing is substituted into a script file; parameters are variables in an
 * environment that holds nothing else of ours. It runs in its own process group, bounded in time, output, memory and
 * files, in the given folder, and in the sandbox where there is one.
 */
import { type FileHandle, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, UserError } from '../errors.ts';
import { memoryLimitMb } from '../lib/memory-watch.ts';
import { FIRST_TO_GO, LIFELINE } from '../lib/process-group.ts';
import { newMark, type ProcessMark } from '../lib/process-mark.ts';
import { systemTimezone } from '../lib/timezone.ts';
import type { Shell } from './fences.ts';
import { checkMounts, type Guard, limitProcesses } from './gate.ts';
import { openFilter, openFolder } from './held-files.ts';
import { CROWD, limitsOf, MEMORY_MB, MERGED, maxProcesses, WRAPPER } from './limits.ts';
import { type LinkedRepository, repositoriesIn, repositoryOf } from './repositories.ts';
import { createRunFolder, removeRunFolder } from './run-folder.ts';
import { type StartedProcess, startProcess } from './run-process.ts';
import { findProgram, findSandbox, IN_MEMORY, type Sandbox, searchPath } from './sandbox.ts';
import { openScriptProxy, PROXY_VARIABLES, type Reach, type ScriptProxy, withProxy } from './script-proxy.ts';
import type { SharedNetwork } from './shared-network.ts';

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
  reach?: Reach;
  /** 60 s by default. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** If false, runs without the sandbox even if there is one. */
  sandbox?: boolean;
  /** Megabytes for all its processes together; 2 GiB by default, and never more than half of the machine. */
  memoryMb?: number;
  /** What a command in a project needs in addition. */
  command?: CommandOptions;
}

export interface CommandOptions {
  /** The folder below the work folder where it starts. */
  chdir: string;
  /** Further folders that the sandbox shows, as its arguments. */
  mounts: readonly string[];
  /** Folders among these that it may write. */
  writes: readonly string[];
  /** The repository of the work folder, where it is outside of it. */
  repository?: LinkedRepository | undefined;
  /** Folders of programs that are searched first; they must be among what the sandbox shows. */
  programs: readonly string[];
  /** How many bytes of the output to keep, and how many it may write before it is ended. */
  maxOutput: number;
  maxWritten: number;
  /** Its input stays open. */
  takesInput: boolean;
  /** The network that it is started in, instead of one of its own. */
  joins?: SharedNetwork | undefined;
  onOutput(chunk: Buffer): void;
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

/** After the three streams, and the sandbox's info and gate. */
const FIRST_OPEN = 5;
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 64 * 1024;
/** Somebody may be moving folders just then. */
const ATTEMPTS = 3;

/**
 * Runs a script to its end. A script that fails, or is ended for its time or output, is a result, not an error.
 * @throws UserError when it can't be started, with the reason; the signal's reason when it was aborted
 */
export async function runScript(order: ScriptOrder): Promise<ScriptResult> {
  const started = performance.now();
  const { ended, sandboxed } = await startScript(order);
  const outcome = await ended;
  if (outcome.endedBy === 'abort') order.signal?.throwIfAborted();
  const secrets = Object.values(order.granted ?? {});
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
    sandboxed,
    ms: Math.round(performance.now() - started),
  };
}

export interface StartedScript extends StartedProcess {
  /** Once it has ended: hooks and settings of new repositories that were put aside. */
  disarmed: readonly string[];
  sandboxed: boolean;
}

/**
 * Starts a script. Its end also removes what it needed.
 * @throws UserError when it can't be started, with the reason; the signal's reason when it was aborted
 */
export async function startScript(order: ScriptOrder): Promise<StartedScript> {
  let why = '';
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    order.signal?.throwIfAborted();
    const { refused, ...started } = await tryToStart(order);
    if (refused === undefined) return started;
    await started.ended;
    why = refused;
  }
  throw new UserError(`Nothing was run, because the sandbox could not be set up: ${why}.`);
}

async function tryToStart(order: ScriptOrder): Promise<StartedScript & { refused: string | undefined }> {
  const cwd = await folderOf(order.cwd);
  const sandbox = order.sandbox === false ? undefined : await findSandbox();
  if (order.program && !sandbox) throw new UserError('There is no sandbox on this machine, so it is not run.');
  const folders = [...new Set([...(order.command?.programs ?? []), ...searchPath(sandbox !== undefined)])];
  const shell = await findProgram(order.script.shell, ['/bin', '/usr/bin', ...folders]);
  if (!shell) throw new UserError(`The script needs ${order.script.shell}; install it.`);
  const run = await createRunFolder(order.script.text, cwd);
  const disarmed: string[] = [];
  const closing: (() => unknown)[] = [() => removeRunFolder(run)];
  const close = async () => {
    for (const each of closing.toReversed()) await each();
  };
  try {
    const process = await inPlace(order, { cwd, run, shell, sandbox, folders }, closing, disarmed);
    const ended = process.ended.finally(close);
    // Whoever waits for its end is told.
    ended.catch(() => undefined);
    return { ...process, ended, disarmed, sandboxed: sandbox !== undefined, refused: await process.begun };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Place {
  cwd: string;
  run: string;
  shell: string;
  sandbox: Sandbox | undefined;
  folders: readonly string[];
}

/**
 * @param closing gets what must be done after its end, last first
 * @param disarmed gets what was put aside then
 */
async function inPlace(
  order: ScriptOrder,
  place: Place,
  closing: (() => unknown)[],
  disarmed: string[],
): Promise<StartedProcess> {
  const { cwd, run, sandbox } = place;
  const linked = sandbox && order.command?.repository;
  const repositories = sandbox ? [repositoriesIn(cwd), ...(linked ? [repositoryOf(linked)] : [])] : [];
  for (const { tidy } of repositories) closing.push(async () => void disarmed.push(...(await tidy())));
  const joins = order.command?.joins;
  const proxy = sandbox && order.network && !joins ? await openScriptProxy(run, order.reach) : undefined;
  if (proxy) closing.push(proxy.close);
  const work = sandbox && (await openFolder(cwd));
  if (work) closing.push(() => work.close());
  const common = linked && (await openFolder(linked.common));
  if (common) closing.push(() => common.close());
  const filter = sandbox && (await openFilter(run));
  if (filter) closing.push(() => filter.close());
  const passed = [...(sandbox?.takesOpen && work ? [work] : []), ...(filter ? [filter] : [])];
  const numberOf = (file: FileHandle | undefined) =>
    file && passed.includes(file) ? FIRST_OPEN + passed.indexOf(file) : undefined;
  const guards = repositories.flatMap((each) => each.guards);
  const most = maxProcesses(order.command !== undefined, sandbox !== undefined);
  const mark = newMark();
  const { timeoutMs = TIMEOUT_MS, granted = {}, signal, memoryMb = MEMORY_MB, command } = order;
  const stdin = command?.takesInput ? { isOpen: true as const } : order.program?.stdin;
  return startProcess({
    ...(await commandOf(order, {
      ...place,
      timeoutMs,
      mark,
      guards,
      proxy,
      workFd: numberOf(work),
      filterFd: numberOf(filter),
    })),
    env: {
      ...(proxy || (sandbox && joins?.hasProxy) ? PROXY_VARIABLES : {}),
      ...environment(order, place, mark.text),
      ...order.program?.env,
      ...order.variables,
      ...granted,
    },
    cwd: sandbox || !command ? cwd : command.chdir,
    ...(work && {
      open: passed.map(({ fd }) => fd),
      async gate(first) {
        const works = [{ folder: cwd, fd: work.fd }];
        if (linked && common) works.push({ folder: linked.common, fd: common.fd });
        await checkMounts(first, works, guards);
        await limitProcesses(first, most);
      },
    }),
    ...(stdin === undefined ? {} : { stdin }),
    timeoutMs,
    maxOutput: command?.maxOutput ?? MAX_OUTPUT,
    ...(command && { maxWritten: command.maxWritten, onOutput: command.onOutput }),
    signal,
    strays: sandbox ? { kind: 'namespace' } : { kind: 'marked', mark },
    memory: {
      limitMb: memoryLimitMb(memoryMb),
      mostProcesses: most * CROWD,
      folders: [run, cwd, ...(linked ? [linked.common] : []), ...(command?.writes ?? [])],
      inside: sandbox ? IN_MEMORY : [],
    },
  });
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

function environment(
  order: ScriptOrder,
  { run, cwd, folders, sandbox }: Place,
  marker: string,
): Record<string, string> {
  return {
    PATH: folders.join(path.delimiter),
    HOME: path.join(run, 'home'),
    TMPDIR: sandbox ? '/tmp' : path.join(run, 'tmp'),
    LANG: 'C.UTF-8',
    TZ: systemTimezone(),
    OPENVIBER_SCRIPT: marker,
    // A repository above the work folder isn't the script's.
    GIT_CEILING_DIRECTORIES: path.dirname(cwd),
    ...(order.skillFolder ? { SKILL_DIR: order.skillFolder } : {}),
    ...(order.readable ? { OPENVIBER_FILES: order.readable } : {}),
  };
}

interface ScriptOptions extends Place {
  timeoutMs: number;
  mark: Required<ProcessMark>;
  guards: readonly Guard[];
  proxy: ScriptProxy | undefined;
  workFd: number | undefined;
  filterFd: number | undefined;
}

async function commandOf(order: ScriptOrder, given: ScriptOptions): Promise<{ command: string; args: string[] }> {
  const { cwd, run, shell, sandbox, timeoutMs, mark, guards, proxy, workFd, filterFd } = given;
  const isCommand = order.command !== undefined;
  const interpreter = [shell, ...(order.script.shell === 'bash' ? ['--noprofile', '--norc'] : [])];
  // A script ends with its first failure; a command is what somebody would type.
  const own = order.program?.command ?? [...interpreter, ...(isCommand ? [] : ['-e']), path.join(run, 'script')];
  const what = proxy ? withProxy(process.execPath, proxy.socket, own) : own;
  const wrapper = isCommand ? MERGED : WRAPPER;
  const limits = limitsOf(isCommand, sandbox !== undefined, timeoutMs, mark.kilobytes);
  const args = ['-c', wrapper, 'sh', ...limits, ...what];
  // A sandbox ends with this gateway by itself.
  if (!sandbox)
    return { command: '/bin/sh', args: ['-c', `${FIRST_TO_GO}; ${LIFELINE}; ${wrapper}`, ...args.slice(2)] };
  const { skillFolder, readable, program, command } = order;
  const more = {
    ...(workFd === undefined ? {} : { workFd }),
    ...(filterFd === undefined ? {} : { filterFd }),
    ...(skillFolder ? { skillFolder } : {}),
    ...(readable ? { readable } : {}),
    ...(program?.visible ? { program: program.visible } : {}),
    ...(proxy ? { proxy: { socket: proxy.socket, node: process.execPath } } : {}),
    // Programs of a project look for localhost.
    ...(command && { chdir: command.chdir, mounts: command.mounts, names: ['hosts', 'nsswitch.conf'] }),
    ...(command?.joins && { joins: command.joins }),
  };
  const outside = await sandbox.args({ work: cwd, guards, run, ...more });
  // Inside, /proc is read-only.
  const first = ['-c', `${FIRST_TO_GO}; exec "$@"`, 'sh', ...(command?.joins?.enter ?? []), sandbox.command];
  return { command: '/bin/sh', args: [...first, ...outside, '/bin/sh', ...args] };
}
