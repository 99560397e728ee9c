/** Which files of a home belong into a backup, in which order, and which are told to be left out. */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { safeName } from './format.ts';
import { isSecretFile } from './secret-files.ts';

/**
 * `secret`: left out unless asked for. `foreign`: a link, a pipe, a socket; `unfit`: a name or a depth that no restore would take;
 * `unread`: a folder that may not be read. None of these three is ever taken.
 */
export type Choice = 'take' | 'rebuilt' | 'secret' | 'foreign' | 'unfit' | 'unread';

export interface ChosenFile {
  /** From the home, with `/`; that of a folder ends with it. */
  name: string;
  choice: Choice;
  /** Bytes to take: what was written later may name files that were not found. */
  upTo?: number;
}

/** Made again by the gateway, or of one process alone. */
const REBUILT = [/^(cache|run)\//, /(^|\/)memory\.sqlite[^/]*$/, /(^|\/)\.[0-9a-f]{16}\.tmp$/, /\.\d+\.tmp$/];
/** `openHome` makes it. */
const OWN_LINK = 'vibers/default';

/**
 * What was done is copied after what is still to do: so a message that is being finished at that moment is finished again after
 * the restore, and none is lost. How far a chat was read comes before both: what came since is fetched again. What was said comes
 * next; all else is looked for when that is copied, and so holds every file that it names.
 */
const ORDER = [
  ...[/^spool\/(marks|jobs)\//, /^spool\/log\//, /^spool\//, /^conversations\//],
  /^agents\/[^/]+\/sessions\//,
];
/** Names the files beside it. */
const INDEX = 'artifacts.jsonl';

export const isEarly = ({ name }: Pick<ChosenFile, 'name'>): boolean => rankOf(name) < ORDER.length;

const rankOf = (name: string) => {
  const rank = ORDER.findIndex((pattern) => pattern.test(name));
  return rank < 0 ? ORDER.length : rank;
};

/** `secrets`: names beside the usual ones that hold one, such as a configuration that cannot be read. */
export function chooseFiles(home: string, secrets: ReadonlySet<string>): ChosenFile[] {
  const found: ChosenFile[] = [];
  const look = (folder: string): void => {
    const upTo = sizeOf(path.join(home, folder, INDEX));
    const entries = entriesIn(path.join(home, folder));
    if (!entries) found.push({ name: folder, choice: 'unread' });
    for (const entry of entries ?? []) {
      const own = entry.name.toString();
      const name = `${folder}${own}${entry.isDirectory() ? '/' : ''}`;
      if (name === OWN_LINK && entry.isSymbolicLink()) continue;
      // One that is no UTF-8 is found again under no text.
      const isFit = safeName(name) !== undefined && Buffer.from(own).equals(entry.name);
      const choice = isFit ? choiceOf(home, name, entry, secrets) : 'unfit';
      found.push({ name, choice, ...(own === INDEX && { upTo }) });
      if (entry.isDirectory() && (choice === 'take' || choice === 'secret')) look(name);
    }
  };
  look('');
  return found.sort((a, b) => rankOf(a.name) - rankOf(b.name) || (a.name < b.name ? -1 : 1));
}

function choiceOf(home: string, name: string, entry: fs.Dirent<Buffer>, secrets: ReadonlySet<string>): Choice {
  if (REBUILT.some((pattern) => pattern.test(name))) return 'rebuilt';
  if (!entry.isFile() && !entry.isDirectory()) return 'foreign';
  return secrets.has(name) || isSecretFile(name, path.join(home, name)) ? 'secret' : 'take';
}

/** What is removed while we look, or has become a file, is an empty folder; undefined for one that may not be read. */
function entriesIn(folder: string): fs.Dirent<Buffer>[] | undefined {
  try {
    return fs.readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

function sizeOf(file: string): number {
  try {
    return fs.statSync(file).size;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return 0;
  }
}
