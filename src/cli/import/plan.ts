/** What an import would do: files to write, and what is left to a person. */
import fs from 'node:fs';
import { type HeldFile, type HeldFolder, holdFolder, openFile, PathRefused } from '../../lib/files/below.ts';

export interface Plan {
  /** Below the home, with what it will say. */
  writes: { to: string; from: string; content: Buffer }[];
  /** What is left to a person, one sentence each. */
  notes: string[];
}

const MAX_TEXT = 2_000_000;

/** Plain files alone, through no link below `root`: one may lead anywhere. */
export function readSmall(root: string, name: string, max = MAX_TEXT): Buffer | undefined {
  const names = name.split('/').filter((part) => part !== '' && part !== '.');
  let folder: HeldFolder | undefined;
  let file: HeldFile | undefined;
  try {
    folder = holdFolder(root, names.slice(0, -1));
    file = folder && openFile(folder, names);
    return file?.stat.isFile() && file.stat.size <= max ? fs.readFileSync(file.fd) : undefined;
  } catch (error) {
    if (error instanceof PathRefused) return undefined;
    throw error;
  } finally {
    if (file) fs.closeSync(file.fd);
    folder?.close();
  }
}

/** Names of all plain files in a folder below `root`, relative to it; those behind a link are not there. */
export function filesIn(root: string, name: string): string[] {
  const files: string[] = [];
  const walk = (folder: HeldFolder | undefined, prefix: string): void => {
    try {
      for (const entry of folder?.entries() ?? []) {
        if (entry.isFile) files.push(prefix + entry.name);
        else if (entry.isFolder) walk(folder?.folder(entry.name), `${prefix}${entry.name}/`);
      }
    } finally {
      folder?.close();
    }
  };
  try {
    walk(holdFolder(root, name.split('/')), '');
  } catch (error) {
    if (!(error instanceof PathRefused)) throw error;
  }
  return files.sort();
}
