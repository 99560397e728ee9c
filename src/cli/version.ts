/** The version of this program: that of the package it belongs to. */
import fs from 'node:fs';
import path from 'node:path';
import { isRecord } from '../lib/json.ts';

export const PACKAGE = 'openviber-gateway';

/** The folder that package.json stands in: above the source, and above the built program. */
export function packageFolder(): string {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    if (fs.existsSync(path.join(folder, 'package.json')) || folder === path.dirname(folder)) return folder;
  }
}

/** `0.1.0`; `unknown` where the program was taken out of its package. */
export function versionOf(): string {
  const file = path.join(packageFolder(), 'package.json');
  const manifest: unknown = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
  return isRecord(manifest) && manifest.name === PACKAGE ? String(manifest.version) : 'unknown';
}
