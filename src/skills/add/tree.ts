/**
 * The files of a source as listed, of any kind, and the skills among them. Pure. Invariant: a name that leads out of
 * its folder causes the whole source to be refused; links, devices and hidden files are never taken.
 */
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { cleanName } from '../../lib/text.ts';
import { say } from '../../messages/messages.ts';

export interface TreeEntry {
  /** From the top of the source, with `/`. */
  name: string;
  /** Bytes, as declared. */
  size: number;
  kind: 'file' | 'link' | 'other';
  isExecutable: boolean;
}

export interface Tree {
  entries: readonly TreeEntry[];
  /** The exact commit, version or hash. */
  version: string;
  /** Names a skill at the top that has no name of its own. */
  title: string;
  /** Returns the bytes of regular files among the entries; no more than declared. */
  read(names: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
  close(): Promise<void>;
}

export interface TreeFile {
  bytes: Buffer;
  isExecutable: boolean;
}

export const LIMITS = {
  /** Files and folders in a source. */
  entries: 50_000,
  /** Bytes of a download, packed. */
  packed: 50_000_000,
  /** Bytes of an archive, unpacked. */
  unpacked: 200_000_000,
  /** The highest compression ratio of a part of an archive that is larger than a megabyte. */
  ratio: 200,
  /** Limits of one skill. */
  files: 1_000,
  bytes: 20_000_000,
  skills: 500,
  depth: 12,
} as const;

const NEVER = new Set(['node_modules', '__MACOSX', '__pycache__']);
const SKILL = /^skill\.md$/i;

export const tooLarge = (): UserError => new UserError(say('adding.tooLarge'));

/** @throws UserError when one of them leads out, or when there are too many */
export function checkEntries(entries: readonly TreeEntry[]): void {
  if (entries.length > LIMITS.entries) throw tooLarge();
  for (const { name } of entries) {
    const leadsOut = name.startsWith('/') || /^[a-z]:/i.test(name) || name.includes('\0') || name.includes('\\');
    if (leadsOut || name.split('/').includes('..'))
      throw new UserError(say('adding.hostileName', { name: JSON.stringify(name.slice(0, 80)) }));
  }
}

/**
 * Returns folders with a `SKILL.md`, '' for the top. Folders below another one belong to that, except below the top.
 */
export function skillFolders(entries: readonly TreeEntry[]): { folder: string; file: string }[] {
  const found = entries.flatMap(({ name, kind }) => {
    const parts = name.split('/');
    const isSkill = kind === 'file' && SKILL.test(parts.at(-1) ?? '') && parts.length <= LIMITS.depth;
    if (!isSkill || parts.some((part) => NEVER.has(part) || part === '.git')) return [];
    return [{ folder: parts.slice(0, -1).join('/'), file: name }];
  });
  const folders = new Set(found.map(({ folder }) => folder));
  const isInside = ({ folder }: { folder: string }) => {
    for (let at = folder.lastIndexOf('/'); at > 0; at = folder.lastIndexOf('/', at - 1))
      if (folders.has(folder.slice(0, at))) return true;
    return false;
  };
  const seen = new Set<string>();
  return found
    .filter((each) => !isInside(each))
    .sort(byRank)
    .filter(({ folder }) => !seen.has(folder) && seen.add(folder))
    .slice(0, LIMITS.skills);
}

/** Ranks skills of the same name, of which the first counts: visible before hidden, then nearer to the top. */
function byRank(a: { folder: string }, b: { folder: string }): number {
  const rank = ({ folder }: { folder: string }) => [/(^|\/)\./.test(folder) ? 1 : 0, folder.split('/').length] as const;
  const [[hiddenA, depthA], [hiddenB, depthB]] = [rank(a), rank(b)];
  return hiddenA - hiddenB || depthA - depthB || (a.folder < b.folder ? -1 : 1);
}

/**
 * Returns the files of a folder to take, by their name in it, and how many are left out.
 * @throws UserError when there are too many, or two map to the same name
 */
export function folderFiles(
  entries: readonly TreeEntry[],
  folder: string,
): { taken: Map<string, TreeEntry>; left: number } {
  const prefix = folder === '' ? '' : `${folder}/`;
  const taken = new Map<string, TreeEntry>();
  const plain = new Set<string>();
  let left = 0;
  let bytes = 0;
  for (const entry of entries) {
    if (!entry.name.startsWith(prefix)) continue;
    const name = entry.name.slice(prefix.length);
    const parts = name.split('/');
    if (parts.some((part) => part.startsWith('.') || NEVER.has(part)) || name.endsWith('.pyc')) continue;
    if (entry.kind !== 'file') {
      left++;
      continue;
    }
    // One would replace the other on a case-insensitive disk.
    const same = name.normalize('NFC').toLowerCase();
    if (plain.has(same)) throw new UserError(say('adding.twice', { name: cleanName(name) }));
    plain.add(same);
    bytes += entry.size;
    if (parts.length > LIMITS.depth || taken.size >= LIMITS.files || bytes > LIMITS.bytes) throw tooLarge();
    taken.set(name, entry);
  }
  return { taken, left };
}

export const titleOf = (file: string): string =>
  path
    .basename(file)
    .replace(/\.(zip|skill|git)$/i, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
