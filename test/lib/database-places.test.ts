/** Databases that can be made again, with anything in the place of each of their files. */
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openCache } from '../../src/engine/cache.ts';
import { acquireLock } from '../../src/engine/local/lock.ts';
import { LockedError } from '../../src/errors.ts';
import { lockMemory } from '../../src/features/memory/store/edit.ts';
import { openIndexDb, readMeta, writeMeta } from '../../src/features/memory/store/index/db.ts';
import { moveAside } from '../../src/features/memory/store/index/rebuild.ts';
import { openHome } from '../../src/workspace/home.ts';
import { tempFolder } from '../helpers/temp.ts';
import { WRONG, WRONG_PLACES } from '../helpers/wrong-places.ts';

/** As a process that was killed leaves it: the database is whole, what belongs to it is wrong. */
function put(file: string, kind: string, side: string): void {
  if (side !== '') {
    const db = new DatabaseSync(file);
    db.exec('CREATE TABLE before (n INTEGER)');
    db.close();
  }
  WRONG[kind]?.(file + side);
}

describe.each(WRONG_PLACES)('%s at the place of %j', (kind, side) => {
  it('does not stop the cache', async () => {
    const folder = tempFolder();
    put(path.join(folder, 'cache.sqlite'), kind, side);
    const cache = openCache(folder);
    await cache.set('key', 'value');
    expect(await cache.get('key')).toBe('value');
    await cache.close();
  });

  it.skipIf(kind === 'a pipe' && side === '')('does not stop the lock of the home, which has one holder', () => {
    const folder = tempFolder();
    put(path.join(folder, 'lock.sqlite'), kind, side);
    const held = acquireLock(folder);
    expect(() => acquireLock(folder)).toThrow(LockedError);
    held.release();
    acquireLock(folder).release();
  });

  it('does not stop the lock of a memory', async () => {
    const root = tempFolder();
    const home = await openHome(root);
    fs.mkdirSync(path.join(root, 'run'), { recursive: true });
    put(path.join(root, 'run', 'memory-default.lock'), kind, side);
    expect(await lockMemory(home, 'default', async () => 'done')).toBe('done');
  });

  it('makes the search index anew at the second try', async () => {
    const file = path.join(tempFolder(), 'memory.sqlite');
    WRONG[kind]?.(file + side);
    const db = await openIndexDb(file).catch((error: unknown) => {
      expect(error).toMatchObject({ name: 'DamagedIndex' });
      moveAside(file);
      return openIndexDb(file);
    });
    await db.write(() => writeMeta(db, 'a', '1'));
    expect(readMeta(db, 'a')).toBe('1');
    db.close();
  });
});
