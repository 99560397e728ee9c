/**
 * Finds out whether a gateway is about to run on a home: it names itself in `gateway.json` only once it is ready, some
 * seconds after its start.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { holderOf } from '../engine/local/lock.ts';
import { errorCode } from '../errors.ts';
import { readTextSync } from '../lib/files.ts';
import { isProcessAlive } from './running.ts';
import { isServiceOf, supervisorFor } from './service/supervisor.ts';

/** Holds the number of a process that ends to start anew: nothing else tells of it until it has locked the home again. */
const NOTE = 'restarting';
/** Later, another process may have that number. */
const MOST_MS = 60_000;
/** systemd and launchd, of a service that runs or is about to; one that failed is tried again, and may fail again. */
const ACTIVE = /^\s*(?:Active: (?:active|activating|reloading)\b(?!.*Result: (?!success))|state = running$)/m;
const ASK_MS = 3_000;

/** Notes that this process starts again on the home. */
export function noteRestart(home: string): void {
  try {
    fs.writeFileSync(path.join(home, 'run', NOTE), String(process.pid), { mode: 0o600 });
  } catch (error) {
    // The disk is full or the home is gone: only `viber status` misses it.
    if (errorCode(error) === undefined) throw error;
  }
}

/** Call it only if no gateway names itself there. True for one that stops as well, as it does before it starts anew. */
export async function isStarting({ home, env }: { home: string; env: NodeJS.ProcessEnv }): Promise<boolean> {
  return isHeld(path.join(home, 'run')) || (await isServiceActive(home, env));
}

function isHeld(run: string): boolean {
  try {
    return isRestarting(path.join(run, NOTE)) || holderOf(path.join(run, 'lock.sqlite')) !== undefined;
  } catch (error) {
    // Another user's home, or a link that leads to itself: nothing can be known from there.
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** In a container that was made anew, the number in the note may be our own. */
function isRestarting(note: string): boolean {
  const text = readTextSync(note) ?? '';
  const age = Date.now() - (fs.statSync(note, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const isRecent = age > -MOST_MS && age < MOST_MS;
  return /^[1-9]\d{0,8}$/.test(text) && Number(text) !== process.pid && isRecent && isProcessAlive(Number(text));
}

async function isServiceActive(home: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (process.platform !== 'linux' && process.platform !== 'darwin') return false;
  const { file, status } = supervisorFor(process.platform, env);
  if (!isServiceOf(file, home)) return false;
  const [program = '', ...args] = status;
  return await new Promise<boolean>((resolve) =>
    // A service that is off also has a status, with an exit code of its own.
    execFile(program, args, { env, timeout: ASK_MS }, (_error, output) => resolve(ACTIVE.test(output))),
  );
}
