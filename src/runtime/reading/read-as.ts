/** A file that a tool names, as text where it is of a kind that has words to be taken out. */
import { stat } from 'node:fs/promises';
import { sha256File } from '../../lib/files.ts';
import type { FileText, ReadFor, Reading } from '../contract/reading.ts';

export async function readAs(
  reading: Reading,
  { path, name, type = '' }: { path: string; name: string; type?: string },
  by: ReadFor,
): Promise<FileText | undefined> {
  const kind = reading.kindOf({ name, type });
  if (kind === undefined || kind === 'page') return undefined;
  const [{ size }, sha256] = await Promise.all([stat(path), sha256File(path)]);
  return reading.read({ path, name, type, size, sha256 }, by);
}
