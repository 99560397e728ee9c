/** The folders with projects that an owner has allowed in the configuration (`projects.roots`). */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { say, type Wording } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import { whyNoScripts } from '../../workspace/own-files.ts';
import type { Network } from './commands/registries.ts';

/** A folder, optionally with the network that commands may reach and whether each task gets its own worktree. */
export type RootSetting = string | { folder: string; network: Network; worktree?: boolean };

export const folderIn = (root: RootSetting): string => (typeof root === 'string' ? root : root.folder);

export const networkOfRoot = (root: RootSetting): Network => (typeof root === 'string' ? 'none' : root.network);

export const hasWorktrees = (root: RootSetting): boolean => typeof root !== 'string' && root.worktree === true;

export interface Root {
  /** The folder as written in the configuration. */
  setting: string;
  /** Absolute, with links resolved; absent if it can't be used. */
  folder?: string;
  /** Why it can't be used. */
  why?: Wording;
}

/** Resolves a path that may begin with `~`. */
export const absolute = (setting: string): string => path.resolve(setting.trim().replace(/^~(?=\/|$)/, os.homedir()));

/** Returns the folder's real path, or why it can't hold projects. */
export function checkRoot(setting: string, home: Home): Root {
  const wanted = absolute(setting);
  try {
    const folder = fs.realpathSync.native(wanted);
    if (!fs.statSync(folder).isDirectory()) return { setting, why: say('projects.notFolder') };
    const why = whyNoScripts(home, folder);
    return why === undefined ? { setting, folder } : { setting, why: say('projects.holdsOwn', { why }) };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { setting, why: say('projects.noFolder') };
    if (code === 'EACCES' || code === 'EPERM' || code === 'ELOOP') return { setting, why: say('projects.cantOpen') };
    throw error;
  }
}

/** Returns the real paths of the folders that can be used now. */
export const usableRoots = (settings: readonly RootSetting[], home: Home): string[] =>
  settings.flatMap((setting) => checkRoot(folderIn(setting), home).folder ?? []);

export const liesIn = (folder: string, root: string): boolean =>
  folder === root || folder.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
