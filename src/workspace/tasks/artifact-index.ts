/** The index of a task's artifacts: what an entry is, and reading it past torn or foreign lines. */

import fs from 'node:fs';
import { createStatCache } from '../../lib/files/cache.ts';
import { readJsonLines } from '../../lib/read-json.ts';
import { isInteger, isText, objectOf, oneOf, shape } from '../../lib/shape.ts';
import { isId } from '../home.ts';
import type { ArtifactRef } from '../types.ts';

/** `agent`: made by a run. `user`: sent in by a person. */
export type ArtifactOrigin = 'agent' | 'user';

export interface ArtifactMeta extends ArtifactRef {
  /** For uploads and lists; from outside, never a path. */
  name: string;
  /** Bytes. */
  size: number;
  sha256: string;
  origin: ArtifactOrigin;
  /** ISO 8601. */
  createdAt: string;
}

const isMeta = objectOf({
  ...{
    id: (value) => typeof value === 'string' && isId(value),
    title: isText,
    type: isText,
    ref: isText,
    name: isText,
  },
  ...{ sha256: isText, createdAt: isText, size: isInteger, origin: oneOf('agent', 'user') },
});
const ABOUT = {
  lost: 'which artifacts a task has',
  next: 'Their files are still in the folder of the task.',
  tell: true,
};
const indexes = createStatCache<readonly ArtifactMeta[]>(256, parseIndex);

/** The entries of an index file, the last line of each id, oldest first; none when there is no file. */
export function readIndex(file: string): readonly ArtifactMeta[] {
  // What the cache cannot see may be a link that leads nowhere.
  return indexes.get(file) ?? (fs.lstatSync(file, { throwIfNoEntry: false }) ? parseIndex(file) : []);
}

function parseIndex(file: string): ArtifactMeta[] {
  const metas = new Map<string, ArtifactMeta>();
  for (const meta of readJsonLines(file, shape<ArtifactMeta>(isMeta), ABOUT)) {
    metas.delete(meta.id);
    metas.set(meta.id, meta);
  }
  return [...metas.values()];
}
