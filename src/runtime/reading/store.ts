/**
 * Stores the texts of files beside them in the task's folder as `.text-<hash of the file>.txt`, so that the same bytes
 * are read only once, even after a crash. Tools never name hidden files; the tool that reads files returns their
 * content.
 */

import { readFile } from 'node:fs/promises';
import { errorCode } from '../../errors.ts';
import { ensureDir, writeFileAtomic } from '../../lib/files.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { FileText } from '../contract/reading.ts';

type ReadFile = { sha256: string };

const extractedFile = (home: Home, taskId: string, { sha256 }: ReadFile): string =>
  openTask(home, taskId).fileAt(`.text-${sha256.replace(/[^0-9a-f]/g, '').slice(0, 40)}.txt`);

export async function keptText(home: Home, taskId: string, of: ReadFile): Promise<FileText | undefined> {
  const file = extractedFile(home, taskId, of);
  try {
    const text = await readFile(file, 'utf8');
    return { file, text, characters: text.length };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Resolves when the text is durable. */
export async function keepText(home: Home, taskId: string, of: ReadFile, text: string): Promise<FileText> {
  const file = extractedFile(home, taskId, of);
  await ensureDir(openTask(home, taskId).folder);
  await writeFileAtomic(file, Buffer.from(text));
  return { file, text, characters: text.length };
}
