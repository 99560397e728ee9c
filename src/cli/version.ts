/** The version of this program, from its package. */
import fs from 'node:fs';
import path from 'node:path';
import { isRecord } from '../lib/json.ts';

export const PACKAGE = 'openviber-gateway';

/** Returns the folder of package.json, which is above the source and the built program. */
export function packageFolder(): string {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    if (fs.existsSync(path.join(folder, 'package.json')) || folder === path.dirname(folder)) return folder;
  }
}

/** Returns undefined if the program was moved out of its package. */
export function manifestHere(): Record<string, unknown> | undefined {
  const file = path.join(packageFolder(), 'package.json');
  const manifest: unknown = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
  return isRecord(manifest) && manifest.name === PACKAGE ? manifest : undefined;
}

/** Returns `unknown` if the program was moved out of its package. */
export const versionOf = (): string => String(manifestHere()?.version ?? 'unknown');
