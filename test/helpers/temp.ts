/** A separate folder for each test, removed at its end. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

export function tempFolder(atEnd: (end: () => void) => void = onTestFinished): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-'));
  atEnd(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return folder;
}

/** Returns every file below a folder with its content, to compare before and after. */
export function tree(folder: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const full = path.join(entry.parentPath, entry.name);
    if (entry.isFile()) files[path.relative(folder, full)] = fs.readFileSync(full, 'latin1');
  }
  return files;
}

/** Writes a file below a folder, with the folders above it. */
export function put(folder: string, name: string, content: string | Uint8Array): void {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}

/** Writes files below a folder, by their names. */
export function putAll(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) put(folder, name, content);
}
