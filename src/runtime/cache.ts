/**
 * Keyv on one SQLite file, `cache/cache.sqlite`. Only what may be lost: deleting the folder costs buttons their meaning
 * and channels one extra call. Opened at first use, so that a start without it costs nothing.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Keyv } from 'keyv';

export interface Cache {
  get(key: string): Promise<string | undefined>;
  /** `ttlMs` in milliseconds; for ever without it. */
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

export function openCache(folder: string): Cache {
  let opened: Promise<{ keyv: Keyv; close(): void }> | undefined;

  async function open() {
    const [{ Keyv, KeyvBridgeAdapter }, { DatabaseSync }] = await Promise.all([import('keyv'), import('node:sqlite')]);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const db = new DatabaseSync(path.join(folder, 'cache.sqlite'));
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
    db.exec('CREATE TABLE IF NOT EXISTS cache (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires INTEGER) STRICT');
    db.prepare('DELETE FROM cache WHERE expires < ?').run(Date.now());
    const select = db.prepare('SELECT value FROM cache WHERE key = ?');
    const upsert = db.prepare('INSERT OR REPLACE INTO cache (key, value, expires) VALUES (?, ?, ?)');
    const remove = db.prepare('DELETE FROM cache WHERE key = ?');
    const table = {
      get: async (key: string) => select.get(key)?.value,
      set: async (key: string, value: string, ttl?: number) => {
        upsert.run(key, value, ttl === undefined ? null : Date.now() + ttl);
        return true;
      },
      delete: async (key: string) => remove.run(key).changes > 0,
      clear: async () => db.exec('DELETE FROM cache'),
    };
    // Without an `error` listener a failed read throws; with one it would look like a missing key.
    return { keyv: new Keyv({ store: new KeyvBridgeAdapter(table) }), close: () => db.close() };
  }

  const ready = () => (opened ??= open());
  return {
    get: async (key) => (await ready()).keyv.get<string>(key),
    async set(key, value, ttlMs) {
      await (await ready()).keyv.set(key, value, ttlMs);
    },
    async delete(key) {
      await (await ready()).keyv.delete(key);
    },
    async close() {
      if (opened) (await opened).close();
      opened = undefined;
    },
  };
}
