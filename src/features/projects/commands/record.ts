/**
 * Records a task's running commands in a file in its folder. The record is written before a command starts, so that the
 * task learns of commands that ended with the gateway, however it ended, and none is run again.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../../errors.ts';
import { parseJson } from '../../../lib/json.ts';
import { writeJson } from '../../../lib/write-json.ts';

export interface ProcessRecord {
  /** For example `p1`. */
  id: string;
  command: string;
  /** Relative to the project; '' for the project's folder. */
  cwd: string;
  /** ISO 8601. */
  startedAt: string;
  /** The model's call; absent once the command is in the background. */
  callId?: string;
  /** The run that was told of its end. */
  toldTo?: string;
  /** Whether it has ended by itself. Its output can still be read. */
  hasEnded?: boolean;
}

/** A gateway process that runs a task's commands, as recorded in its file. */
export interface Owner {
  file: string;
  instance: string;
  host: string;
  pid: number;
  processes: ProcessRecord[];
}

const FILE = 'processes.json';
/** If several gateway processes share a home, each writes its own file. */
const OF_ONE = /^processes(-[0-9a-f-]{36})?\.json$/;
const MAX_FILE = 100_000;
const MAX_COMMAND = 500;

/** Names this gateway process. A PID isn't enough, because a later process may get the same one. */
export const newInstance = (): string => randomUUID();

const recorded = z.object({
  instance: z.string(),
  host: z.string(),
  pid: z.int(),
  processes: z.array(
    z.object({
      id: z.string().regex(/^p\d{1,9}$/),
      command: z.string(),
      cwd: z.string(),
      startedAt: z.string(),
      callId: z.string().exactOptional(),
      toldTo: z.string().exactOptional(),
      hasEnded: z.boolean().exactOptional(),
    }),
  ),
});

/** Returns the other gateway processes that have run commands of a task. Skips unreadable files. */
export function readOwners(folder: string, self: string): Owner[] {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => OF_ONE.test(name)) : [];
  return names.flatMap((file) => {
    const { data } = recorded.safeParse(parseJson(recordText(path.join(folder, file))));
    return data && data.instance !== self ? [{ file, ...data }] : [];
  });
}

/** Returns whether it runs on this machine; undefined for another machine, and if it has this process's PID. */
export function isRunningHere({ host, pid }: Owner): boolean | undefined {
  return host === os.hostname() && pid !== process.pid ? isGatewayAlive(pid) : undefined;
}

export interface Writer {
  instance: string;
  /** Whether other processes of this home may run the same task's commands. */
  isShared: boolean;
}

/** Removes the file if there are no processes. */
export function writeRecords(folder: string, processes: readonly ProcessRecord[], by: Writer): void {
  const file = path.join(folder, by.isShared ? `processes-${by.instance}.json` : FILE);
  // The task may have been deleted.
  if (!fs.existsSync(folder)) return;
  if (processes.length === 0) {
    fs.rmSync(file, { force: true });
    return;
  }
  const short = processes.map(({ id, command, cwd, startedAt, callId, toldTo, hasEnded }) => ({
    id,
    command: command.slice(0, MAX_COMMAND),
    cwd,
    startedAt,
    ...(callId !== undefined && { callId }),
    ...(toldTo !== undefined && { toldTo }),
    ...(hasEnded && { hasEnded }),
  }));
  writeJson(file, { instance: by.instance, host: os.hostname(), pid: process.pid, processes: short });
}

/** Removes another process's file once this one has recorded its commands. */
export const removeRecords = (folder: string, { file }: Owner): void =>
  fs.rmSync(path.join(folder, file), { force: true });

function recordText(file: string): string {
  let fd: number | undefined;
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    return fs.fstatSync(fd).size > MAX_FILE ? '' : fs.readFileSync(fd, 'utf8');
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return '';
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

function isGatewayAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
