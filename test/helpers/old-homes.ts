/**
 * Homes of every format that there has been, kept in test/fixtures/homes. A link of a home is kept there as a file
 * with its target, because copies of a checkout may turn links into such files.
 */
import fs from 'node:fs';
import path from 'node:path';

export const OLD_HOMES = path.join(import.meta.dirname, '../fixtures/homes');

const LINKS: Record<string, string[]> = {
  'format-1-files': ['workspace', 'vibers/default/session-log', 'vibers/default/task.md'],
  'format-1': ['vibers/default', 'workspace/session-log', 'workspace/task.md'],
  'format-2': ['vibers/default', 'workspace/session-log', 'workspace/task.md'],
};

/** Copies the home with this name to a folder that doesn't exist yet, with its links. */
export function copyOldHome(name: string, to: string): void {
  fs.cpSync(path.join(OLD_HOMES, name), to, { recursive: true });
  for (const link of LINKS[name]?.map((file) => path.join(to, file)) ?? []) {
    const target = fs.readFileSync(link, 'utf8');
    fs.unlinkSync(link);
    fs.symlinkSync(target, link);
  }
}
