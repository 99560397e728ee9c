/** Chooses which files of a home go into a backup, in which order, and which are reported as left out. */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { safeName } from './format.ts';
import { isSecretFile } from './secret-files.ts';

/**
 * `secret`: left out unless requested. `foreign`: a link, a pipe or a socket. `unfit`: a name or depth that no restore
 * would accept. `unread`: a folder without read permission. The last three are never included.
 */
export type Choice = 'take' | 'rebuilt' | 'secret' | 'foreign' | 'unfit' | 'unread';

export interface ChosenFile {
  /** The path from the home, with `/`; a folder's ends with `/`. */
  name: string;
  choice: Choice;
  /** Bytes to copy: later lines may name files that this listing did not find. */
  upTo?: number;
}

/** Files that the gateway rebuilds, or that belong to one process or to a repository elsewhere. */
const REBUILT = [
  /^config\.schema\.json$/,
  /^(cache|run|worktrees|before-format-\d+(\.tmp)?)\//,
  /(^|\/)memory\.sqlite[^/]*$/,
  /(^|\/)\.[0-9a-f]{16}\.tmp$/,
  /\.\d+\.tmp$/,
];
/** Links that the gateway creates: to a viber's folder, its search index, and the files of its current task. */
const OWN_LINKS = /^(vibers\/default|memory\/[^/]+\.sqlite|(workspace|vibers\/[^/]+)\/(session-log|task\.md))$/;

/**
 * Finished work is copied after pending work, so a message that finishes in between is finished again after the
 * restore, and none is lost. Read positions come before both, so later messages are fetched again. Conversations come
 * next. All other files are listed when they are copied, and so include every file that the earlier ones name.
 */
const ORDER = [
  ...[/^spool\/(marks|jobs)\//, /^spool\/log\//, /^spool\//, /^conversations\//],
  /^agents\/[^/]+\/sessions\//,
];
/** Lists the files beside it. */
const INDEX = 'artifacts.jsonl';

export const isEarly = ({ name }: ChosenFile): boolean => rankOf(name) < ORDER.length;

const rankOf = (name: string) => {
  const rank = ORDER.findIndex((pattern) => pattern.test(name));
  return rank < 0 ? ORDER.length : rank;
};

/** @param secrets additional names that hold secrets, such as a configuration that can't be read */
export function chooseFiles(home: string, secrets: ReadonlySet<string>): ChosenFile[] {
  const found: ChosenFile[] = [];
  const look = (folder: string): void => {
    const upTo = bytesOnDisk(path.join(home, folder, INDEX));
    const entries = entriesIn(path.join(home, folder));
    if (!entries) found.push({ name: folder, choice: 'unread' });
    for (const entry of entries ?? []) {
      const own = entry.name.toString();
      const name = `${folder}${own}${entry.isDirectory() ? '/' : ''}`;
      // A name that isn't UTF-8 can't be found again by its text.
      const isFit = safeName(name) !== undefined && Buffer.from(own).equals(entry.name);
      const choice = isFit ? chooseEntry(home, name, entry, secrets) : 'unfit';
      found.push({ name, choice, ...(own === INDEX && { upTo }) });
      if (entry.isDirectory() && (choice === 'take' || choice === 'secret')) look(name);
    }
  };
  look('');
  return found.sort((a, b) => rankOf(a.name) - rankOf(b.name) || (a.name < b.name ? -1 : 1));
}

function chooseEntry(home: string, name: string, entry: fs.Dirent<Buffer>, secrets: ReadonlySet<string>): Choice {
  if (REBUILT.some((pattern) => pattern.test(name))) return 'rebuilt';
  if (entry.isSymbolicLink() && OWN_LINKS.test(name)) return 'rebuilt';
  if (!entry.isFile() && !entry.isDirectory()) return 'foreign';
  return secrets.has(name) || isSecretFile(name, path.join(home, name)) ? 'secret' : 'take';
}

/** Returns no entries for a folder that was removed or became a file, and undefined for one without read permission. */
function entriesIn(folder: string): fs.Dirent<Buffer>[] | undefined {
  try {
    return fs.readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

function bytesOnDisk(file: string): number {
  try {
    return fs.statSync(file).size;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return 0;
  }
}
