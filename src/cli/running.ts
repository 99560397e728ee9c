/** Finds the gateways on this machine that have a home open: one, or several that share it. */

import path from 'node:path';
import { loadConfig } from '../config.ts';
import { runFolders } from '../engine/run-folder.ts';
import { ConfigError, errorCode } from '../errors.ts';
import { readTextSync } from '../lib/files.ts';
import { parseJson } from '../lib/json.ts';
import { anything, isNumber, isText, objectOf, optional, shape } from '../lib/shape.ts';
import { say, type Wording } from '../messages/messages.ts';

/** The roles of a gateway; one that names none has them all. */
export const ROLES = ['ingress', 'work', 'deliver'];

export interface Running {
  /** The folder of its lock and socket. */
  folder: string;
  pid: number;
  port?: number;
  startedAt: string;
  roles?: string[];
  /** The signal that restarts it with the program that is then on disk. */
  renewedBy?: string;
}

const aboutShape = shape<Omit<Running, 'folder'>>(
  objectOf({
    pid: isNumber,
    port: optional(isNumber),
    startedAt: isText,
    roles: optional(anything),
    renewedBy: optional(isText),
  }),
);

/** Returns the live gateways, the one with exclusive use of the home first. */
export async function runningGateways({
  home,
  config: file,
  env,
}: {
  home: string;
  config: string | undefined;
  env: NodeJS.ProcessEnv;
}): Promise<Running[]> {
  const usual = [path.join(home, 'run'), ...runFolders(home, env)].flatMap(runningIn);
  if (usual.length > 0) return usual;
  const chosen = await chosenFolder({ home, file, env });
  return chosen === undefined ? [] : runningIn(chosen);
}

/** Returns undefined if the configuration can't be read. */
async function chosenFolder(at: Parameters<typeof loadConfig>[0]): Promise<string | undefined> {
  try {
    return (await loadConfig(at)).config.engine.runDir;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return undefined;
  }
}

/** Says for each live gateway which process it is and which command ends it. */
export async function waysToEnd(at: Parameters<typeof runningGateways>[0]): Promise<Wording[]> {
  const found = await runningGateways(at);
  if (found.length === 0) return [];
  const service = await stopOfService(at);
  return found.map(({ pid }) => say('cli.endIt', { pid: String(pid), command: service ?? `kill ${pid}` }));
}

/**
 * Looks whether a gateway that names itself holds the home, before seconds go into loading what a start needs. The lock
 * decides, since a number may be another process's by now; a home that nobody seems to use isn't locked for this.
 * @throws LockedError
 */
export async function refuseHeld(home: string): Promise<void> {
  const run = path.join(home, 'run');
  if (runningIn(run).length === 0) return;
  const { acquireLock } = await import('../engine/local/lock.ts');
  acquireLock(run).release();
}

/**
 * Says who holds a home, and that this command ends. Names no process that only wrote its number there once: another may
 * have that number now.
 */
export async function heldBy(lock: string, at: Parameters<typeof runningGateways>[0]): Promise<Wording> {
  const home = path.dirname(path.dirname(lock));
  const running = await runningGateways(at);
  const { holderOf } = await import('../engine/local/lock.ts');
  const pid = process.platform === 'linux' ? holderOf(lock) : running[0]?.pid;
  if (pid === undefined) return say('cli.held', { home });
  if (!running.some((each) => each.pid === pid)) return say('cli.heldByOther', { pid: String(pid), home });
  const command = (await stopOfService(at)) ?? `kill ${pid}`;
  return say('cli.heldByGateway', { pid: String(pid), home, command });
}

/** Returns the command that stops the service of this home: its supervisor would restart a killed process. */
async function stopOfService({ home, env }: { home: string; env: NodeJS.ProcessEnv }): Promise<string | undefined> {
  if (process.platform !== 'linux' && process.platform !== 'darwin') return undefined;
  const { isServiceOf, supervisorFor } = await import('./service/supervisor.ts');
  const { file, stop } = supervisorFor(process.platform, env);
  return isServiceOf(file, home) ? stop.join(' ') : undefined;
}

function runningIn(folder: string): Running[] {
  const text = readTextSync(path.join(folder, 'gateway.json'));
  const { data } = aboutShape.safeParse(text === undefined ? undefined : parseJson(text));
  return data && isProcessAlive(data.pid) ? [{ ...data, folder }] : [];
}

/** EPERM means that it is alive but belongs to another user. */
export function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    if (errorCode(error) === 'EPERM') return true;
    throw error;
  }
}
