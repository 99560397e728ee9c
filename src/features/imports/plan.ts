/** The plan of an import: files to write, and what a person has to do. */
import fs from 'node:fs';
import path from 'node:path';
import { type HeldFile, type HeldFolder, holdFolder, openFile, PathRefused } from '../../lib/files/below.ts';

export interface Plan {
  /** Files to write: for each a path below the home, its source and its content. */
  writes: { to: string; from: string; content: Buffer }[];
  /** One sentence each. */
  notes: string[];
}

const MAX_TEXT = 2_000_000;

/** Reads a plain file below `root`. Never follows a link: it could point anywhere. */
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

/** Reads a plain file below `root`, or reports that it is left out. */
export function readOrNote(plan: Plan, root: string, name: string): Buffer | undefined {
  const content = readSmall(root, name);
  const from = path.join(root, name);
  if (content === undefined && fs.lstatSync(from, { throwIfNoEntry: false }))
    plan.notes.push(`${from} is not imported: it is a link, a folder, or larger than 2 MB.`);
  return content;
}

/**
 * Returns the paths of all plain files in a folder below `root`, relative to the folder. Reports links; leaves out
 * hidden files and installed packages.
 */
export function plainFiles(plan: Plan, root: string, name: string): string[] {
  const files: string[] = [];
  const walk = (folder: HeldFolder | undefined, prefix: string): void => {
    try {
      for (const entry of folder?.entries() ?? []) {
        if (/^\.|^node_modules$/.test(entry.name)) continue;
        if (entry.isFile) files.push(prefix + entry.name);
        else if (entry.isFolder) walk(folder?.folder(entry.name), `${prefix}${entry.name}/`);
        else noteLink(plan, path.join(root, name, prefix, entry.name));
      }
    } finally {
      folder?.close();
    }
  };
  try {
    walk(holdFolder(root, name.split('/')), '');
  } catch (error) {
    if (!(error instanceof PathRefused)) throw error;
    noteLink(plan, path.join(root, name));
  }
  return files.sort();
}

const noteLink = (plan: Plan, file: string) => plan.notes.push(`${file} is not imported: it is a link.`);
