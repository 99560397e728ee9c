/** Which files of a home belong into a backup, in which order, and which are told to be left out. */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';

/** `secret`: left out unless asked for. `foreign`: a link, a pipe, a socket: never taken. */
export type Choice = 'take' | 'rebuilt' | 'secret' | 'foreign';

export interface ChosenFile {
  /** From the home, with `/`; that of a folder ends with it. */
  name: string;
  choice: Choice;
  /** Bytes to take: what was written later may name files that were not found. */
  upTo?: number;
}

/** Made again by the gateway, or of one process alone. */
const REBUILT = [/^(cache|run)\//, /(^|\/)memory\.sqlite[^/]*$/, /(^|\/)\.[0-9a-f]{16}\.tmp$/, /\.\d+\.tmp$/];
/** Where the documents tell people to put them. */
const SECRET = [/^service\.env$/, /^\.env[^/]*$/, /\.secret\.md$/, /(^|\/)credentials\//];
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

/** `secrets`: names beside the usual ones that hold one, such as a configuration with a token in it. */
export function chooseFiles(home: string, secrets: ReadonlySet<string>): ChosenFile[] {
  const found: ChosenFile[] = [];
  const look = (folder: string): void => {
    const upTo = fs.statSync(path.join(home, folder, INDEX), { throwIfNoEntry: false })?.size ?? 0;
    for (const entry of entriesIn(path.join(home, folder))) {
      const name = `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`;
      if (name === OWN_LINK && entry.isSymbolicLink()) continue;
      const choice = choiceOf(name, entry, secrets);
      found.push({ name, choice, ...(entry.name === INDEX && { upTo }) });
      if (entry.isDirectory() && choice === 'take') look(name);
    }
  };
  look('');
  return found.sort((a, b) => rankOf(a.name) - rankOf(b.name) || (a.name < b.name ? -1 : 1));
}

function choiceOf(name: string, entry: fs.Dirent, secrets: ReadonlySet<string>): Choice {
  if (REBUILT.some((pattern) => pattern.test(name))) return 'rebuilt';
  if (!entry.isFile() && !entry.isDirectory()) return 'foreign';
  return secrets.has(name) || SECRET.some((pattern) => pattern.test(name)) ? 'secret' : 'take';
}

/** What is removed while we look is not there. */
function entriesIn(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
