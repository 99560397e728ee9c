/** A key that every process of a home has, and nobody who only reaches the server that they share. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { tempBeside } from '../../lib/files/staged-file.ts';

const BYTES = 32;

/** Made by whichever process comes first. */
export function homeKey(access: string): Buffer {
  const file = path.join(access, 'server.key');
  const known = readKey(file);
  if (known) return known;
  const temp = tempBeside(file);
  fs.writeFileSync(temp, randomBytes(BYTES), { mode: 0o600, flag: 'wx', flush: true });
  try {
    // Whole, and never over another's.
    if (fs.existsSync(file)) fs.rmSync(file);
    fs.linkSync(temp, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(temp, { force: true });
  }
  return readKey(file) ?? homeKey(access);
}

/** Undefined where there is none that is whole. */
function readKey(file: string): Buffer | undefined {
  const key = fs.existsSync(file) ? fs.readFileSync(file) : undefined;
  return key?.length === BYTES ? key : undefined;
}
