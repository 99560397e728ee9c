/**
 * Limits the memory of an external program together with everything it has started. The kernel's limits apply per
 * process, and forks multiply them; control groups belong to the system and we may not create them. So we read /proc,
 * on Linux only. Invariant: a program over its limit is killed as a whole, before the machine has to choose what to
 * kill.
 */
import { closeSync, openSync, readdirSync, readlinkSync, readSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { readFile, stat, statfs } from 'node:fs/promises';
import os from 'node:os';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { errorCode } from '../errors.ts';
import { bearsMark, type ProcessMark } from './process-mark.ts';

export interface WatchedProgram {
  /** The leader of the program and of its session. */
  pid: number;
  /** Identifies those of its processes that leave their parents. */
  mark?: ProcessMark;
  limitMb: number;
  /** More processes than this end it too. */
  mostProcesses?: number;
  /** Whether it runs for long, as a server does, so that it is checked less often while it is small. */
  isServer?: boolean;
  /** Returns bytes that it holds in memory outside its processes: files on an in-memory file system. */
  heldBytes?(): Promise<number>;
  /**
   * Called once, after all its processes got SIGKILL; the text says why, such as "used more than 2,048 MB of memory".
   */
  onOver(what: string): void;
}

interface WatchState extends WatchedProgram {
  /** The start time of each of its processes, by PID; a process once found stays a member, even with another parent. */
  members: Map<number, string>;
  bytes: number;
}

interface ProcessEntry {
  parent: number;
  session: number;
  started: string;
}

const TICK_MS = 100;
/** The interval while only servers run that use less than half of their limit. */
const CALM_TICK_MS = 1000;
/** Measurements over the limit in a row: for an instant a forked program counts its parent's memory as its own. */
const MEASUREMENTS = 3;
const BETWEEN_MS = 20;
/** Processes read per turn of the event loop. */
const AT_ONCE = 50;
/** Share of the machine for all programs together. */
const TOGETHER = 0.75;
const MB = 1024 * 1024;

const programs = new Set<WatchState>();
/** Start times of processes whose marks were read, by PID. */
let looked = new Map<number, string>();
let timer: NodeJS.Timeout | undefined;
let isLooking = false;

/** Returns the limit of one program here: at most half of the machine, or of what the container has. */
export const memoryLimitMb = (wantedMb: number): number => Math.min(wantedMb, Math.floor(machineBytes() / 2 / MB));

function machineBytes(): number {
  const [given, whole] = [process.constrainedMemory(), os.totalmem()];
  return given > 0 && given < whole ? given : whole;
}

/** Makes the kernel kill the process, and what it starts, before any other when memory is short. */
export function firstToGo(pid: number): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch (error) {
    if (!errorCode(error)) throw error;
  }
}

/** Returns a function that stops watching. */
export function watchMemory(program: WatchedProgram): () => void {
  if (process.platform !== 'linux') return () => undefined;
  const watched: WatchState = { ...program, members: new Map(), bytes: 0 };
  programs.add(watched);
  if (!isLooking) lookIn(TICK_MS);
  return () => void programs.delete(watched);
}

function lookIn(ms: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => void checkMemory(), ms).unref();
}

async function checkMemory(): Promise<void> {
  isLooking = true;
  const started = performance.now();
  try {
    for (let times = 1; programs.size > 0; times++) {
      await measureAll();
      const over = mostOver();
      if (over && times >= MEASUREMENTS) {
        end(over);
        times = 0;
      } else if (!over) break;
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS).unref());
    }
  } finally {
    isLooking = false;
    // Uses at most half of one core, however many processes there are.
    if (programs.size > 0) lookIn(Math.max(isCalm() ? CALM_TICK_MS : TICK_MS, performance.now() - started));
  }
}

const isCalm = (): boolean =>
  [...programs].every(({ isServer = false, bytes, limitMb }) => isServer && bytes < (limitMb * MB) / 2);

const total = (): number => [...programs].reduce((sum, { bytes }) => sum + bytes, 0);

/** Returns the largest of those over their limit, or of all if together they take three quarters of the machine. */
function mostOver(): WatchState | undefined {
  const all = [...programs];
  const over = all.filter((program) => program.bytes > program.limitMb * MB || isCrowd(program));
  const candidates = over.length > 0 ? over : total() > machineBytes() * TOGETHER ? all : [];
  return candidates.sort((a, b) => b.bytes - a.bytes)[0];
}

const isCrowd = ({ members, mostProcesses = Number.POSITIVE_INFINITY }: WatchState): boolean =>
  members.size > mostProcesses;

function end(program: WatchState): void {
  const { pid, members, bytes, limitMb, mostProcesses = 0 } = program;
  programs.delete(program);
  for (const each of new Set([pid, ...members.keys()])) kill(each);
  const inMb = (count: number) => `${Math.floor(count).toLocaleString('en')} MB of memory`;
  const used =
    bytes > limitMb * MB
      ? `used more than ${inMb(limitMb)}`
      : `used ${inMb(bytes / MB)} while little was left on this machine`;
  program.onOver(isCrowd(program) ? `ran more than ${mostProcesses.toLocaleString('en')} processes at once` : used);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error;
  }
}

async function measureAll(): Promise<void> {
  const table = await readTable();
  for (const program of programs) {
    await findMembers(program, table);
    program.bytes = await memoryOf(program, program.limitMb * MB);
  }
  // The upper estimates may exceed the machine while the actual shares don't.
  if (total() > machineBytes() * TOGETHER) {
    for (const program of programs) program.bytes = await memoryOf(program, 0);
  }
  looked = new Map([...table].map(([pid, { started }]) => [pid, started]));
}

async function readTable(): Promise<Map<number, ProcessEntry>> {
  const table = new Map<number, ProcessEntry>();
  for (const [index, name] of procNames('/proc').entries()) {
    if (index % AT_ONCE === 0) await yieldToOthers();
    const text = /^\d/.test(name) ? readShort(`/proc/${name}/stat`) : '';
    // A program's name, in parentheses, may contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ', 20);
    const [, parent, , session] = fields;
    const started = fields[19];
    if (started !== undefined) table.set(Number(name), { parent: Number(parent), session: Number(session), started });
  }
  return table;
}

/**
 * Finds a program's processes: earlier members that still exist, its session, those with its mark, and the children
 * of all these.
 */
async function findMembers(program: WatchState, table: Map<number, ProcessEntry>): Promise<void> {
  const { pid: leader, mark } = program;
  const members = new Map<number, string>();
  const children = Map.groupBy(table.keys(), (pid) => table.get(pid)?.parent);
  const add = (pid: number, { started }: ProcessEntry) => {
    if (members.has(pid)) return;
    members.set(pid, started);
    for (const child of children.get(pid) ?? []) {
      const entry = table.get(child);
      if (entry) add(child, entry);
    }
  };
  let count = 0;
  for (const [pid, entry] of table) {
    const isKnown = program.members.get(pid) === entry.started;
    if (isKnown || pid === leader || entry.session === leader) add(pid, entry);
    else if (mark !== undefined && looked.get(pid) !== entry.started && !members.has(pid)) {
      if (++count % AT_ONCE === 0) await yieldToOthers();
      if (await bearsMark(pid, mark)) add(pid, entry);
    }
  }
  program.members = members;
}

/**
 * Sums its memory. The fast estimate counts shared memory once per process; only when that exceeds `enough` is each
 * process's share read.
 */
async function memoryOf({ members, heldBytes }: WatchState, enough: number): Promise<number> {
  const held = ((await heldBytes?.()) ?? 0) + (await bytesInOpenFiles(members.keys()));
  const own: [pid: number, bytes: number][] = [];
  for (const [index, pid] of [...members.keys()].entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await yieldToOthers();
    own.push([pid, sumKilobytes(readShort(`/proc/${pid}/status`), /^(?:RssAnon|RssShmem|VmSwap|VmPTE):\s+(\d+)/gm)]);
  }
  const most = own.reduce((sum, [, bytes]) => sum + bytes, held);
  if (most <= enough) return most;
  let sum = held;
  for (const [pid, bytes] of own) sum += (await shareOf(pid)) ?? bytes;
  return sum;
}

/**
 * Sums what processes hold through open files alone, of which no process's memory says anything: files in memory that
 * have no name, in full, and buffers as large as they usually get.
 */
async function bytesInOpenFiles(pids: Iterable<number>): Promise<number> {
  const found = new Map<string, number>();
  let count = 0;
  for (const pid of pids) {
    for (const name of procNames(`/proc/${pid}/fd`)) {
      if (++count % AT_ONCE === 0) await yieldToOthers();
      const target = linkAt(`/proc/${pid}/fd/${name}`);
      const buffer = BUFFERS.find(([kind]) => target.startsWith(kind));
      if (buffer) found.set(target, buffer[1]);
      else if (target.startsWith('/memfd:')) {
        const file = statAt(`/proc/${pid}/fd/${name}`);
        if (file) found.set(`${target} ${file.ino}`, file.blocks * BLOCK);
      }
    }
  }
  return found.values().reduce((sum, bytes) => sum + bytes, 0);
}

/** What a full pipe or socket takes, in bytes, unless its owner may make it larger. */
const BUFFERS: readonly [kind: string, bytes: number][] = [
  ['pipe:', 65_536],
  ['socket:', 425_984],
];
/** The unit of a file's `blocks`, in bytes. */
const BLOCK = 512;

/** Returns '' when the process has ended, or may not be read. */
function linkAt(file: string): string {
  try {
    return readlinkSync(file);
  } catch (error) {
    if (errorCode(error)) return '';
    throw error;
  }
}

function statAt(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch (error) {
    if (errorCode(error)) return undefined;
    throw error;
  }
}

/** Returns undefined for a process that can't be read, which then counts in full. */
async function shareOf(pid: number): Promise<number | undefined> {
  try {
    return sumKilobytes(
      await readFile(`/proc/${pid}/smaps_rollup`, 'latin1'),
      /^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+)/gm,
    );
  } catch (error) {
    if (errorCode(error)) return errorCode(error) === 'ESRCH' || errorCode(error) === 'ENOENT' ? 0 : undefined;
    throw error;
  }
}

const sumKilobytes = (text: string, lines: RegExp): number =>
  [...text.matchAll(lines)].reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0);

function procNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // Too many files are open; the next measurement is soon.
    if (errorCode(error)) return [];
    throw error;
  }
}

const short = Buffer.alloc(4096);

/**
 * Reads the beginning of a file of /proc; returns '' when its process has ended, or it may not be read. Reading
 * synchronously is ten times cheaper than on a thread.
 */
function readShort(file: string): string {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    return short.toString('latin1', 0, readSync(fd, short, 0, short.length, 0));
  } catch (error) {
    if (errorCode(error)) return '';
    throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

const TMPFS = 0x01021994;
/** What the kernel keeps for a file there beside its bytes. */
const INODE_BYTES = 1_024;

/** Returns the bytes in the in-memory file systems of these folders. */
export async function bytesInMemory(folders: readonly string[]): Promise<number> {
  const sizes = new Map<number, number>();
  for (const folder of folders) {
    try {
      const { type, blocks, bfree, bsize, files, ffree } = await statfs(folder);
      const bytes = (blocks - bfree) * bsize + (files - ffree) * INODE_BYTES;
      if (type === TMPFS) sizes.set((await stat(folder)).dev, bytes);
    } catch (error) {
      // The sandbox doesn't exist yet, or has ended.
      if (!errorCode(error)) throw error;
    }
  }
  return sizes.values().reduce((sum, size) => sum + size, 0);
}
