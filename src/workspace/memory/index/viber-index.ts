/**
 * The open index of one viber: kept open while it is used, made anew when it was deleted, damaged or replaced meanwhile, closed
 * and its vectors forgotten when nobody has searched for a while.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import type { Home } from '../../home.ts';
import type { Vectors } from '../vectors.ts';
import { DamagedIndex, type IndexDb, openIndexDb, readMeta, StaleIndex, writeMeta } from './db.ts';
import { moveAside } from './rebuild.ts';
import { loadVectors } from './vectors.ts';

export interface OpenIndex {
  db: IndexDb;
  /** This very file was brought up to the memory once. */
  isFilled: boolean;
  /** The vectors of this model in memory; undefined while the file has none. */
  vectors(model: string): Promise<Vectors | undefined>;
  /** Rows this process has changed; the others are noticed. */
  setVector(id: number, vector: Float32Array): void;
  removed(ids: readonly number[]): void;
}

export interface ViberIndex {
  readonly file: string;
  /** Runs `work` on the open index; again, on a new one, when the file turned out to be stale or damaged. */
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
    // One that could not be opened has nothing to close, and who asked for it has been told.
    closing?.then(
      ({ db }) => db.close(),
      () => undefined,
    );
  }

  async function open(): Promise<OpenIndex> {
    const db = await openIndexDb(file);
    link(home, viber);
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
        // Another search may have opened it anew already.
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
  // While they are being read, a row may change behind the page that was read last.
  let changes: (() => void)[] = [];
  const change = (apply: (vectors: Vectors) => void) => {
    if (loaded) apply(loaded);
    else if (loading) changes.push(() => loaded && apply(loaded));
  };

  return {
    db,
    isFilled: false,
    async vectors(model) {
      // It counts the commits of other connections only.
      const version = Number((await db.read(() => db.sql('PRAGMA data_version').get()))?.data_version);
      if (loading?.model !== model || loading.version !== version) {
        loaded = undefined;
        changes = [];
        const vectors = loadVectors(db, model);
        loading = { model, version, vectors };
        const mine = loading;
        const result = await vectors;
        if (loading !== mine) return result;
        // None yet: asked again the next time.
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

/** `memory/{viber}.sqlite` of the home leads to the index. What somebody else has put there stays. */
function link(home: Home, viber: string): void {
  const at = path.join(home.root, 'memory', `${viber}.sqlite`);
  try {
    if (fs.lstatSync(at, { throwIfNoEntry: false }) !== undefined) return;
    fs.mkdirSync(path.dirname(at), { recursive: true, mode: 0o700 });
    fs.symlinkSync(`../vibers/${viber}/memory.sqlite`, at);
  } catch (error) {
    if (!['EEXIST', 'EPERM', 'EACCES', 'EROFS', 'ENOTSUP'].includes(errorCode(error) ?? '')) throw error;
  }
}
