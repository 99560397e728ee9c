/**
 * Chooses where a script works: the `folder` of its viber, or a folder inside the task's own. It isn't the task's
 * folder itself, because that holds the task's record with people and consents, which no script may write. Nor is it
 * anywhere with the gateway's own files.
 */

import { mkdirSync, realpathSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { errorCode, UserError } from '../../../errors.ts';
import { HeldFolder } from '../../../lib/files/below.ts';
import { inFolder } from '../../../lib/locks.ts';
import type { ToolScope } from '../../../runtime/contract/tool-scope.ts';
import { whyNoScripts } from '../../../workspace/own-files.ts';
import { openTask } from '../../../workspace/tasks/index.ts';

export interface WorkFolder {
  /** Absolute, without links. */
  path: string;
  /** Whether it is the task's own: files written there belong to the task. */
  isTasks: boolean;
  /** The task's files, for reading. Absolute, without links. */
  files: string;
}

const NAME = 'work';

/** Returns the folder from the settings, with `~` expanded; undefined for the task's own. */
export function expanded(folder: string | undefined): string | undefined {
  const wanted = folder?.trim().replace(/^~(?=\/|$)/, os.homedir());
  return wanted === '' ? undefined : wanted;
}

/**
 * Returns the folder, which exists and is usable.
 * @throws UserError that names the setting
 */
export function workFolder({ home, taskId, viber }: ToolScope, folder: string | undefined): WorkFolder {
  const wanted = expanded(folder);
  mkdirSync(openTask(home, taskId).folder, { recursive: true, mode: 0o700 });
  const files = realpathSync(openTask(home, taskId).folder);
  if (wanted === undefined) return { path: ownFolder(files), isTasks: true, files };
  const refuse = (why: string, cause?: unknown) =>
    new UserError(`Scripts cannot work in ${wanted}: ${why}. Change \`folder\` in agents/${viber}.yaml.`, { cause });
  if (!path.isAbsolute(wanted)) throw refuse('it is not an absolute path');
  try {
    const real = realpathSync.native(wanted);
    if (!statSync(real).isDirectory()) throw refuse('it is not a folder');
    const why = whyNoScripts(home, real);
    if (why !== undefined) throw refuse(why);
    return { path: real, isTasks: false, files };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') throw refuse('there is no such folder', error);
    if (code === 'EACCES' || code === 'ELOOP') throw refuse('it cannot be opened', error);
    throw error;
  }
}

/**
 * Runs `work` in turn with everything else that uses the folder: scripts and file tools. The call begins with its turn.
 */
export function inWorkFolder<T>(
  scope: ToolScope,
  folder: string | undefined,
  work: (folder: WorkFolder) => Promise<T>,
  { signal, begin }: { signal: AbortSignal; begin?: () => Promise<void> },
): Promise<T> {
  const inTurn = async () => {
    // The folder may have changed while the call waited for its turn.
    const now = workFolder(scope, folder);
    await begin?.();
    return work(now);
  };
  return inFolder(workFolder(scope, folder).path, inTurn, signal);
}

function ownFolder(files: string): string {
  const task = HeldFolder.root(files);
  try {
    task.make(NAME);
    task.folder(NAME).close();
    return path.join(files, NAME);
  } catch (error) {
    if (errorCode(error) !== 'ENOTDIR' && errorCode(error) !== 'ELOOP') throw error;
    throw new UserError(
      `The scripts of this task cannot work any more: ${NAME} in its folder isn't a folder; remove it.`,
    );
  } finally {
    task.close();
  }
}
