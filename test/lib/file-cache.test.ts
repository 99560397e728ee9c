/** The caches: bounded, and never older than the file. */

import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createStatCache } from '../../src/lib/files/cache.ts';
import { serialise } from '../../src/lib/locks.ts';
import { createLru } from '../../src/lib/lru.ts';
import { tempFolder } from '../helpers/temp.ts';

afterEach(() => vi.restoreAllMocks());

describe('createLru', () => {
  it('forgets what was used longest ago', () => {
    const lru = createLru<number>(2);
    lru.set('a', 1);
    lru.set('b', 2);
    lru.get('a');
    lru.set('c', 3);
    expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([1, undefined, 3]);
    lru.delete('a');
    lru.delete('never');
    lru.set('d', 4);
    expect([lru.get('c'), lru.get('d')]).toEqual([3, 4]);
  });

  it('counts weights, also of a value that is replaced or heavier than everything', () => {
    const lru = createLru<string>(10, (value) => value.length);
    lru.set('a', 'xxxx');
    lru.set('a', 'xx');
    lru.set('b', 'xxxxxxxx');
    expect([lru.get('a'), lru.get('b')]).toEqual(['xx', 'xxxxxxxx']);
    lru.set('c', 'x'.repeat(11));
    expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([undefined, undefined, undefined]);
  });
});

describe('createStatCache', () => {
  /** A file whose time does not move although its content may have: two writes within one tick of a slow clock. */
  function fixedTime(ageMs: number): { file: string; load: ReturnType<typeof vi.fn<() => string>> } {
    const file = path.join(tempFolder(), 'x');
    fs.writeFileSync(file, 'same size');
    const stat = fs.statSync(file);
    const now = Date.now();
    // The clock stands still, however long the reads take.
    vi.spyOn(Date, 'now').mockReturnValue(now);
    vi.spyOn(fs, 'statSync').mockReturnValue(Object.assign(stat, { ctimeMs: now - ageMs }));
    return { file, load: vi.fn(() => 'value') };
  }

  it('reads again while the last change is too recent to be sure', () => {
    const { file, load } = fixedTime(1);
    const cache = createStatCache(10, load);
    for (let i = 0; i < 3; i++) cache.get(file);
    expect(load).toHaveBeenCalledTimes(3);
  });

  it('reads once when it is not', () => {
    const { file, load } = fixedTime(1000);
    const cache = createStatCache(10, load);
    for (let i = 0; i < 3; i++) expect(cache.get(file)).toBe('value');
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('has nothing for a missing file, and nothing old once it is back', () => {
    const file = path.join(tempFolder(), 'x');
    const cache = createStatCache(10, (name) => fs.readFileSync(name, 'utf8'));
    expect([cache.get(file), cache.get(path.join(file, 'below'))]).toEqual([undefined, undefined]);
    fs.writeFileSync(file, 'one');
    expect(cache.get(file)).toBe('one');
    fs.rmSync(file);
    expect(cache.get(file)).toBeUndefined();
    fs.writeFileSync(file, 'two');
    expect(cache.get(file)).toBe('two');
  });
});

describe('serialise', () => {
  it('keeps the order per key, goes on after failures, and lets other keys pass', async () => {
    const events: string[] = [];
    const work = (key: string, name: string, ms: number) =>
      serialise(key, async () => {
        events.push(`${name} begins`);
        // The work takes its time.
        await sleep(ms);
        events.push(`${name} ends`);
        if (name === 'a1') throw new Error('a1 failed');
        return name;
      });
    const [first, ...rest] = await Promise.allSettled([
      work('a', 'a1', 20),
      work('a', 'a2', 1),
      work('b', 'b1', 5),
      work('a', 'a3', 1),
    ]);
    expect(first).toMatchObject({ status: 'rejected', reason: new Error('a1 failed') });
    expect(rest.map((result) => result.status === 'fulfilled' && result.value)).toEqual(['a2', 'b1', 'a3']);
    const ofA = events.filter((event) => event.startsWith('a'));
    expect(ofA).toEqual(['a1 begins', 'a1 ends', 'a2 begins', 'a2 ends', 'a3 begins', 'a3 ends']);
    expect(events.indexOf('b1 ends')).toBeLessThan(events.indexOf('a1 ends'));
  });
});
