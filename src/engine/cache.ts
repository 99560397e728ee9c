/**
 * A cache, Keyv on one SQLite file, `cache/cache.sqlite`. Holds only what may be lost: after the folder is deleted, old
 * buttons no longer work, and channels make one extra call. Opened on first use, so that a start without it costs
 * nothing.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Keyv } from 'keyv';
import { isLostDb, quarantine } from '../lib/damage.ts';
import { freeSides } from '../lib/database-places.ts';

export interface Cache {
  get(key: string): Promise<string | undefined>;
  /** `ttlMs` in milliseconds; forever without it. */
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

const ABOUT = { lost: 'what buttons mean', next: 'Buttons sent before are no longer valid; nothing else is missing.' };
/** Losing the files beside it does no harm. */
const SIDES = { lost: 'nothing', next: 'The cache is used as it is.' };

interface OpenCache {
  keyv: Keyv;
  close(): void;
}

export function openCache(folder: string): Cache {
  const file = path.join(folder, 'cache.sqlite');
  let opened: Promise<OpenCache> | undefined;

  async function open(): Promise<OpenCache> {
    const [{ Keyv, KeyvBridgeAdapter }, { DatabaseSync }] = await Promise.all([import('keyv'), import('node:sqlite')]);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    freeSides(file, SIDES);
    const db = new DatabaseSync(file);
    try {
      const table = prepare(db);
      // Without an `error` listener a failed read throws; with one it would look like a missing key.
      return { keyv: new Keyv({ store: new KeyvBridgeAdapter(table) }), close: () => db.close() };
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** Sets a damaged file aside and retries on a new one. */
  async function use<T>(work: (keyv: Keyv) => Promise<T>): Promise<T> {
    opened ??= open();
    const mine = opened;
    try {
      return await work((await mine).keyv);
    } catch (error) {
      if (!isLostDb(error, file)) throw error;
      if (opened === mine) {
        // If opening failed there is nothing to close; the error is handled below.
        const before = await mine.catch(() => undefined);
        before?.close();
        quarantine(file, 'is damaged', ABOUT);
        for (const rest of ['-wal', '-shm', '-journal']) fs.rmSync(file + rest, { recursive: true, force: true });
        opened = open();
      }
      return work((await (opened ?? open())).keyv);
    }
  }

  return {
    get: (key) =>
      use(async (keyv) => {
        const value: unknown = await keyv.get(key).catch((error: unknown) => {
          if (error instanceof SyntaxError) return undefined;
          throw error;
        });
        return typeof value === 'string' ? value : undefined;
      }),
    async set(key, value, ttlMs) {
      await use((keyv) => keyv.set(key, value, ttlMs));
    },
    async delete(key) {
      await use((keyv) => keyv.delete(key));
    },
    async close() {
      const last = opened;
      opened = undefined;
      // If opening failed there is nothing to close, and the caller got the error.
      (await last?.catch(() => undefined))?.close();
    },
  };
}

function prepare(db: DatabaseSync) {
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
  db.exec('CREATE TABLE IF NOT EXISTS cache (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires INTEGER) STRICT');
  db.prepare('DELETE FROM cache WHERE expires < ?').run(Date.now());
  const select = db.prepare('SELECT value FROM cache WHERE key = ?');
  const upsert = db.prepare('INSERT OR REPLACE INTO cache (key, value, expires) VALUES (?, ?, ?)');
  const remove = db.prepare('DELETE FROM cache WHERE key = ?');
  return {
    get: async (key: string) => select.get(key)?.value,
    set: async (key: string, value: string, ttl?: number) => {
      upsert.run(key, value, ttl === undefined ? null : Date.now() + ttl);
      return true;
    },
    delete: async (key: string) => remove.run(key).changes > 0,
    clear: async () => db.exec('DELETE FROM cache'),
  };
}
