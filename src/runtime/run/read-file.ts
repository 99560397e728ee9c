/** Reads files as text: the one place where their words are extracted, by the feature for their kind. */
import { stat } from 'node:fs/promises';
import { sha256File } from '../../lib/files.ts';
import { type FileText, type ReadableFile, type ReadFor, Unreadable } from '../contract/reading.ts';
import { fileKind } from '../reading/kinds.ts';
import { keepText, keptText } from '../reading/store.ts';
import type { Gateway } from './gateway.ts';

/**
 * Returns the text of a recording or a document, which is extracted once and stored beside the file.
 * @throws Unreadable with the reason; RunError at a daily cap; the signal's reason; a system error if the disk fails
 */
export async function readFile(file: ReadableFile, by: ReadFor, gw: Gateway): Promise<FileText> {
  const known = await keptText(gw.home, by.task, file);
  if (known) return known;
  const kind = file.seconds === undefined ? (fileKind(file) ?? 'document') : 'sound';
  const reader = gw.features.on.find(({ reads }) => reads?.kinds.includes(kind))?.reads;
  if (!reader) throw new Unreadable('unset', `Nothing here reads files of this kind (${kind}).`);
  return keepText(gw.home, by.task, file, await reader.read(file, by, gw));
}

/** Returns the text of a file that a tool names, if words must be extracted from it; a page is already text. */
export async function readNamed(
  { path, name, type = '' }: { path: string; name: string; type?: string },
  by: ReadFor,
  gw: Gateway,
): Promise<FileText | undefined> {
  const kind = fileKind({ name, type });
  if (kind === undefined || kind === 'page') return undefined;
  const [{ size }, sha256] = await Promise.all([stat(path), sha256File(path)]);
  return readFile({ path, name, type, size, sha256 }, by, gw);
}
