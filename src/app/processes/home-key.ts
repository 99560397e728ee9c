/** Manages a key that every process of a home has, but not somebody who can only reach the shared server. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { tempBeside } from '../../lib/files/staged-file.ts';

const BYTES = 32;

/** Returns the key; the first process creates it. */
export function homeKey(access: string): Buffer {
  const file = path.join(access, 'server.key');
  const known = readKey(file);
  if (known) return known;
  const temp = tempBeside(file);
  fs.writeFileSync(temp, randomBytes(BYTES), { mode: 0o600, flag: 'wx', flush: true });
  try {
    // The link creates a complete file and never replaces another process's key.
    if (fs.existsSync(file)) fs.rmSync(file);
    fs.linkSync(temp, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(temp, { force: true });
  }
  return readKey(file) ?? homeKey(access);
}

function readKey(file: string): Buffer | undefined {
  const key = fs.existsSync(file) ? fs.readFileSync(file) : undefined;
  return key?.length === BYTES ? key : undefined;
}
