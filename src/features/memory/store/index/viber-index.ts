/** Manages the open index of one viber's memory, with its vectors. */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../../../errors.ts';
import type { Logger } from '../../../../log.ts';
import type { Home } from '../../../../workspace/home.ts';
import type { Vectors } from '../vectors.ts';
import { type IndexDb, openIndexDb, readMeta, writeMeta } from './db.ts';
import { keepIndex } from './keep-index.ts';
import { loadVectors } from './vectors.ts';

export interface OpenIndex {
  db: IndexDb;
  /** Whether this very file was updated from the memory at least once. */
  isFilled: boolean;
  /** Returns this model's vectors in memory; undefined if the file has none. */
  vectors(model: string): Promise<Vectors | undefined>;
  /** Applies a row that this process changed. Other changes are detected. */
  setVector(id: number, vector: Float32Array): void;
  removed(ids: readonly number[]): void;
}

export interface ViberIndex {
  readonly file: string;
  /** Runs `work` on the open index. If the file was stale or damaged, repeats it on a new one. */
  use<T>(work: (index: OpenIndex) => Promise<T>): Promise<T>;
  close(): void;
}

export const indexFile = (home: Home, viber: string): string => path.join(home.viberDir(viber), 'memory.sqlite');

export function createViberIndex(home: Home, viber: string, log: Logger | undefined): ViberIndex {
  const file = indexFile(home, viber);
  const { use, close } = keepIndex(file, {
    async open() {
      const db = await openIndexDb(file);
      linkIndex(home, viber);
      await db.write(() => {
        if (readMeta(db, 'built_at') === undefined) writeMeta(db, 'built_at', String(Date.now()));
      });
      return withVectors(db);
    },
    onDamage: (err) => log?.warn({ viber, err }, 'the search index of the memory is damaged and will be rebuilt'),
  });
  return { file, use, close };
}

function withVectors(db: IndexDb): OpenIndex {
  let loading: { model: string; version: number; vectors: Promise<Vectors | undefined> } | undefined;
  let loaded: Vectors | undefined;
  // During loading, a row may change behind the page that was read last.
  let changes: (() => void)[] = [];
  const change = (apply: (vectors: Vectors) => void) => {
    if (loaded) apply(loaded);
    else if (loading) changes.push(() => loaded && apply(loaded));
  };

  return {
    db,
    isFilled: false,
    async vectors(model) {
      // `data_version` counts only commits of other connections.
      const version = Number((await db.read(() => db.sql('PRAGMA data_version').get()))?.data_version);
      if (loading?.model !== model || loading.version !== version) {
        loaded = undefined;
        changes = [];
        const vectors = loadVectors(db, model);
        loading = { model, version, vectors };
        const mine = loading;
        const result = await vectors;
        if (loading !== mine) return result;
        // There are none yet: try again the next time.
        if (result === undefined) loading = undefined;
        loaded = result;
        for (const apply of changes.splice(0)) apply();
        return result;
      }
      return loading.vectors;
    },
    setVector(id, vector) {
      if (loaded && loaded.dimensions !== vector.length) loading = loaded = undefined;
      change((vectors) => vectors.dimensions === vector.length && vectors.set(id, vector));
    },
    removed: (ids) => change((vectors) => ids.forEach((id) => void vectors.delete(id))),
  };
}

/** Links `memory/{viber}.sqlite` of the home to the index. Leaves anything else in that place alone. */
function linkIndex(home: Home, viber: string): void {
  const at = path.join(home.root, 'memory', `${viber}.sqlite`);
  try {
    if (fs.lstatSync(at, { throwIfNoEntry: false }) !== undefined) return;
    fs.mkdirSync(path.dirname(at), { recursive: true, mode: 0o700 });
    fs.symlinkSync(`../vibers/${viber}/memory.sqlite`, at);
  } catch (error) {
    if (!['EEXIST', 'EPERM', 'EACCES', 'EROFS', 'ENOTSUP'].includes(errorCode(error) ?? '')) throw error;
  }
}
