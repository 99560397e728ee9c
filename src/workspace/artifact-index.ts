/** The index of a task's artifacts: what an entry is, and reading it past torn or foreign lines. */
import { createStatCache } from './cache.ts';
import { readTextSync } from './files.ts';
import { isId } from './home.ts';
import type { ArtifactRef } from './types.ts';

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

const indexes = createStatCache<readonly ArtifactMeta[]>(256, (file) => parseIndex(readTextSync(file) ?? ''));

/** The entries of an index file, the last line of each id, oldest first; none when there is no file. */
export function readIndex(file: string): readonly ArtifactMeta[] {
  return indexes.get(file) ?? [];
}

function parseIndex(text: string): ArtifactMeta[] {
  const metas = new Map<string, ArtifactMeta>();
  for (const line of text.split('\n')) {
    const meta = line === '' ? undefined : parseMeta(line);
    if (meta === undefined) continue;
    metas.delete(meta.id);
    metas.set(meta.id, meta);
  }
  return [...metas.values()];
}

function parseMeta(line: string): ArtifactMeta | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return isMeta(value) ? value : undefined;
}

function isMeta(value: unknown): value is ArtifactMeta {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const texts = ['id', 'title', 'type', 'ref', 'name', 'sha256', 'createdAt'];
  const origin = fields.get('origin');
  return (
    texts.every((name) => typeof fields.get(name) === 'string') &&
    isId(String(fields.get('id'))) &&
    Number.isSafeInteger(fields.get('size')) &&
    (origin === 'agent' || origin === 'user')
  );
}
