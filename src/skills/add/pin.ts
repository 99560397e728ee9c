/**
 * Records where a skill was added from, in `.source.json` of its own folder, so that the record is placed and removed
 * with it. It tells where to look for updates and exactly what was taken, so that later edits are noticed.
 */
import path from 'node:path';
import { z } from 'zod';
import { readText } from '../../lib/files.ts';
import { parseJson } from '../../lib/json.ts';
import { type Files, sumsOf } from './bundle.ts';
import { listFolder, openFolder } from './folder.ts';
import { folderFiles, type TreeFile } from './tree.ts';

export const PIN = '.source.json';

const pin = z.object({
  /** As typed after `viber skills add`. */
  source: z.string().min(1).max(2_100),
  /** Its folder in the source, '' for the top. */
  folder: z.string().max(2_000),
  /** The commit, the version, or the hash of an archive; '' for a folder. */
  version: z.string().max(300),
  /** Hash of all files. */
  sum: z.string().length(64),
  /** Hashes by file. */
  files: z.record(z.string(), z.string()),
  at: z.string(),
  by: z.string().max(300),
});

export type Pin = z.infer<typeof pin>;

export const readPinText = (text: string): Pin | undefined => pin.safeParse(parseJson(text)).data;

/** Returns undefined for a skill that was added by hand, or whose record can't be read. */
export async function readPin(folder: string): Promise<Pin | undefined> {
  const text = await readText(path.join(folder, PIN));
  return text === undefined ? undefined : readPinText(text);
}

/** Reads the folder's current files, by the rules of adding. */
export async function readInstalled(folder: string): Promise<Files> {
  const tree = await openFolder(folder);
  const { taken } = folderFiles(tree.entries, '');
  const bytes = await tree.read([...taken.keys()]);
  return new Map(
    [...taken].map(([name, { isExecutable }]): [string, TreeFile] => [
      name,
      { bytes: bytes.get(name) ?? Buffer.alloc(0), isExecutable },
    ]),
  );
}

/** Lists files, of any kind, that were changed, added or removed since they were taken. */
export async function editedIn(folder: string, { files }: Pin): Promise<string[]> {
  const now = sumsOf(await readInstalled(folder));
  const all = new Set([...Object.keys(now), ...Object.keys(files)]);
  const changed = [...all].filter((name) => now[name] !== files[name]);
  const others = (await listFolder(folder)).filter(({ kind }) => kind !== 'file').map(({ name }) => name);
  return [...changed, ...others].sort();
}
