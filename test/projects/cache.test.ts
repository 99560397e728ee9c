/** What tools keep for a project: found again by the next command, never by another person's, and bounded. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openProjectCache, sweepCaches, tidyCache } from '../../src/features/projects/commands/cache.ts';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { openShop } from './commands.ts';

const LIST = 'ls "$npm_config_cache" "$GOMODCACHE" 2>/dev/null | tr "\\n" " "';

describe.skipIf(!isSandboxed)(`the cache of a project ${IN_SANDBOX}`, () => {
  it('is there for the next command, and for nobody else', async () => {
    const { call, home, run, above } = await openShop();
    expect(await call('mkdir -p "$npm_config_cache" && echo kept > "$npm_config_cache/a"')).toMatchObject({ exit: 0 });
    expect(await call('cat "$npm_config_cache/a"')).toMatchObject({ output: 'kept' });
    Object.assign(run, { person: 'person:sam' });
    expect(await call(LIST)).toMatchObject({ output: '' });
    Object.assign(run, { person: 'person:alex' });
    const other = path.join(above, 'other');
    fs.mkdirSync(other);
    Object.assign(run, { project: () => ({ name: 'other', folder: other }) });
    expect(await call(LIST)).toMatchObject({ output: '' });
    expect(fs.readdirSync(path.join(home.cache, 'projects'))).toHaveLength(3);
  });

  it('loses its least lately used part when it is too large, and nothing that a link in it names', async () => {
    const { call, home, folder, above } = await openShop();
    const fill =
      'for p in "$npm_config_cache" "$GOMODCACHE"; do mkdir -p "$p/x"; head -c 3000000 /dev/zero > "$p/x/a"; done';
    const old =
      'touch -d 2020-01-01 "$npm_config_cache/x/a" "$npm_config_cache/x" "$npm_config_cache"; chmod 500 "$npm_config_cache/x"';
    await call(`${fill}; ${old}; ln -s ${above} "$npm_config_cache/../aaa"`);
    const cache = await openProjectCache(home, folder, 'person:alex');
    await tidyCache(cache, { oneMb: 4, allMb: 100 });
    expect(fs.readdirSync(cache.folder).filter((name) => name !== 'aaa')).toEqual(['go-modules']);
    expect(fs.readFileSync(path.join(above, 'secret.txt'), 'utf8')).toBe('secret');
    await tidyCache(cache, { oneMb: 1, allMb: 100 });
    expect(fs.readdirSync(cache.folder).filter((name) => name !== 'aaa')).toEqual([]);
  });

  it('goes with the folder that was allowed, and the oldest go first when all are too large', async () => {
    const { call, home, folder, run } = await openShop();
    const fill = 'mkdir -p "$GOCACHE/x" && head -c 3000000 /dev/zero > "$GOCACHE/x/a"; chmod 500 "$GOCACHE/x"';
    for (const person of ['person:alex', 'person:sam']) {
      Object.assign(run, { person });
      await call(fill);
      await tidyCache(await openProjectCache(home, folder, person));
    }
    const count = () => fs.readdirSync(path.join(home.cache, 'projects')).length;
    const [sams] = [path.dirname((await openProjectCache(home, folder, 'person:sam')).folder)];
    await sweepCaches(home, () => true);
    expect(count()).toBe(2);
    await sweepCaches(home, () => true, { allMb: 5 });
    expect(fs.readdirSync(path.join(home.cache, 'projects'))).toEqual([path.basename(sams)]);
    await sweepCaches(home, () => false, { isUsed: () => true });
    expect(count()).toBe(1);
    await sweepCaches(home, () => false);
    expect(count()).toBe(0);
  });
});
