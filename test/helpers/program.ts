/**
 * The program that tests start as a process: the built one, as people run it, when it is newer than every source; else the source.
 * A start of the built one costs a third.
 */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');

function isBuilt(): boolean {
  const built = statSync(path.join(root, 'dist', 'main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return built > 0 && sources.every((name) => statSync(path.join(root, 'src', name)).mtimeMs < built);
}

/** For `node`, relative to the repository. */
export const PROGRAM = isBuilt() ? 'dist/main.js' : 'src/main.ts';
