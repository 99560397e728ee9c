/**
 * The open index of one viber: kept open while in use, rebuilt when it was deleted, damaged or replaced, and closed
 * with its vectors after a while without a search.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../../../errors.ts';
import type { Logger } from '../../../../log.ts';
import type { Home } from '../../../../workspace/home.ts';
import type { Vectors } from '../vectors.ts';
import { DamagedIndex, type IndexDb, openIndexDb, readMeta, StaleIndex, writeMeta } from './db.ts';
import { moveAside } from './rebuild.ts';
import { loadVectors } from './vectors.ts';

export interface OpenIndex {
  db: IndexDb;
  /** Whether this very file was updated from the memory once. */
  isFilled: boolean;
  /** Returns the vectors of this model in memory; undefined while the file has none. */
  vectors(model: string): Promise<Vectors | undefined>;
  /** Applies a row that this process changed; other changes are detected. */
  setVector(id: number, vector: Float32Array): void;
  removed(ids: readonly number[]): void;
}

export interface ViberIndex {
  readonly file: string;
  /** Runs `work` on the open index; again, on a new one, if the file was stale or damaged. */
  use<T>(work: (index: OpenIndex) => Promise<T>): Promise<T>;
  close(): void;
}

const IDLE_MS = 5 * 60_000;
const TRIES = 4;

export const indexFile = (home: Home, viber: string): string => path.join(home.viberDir(viber), 'memory.sqlite');

export function createViberIndex(home: Home, viber: string, log: Logger | undefined): ViberIndex {
  const file = indexFile(home, viber);
  let opening: Promise<OpenIndex> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let users = 0;

  function close(): void {
    clearTimeout(idle);
    const closing = opening;
    opening = undefined;
    // If opening failed there is nothing to close, and the caller got the error.
    closing?.then(
      ({ db }) => db.close(),
      () => undefined,
    );
  }

  async function open(): Promise<OpenIndex> {
    const db = await openIndexDb(file);
    linkIndex(home, viber);
    await db.write(() => {
      if (readMeta(db, 'built_at') === undefined) writeMeta(db, 'built_at', String(Date.now()));
    });
    return withVectors(db);
  }

  async function current(): Promise<OpenIndex> {
    opening ??= open();
    const index = await opening;
    if (index.db.isCurrent()) return index;
    throw new StaleIndex(`${file} was replaced`);
  }

  async function attempt<T>(work: (index: OpenIndex) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const used = opening;
      try {
        return await work(await current());
      } catch (error) {
        const isDamaged = error instanceof DamagedIndex;
        // Another search may have reopened it already.
        if (opening === used || used === undefined) close();
        if (tries >= TRIES || !(isDamaged || error instanceof StaleIndex)) throw error;
        if (isDamaged) {
          log?.warn({ viber, err: error }, 'the search index of the memory is damaged: it is made anew');
          moveAside(file);
        }
      }
    }
  }

  return {
    file,
    async use(work) {
      clearTimeout(idle);
      users++;
      try {
        return await attempt(work);
      } finally {
        users--;
        clearTimeout(idle);
        if (users === 0 && opening) idle = setTimeout(close, IDLE_MS).unref();
      }
    },
    close,
  };
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
        // None yet: try again the next time.
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
