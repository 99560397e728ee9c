/** Writes a small JSON file atomically and synchronously: a reader, and a restart, sees the old one or the new one. */
import fs from 'node:fs';
import path from 'node:path';
import { tempBeside } from './files/staged-file.ts';

/** The file and its name are on disk when it returns. */
export function writeJson(file: string, value: unknown): void {
  const temp = tempBeside(file);
  fs.writeFileSync(temp, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
  fs.renameSync(temp, file);
  const folder = fs.openSync(path.dirname(file), 'r');
  try {
    fs.fsyncSync(folder);
  } finally {
    fs.closeSync(folder);
  }
}
