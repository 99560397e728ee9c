/**
 * `viber restore FILE`: restores a home from a backup. Invariant: the home is either as it was or as in the backup,
 * never a mixture; the previous home is moved aside, not removed. The backup is untrusted: nothing is written outside
 * the home.
 */

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { crashPoint } from '../../crash-points.ts';
import { countUnfinished } from '../../engine/local/inspect.ts';
import { acquireLock } from '../../engine/local/lock.ts';
import { errorCode, LockedError, UserError } from '../../errors.ts';
import { syncFolder } from '../../lib/files.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { isAlive } from '../../lib/processes.ts';
import { say } from '../../messages/messages.ts';
import { type CliContext, EXIT } from '../../runtime/contract/cli.ts';
import { refuseNewer } from '../home-format.ts';
import { listNames } from './format.ts';
import { asideOf, forgetRestoring, noteRestoring, putInPlace, readRestoring, realHome } from './restoring.ts';
import { type UnpackReport, unpack } from './unpack.ts';
import { variablesIn } from './without-secrets.ts';

const SPARE = 100_000_000;

export async function run(context: CliContext): Promise<number> {
  const { args, env, home, switches } = context;
  const file = path.resolve(args[0] ?? '');
  if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile()) throw new UserError(say('backup.noFile', { file }));
  const target = realHome(home);
  await settleEarlier(target);
  const isEmpty = !fs.existsSync(target) || fs.readdirSync(target).length === 0;
  if (!isEmpty && !switches.has('replace')) throw new UserError(say('backup.notEmpty', { target }));
  const lock = fs.existsSync(path.join(target, 'run')) ? acquireLock(path.join(target, 'run')) : undefined;
  try {
    refuseDisk(target);
    const stage = `${target}.restoring-${randomBytes(4).toString('hex')}`;
    const aside = isEmpty ? undefined : freeName(`${asideOf(target)}${stamp()}`);
    const restoring = { stage, ...(aside !== undefined && { aside }), isWhole: false, pid: process.pid };
    const unpacked = await unpackWhole(file, target, restoring);
    await noteRestoring(target, { ...restoring, isWhole: true });
    crashPoint('restore:whole');
    await putInPlace(target, restoring);
    report({ ...unpacked, target, aside, unset: unsetVariables(target, env) }, context);
    return EXIT.ok;
  } finally {
    lock?.release();
  }
}

const stamp = () => new Date().toISOString().replace(/[-:]|\.\d+/g, '');
const freeName = (name: string): string => (fs.existsSync(name) ? `${name}-${randomBytes(2).toString('hex')}` : name);

/** Settles an interrupted restore: a complete home is put in place, an incomplete one is removed. */
async function settleEarlier(target: string): Promise<void> {
  const earlier = readRestoring(target);
  if (!earlier) return;
  if (earlier.isWhole) return putInPlace(target, earlier);
  if (earlier.pid !== process.pid && isAlive(earlier.pid))
    throw new LockedError(`${target} is being restored by process ${earlier.pid}.`);
  fs.rmSync(earlier.stage, { recursive: true, force: true });
  forgetRestoring(target);
}

/**
 * @throws {UserError} if the home is a mount point: one rename puts the home in place, and a mount point can't be
 * renamed
 */
function refuseDisk(target: string): void {
  const parent = path.dirname(target);
  fs.mkdirSync(parent, { recursive: true });
  if (fs.existsSync(target) && fs.statSync(target).dev !== fs.statSync(parent).dev)
    throw new UserError(say('backup.ownDisk', { target }));
}

async function unpackWhole(
  file: string,
  target: string,
  restoring: Parameters<typeof noteRestoring>[1],
): Promise<UnpackReport> {
  const { stage } = restoring;
  await noteRestoring(target, restoring);
  try {
    fs.mkdirSync(stage, { mode: 0o700 });
    crashPoint('restore:begun');
    const { bavail, bsize } = await fs.promises.statfs(stage);
    const unpacked = await unpack(file, stage, Math.max(0, bavail * bsize - SPARE));
    refuseNewer(stage);
    crashPoint('restore:unpacked');
    await syncFolders(stage);
    return unpacked;
  } catch (error) {
    fs.rmSync(stage, { recursive: true, force: true });
    forgetRestoring(target);
    throw error;
  }
}

async function syncFolders(folder: string): Promise<void> {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(path.join(folder, entry.name));
  await syncFolder(folder);
}

/** Returns the variables that the restored configuration refers to and the environment lacks. */
function unsetVariables(target: string, env: NodeJS.ProcessEnv): string[] {
  const file = ['config.yaml', 'config.json', 'openai.yaml'].map((name) => path.join(target, name)).find(fs.existsSync);
  if (file === undefined || !fs.statSync(file).isFile()) return [];
  return variablesIn(fs.readFileSync(file, 'utf8')).filter((name) => !env[name]);
}

/** A spool that can't be read is reported by the next start. */
function hasUnfinished(target: string): boolean {
  try {
    return countUnfinished(path.join(target, 'spool')) > 0;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

interface RestoreReport extends UnpackReport {
  target: string;
  aside: string | undefined;
  unset: string[];
}

function report(
  { head, files, leftOut, target, aside, unset }: RestoreReport,
  { json, print, messages }: CliContext,
): void {
  if (json) {
    print(JSON.stringify({ home: target, files, createdAt: head.createdAt, aside, leftOut, unset }));
    return;
  }
  const { said } = messages;
  print(messages.text('backup.restored', { files, target, at: head.createdAt, version: head.version }));
  if (leftOut.length > 0) print(messages.text('backup.leftOut', { names: said(listNames(leftOut)) }));
  if (aside !== undefined) print(messages.text('backup.aside', { aside }));
  if (!head.hasSecrets) print(messages.text('backup.noSecrets', { command: viberCommand('doctor') }));
  if (unset.length > 0) print(messages.text('backup.asksFor', { names: unset.join(', ') }));
  if (head.onServer) print(messages.text('backup.wasOnServer'));
  if (hasUnfinished(target)) print(messages.text('backup.finishes'));
}
