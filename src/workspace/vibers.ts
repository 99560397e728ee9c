/**
 * Lists the vibers: `default`, and all with settings (`agents/{id}.yaml`) or a folder (`vibers/{id}/`). Two stats when
 * nothing has changed.
 */
import fs from 'node:fs';
import path from 'node:path';
import { createStatCache } from '../lib/files/cache.ts';
import { DEFAULT_VIBER, isId } from './home.ts';

const SUFFIX = '.yaml';

const settings = createStatCache<readonly string[]>(4, (folder) =>
  fs.readdirSync(folder).flatMap((name) => (name.endsWith(SUFFIX) ? [name.slice(0, -SUFFIX.length)] : [])),
);
const folders = createStatCache<readonly string[]>(4, (folder) =>
  fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])),
);

type Place = { root: string; agents: string };

const found = ({ root, agents }: Place): string[] => [
  ...(settings.get(agents) ?? []),
  ...(folders.get(path.join(root, 'vibers')) ?? []),
];

/** Lists `default` first, then the others by name. */
export function listVibers(home: Place): string[] {
  const others = new Set(found(home).filter((id) => isId(id) && id !== DEFAULT_VIBER));
  return [DEFAULT_VIBER, ...[...others].sort()];
}

export const isViber = (home: Place, id: string): boolean =>
  id === DEFAULT_VIBER || (isId(id) && found(home).includes(id));
