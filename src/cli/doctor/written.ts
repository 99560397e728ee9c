/**
 * Checks files that people write: reports conflict copies from a file synchronisation, which are not read, and texts
 * with unresolved conflict markers, which are read unchanged. Reads the content of Markdown files only.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { readTextSync } from '../../lib/files.ts';
import { originalOf, undecidedLine } from '../../lib/second-versions.ts';
import { say, type Wording } from '../../messages/messages.ts';
import { cutFiles } from '../../workspace/bootstrap.ts';
import type { Finding } from './finding.ts';

/** Jobs have a check of their own. Output of runs is not checked. */
const FOLDERS = ['.', 'agents', 'playbooks', 'skills', 'workspace', 'vibers'];
const LEFT_OUT = /^(\.|node_modules$|suggestions$|sessions$|artifacts$)/;
const MAX_DEPTH = 5;
const MAX_LOOKS = 5_000;
const MAX_BYTES = 512 * 1024;
const MAX_TOLD = 10;

export function checkWritten(root: string): Finding[] {
  const told: Wording[] = [];
  let looks = 0;

  function look(folder: string, depth: number): void {
    for (const entry of readEntries(path.join(root, folder))) {
      if (LEFT_OUT.test(entry.name) || ++looks > MAX_LOOKS) continue;
      const name = path.join(folder, entry.name);
      const original = originalOf(entry.name);
      if (original !== undefined) told.push(say('doctor.secondVersion', { name, original }));
      else if (entry.isDirectory()) {
        if (depth > 0) look(name, depth - 1);
      } else if (/\.md$/i.test(entry.name)) {
        const line = undecidedIn(path.join(root, name));
        if (line > 0) told.push(say('doctor.undecided', { name, line }));
      }
    }
  }

  for (const folder of FOLDERS) look(folder, folder === '.' ? 0 : MAX_DEPTH);
  const vibers = readEntries(path.join(root, 'vibers')).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  for (const folder of ['.', 'workspace', ...vibers.map((viber) => path.join('vibers', viber))])
    for (const { name, why } of cutFiles(path.join(root, folder)))
      told.push(say('doctor.shorten', { name: path.join(folder, name), why }));
  const rest = told.length - MAX_TOLD;
  return [...told.slice(0, MAX_TOLD), ...(rest > 0 ? [say('doctor.moreFiles', { n: rest })] : [])].map((detail) => ({
    name: 'files',
    state: 'note',
    detail,
  }));
}

function undecidedIn(file: string): number {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size <= MAX_BYTES ? undecidedLine(readTextSync(file) ?? '') : 0;
}

function readEntries(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}
