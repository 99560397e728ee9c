import fs from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { finishedIn, KeySet, readKeys, writeKeys } from '../../../src/engine/local/finished-keys.ts';
import { tempFolder } from '../../helpers/temp.ts';

afterEach(() => vi.restoreAllMocks());

/** A key that is a hash already, of which the set holds these two words. */
const keyOf = (high: number, low: number, rest = '0'.repeat(16)) =>
  `${high.toString(16).padStart(8, '0')}${low.toString(16).padStart(8, '0')}${rest}`;

describe('a set of keys', () => {
  it('knows a key however many come after it, and no other', () => {
    const keys = new KeySet();
    for (let n = 0; n < 50_000; n++) keys.add(`key ${n}`);
    const unknown = Array.from({ length: 50_000 }, (_, n) => n).filter((n) => !keys.has(`key ${n}`));
    expect(unknown).toEqual([]);
    expect(Array.from({ length: 50_000 }, (_, n) => n).filter((n) => keys.has(`other ${n}`))).toEqual([]);
  });

  it('tells keys apart that share a place, or one of their two words', () => {
    // Words of which many meet in one place, the last place of the table among them, and zero.
    const word = fc.constantFrom(0, 1, 2, 3, 0xfff, 0x1000, 0xffff_f000, 0xffff_ffff);
    // The lowest bit of the second word is not held, so that nothing looks like an empty place.
    const key = fc.tuple(word, word).map(([high, low]) => keyOf(high, (low | 1) >>> 0));
    fc.assert(
      fc.property(fc.array(key, { maxLength: 40 }), fc.array(key, { maxLength: 40 }), (added, asked) => {
        const keys = new KeySet();
        const known = new Set(added);
        for (const each of added) keys.add(each);
        for (const each of [...asked, ...added]) expect([each, keys.has(each)]).toEqual([each, known.has(each)]);
      }),
    );
  });

  it('keeps keys of every kind when it grows', () => {
    const keys = new KeySet();
    const words = [0, 1, 0x8000_0001, 0xffff_ffff];
    const odd = words.flatMap((high) => words.map((low) => keyOf(high, (low | 1) >>> 0)));
    for (const each of odd) keys.add(each);
    for (let n = 0; n < 5_000; n++) keys.add(`key ${n}`);
    expect(odd.filter((each) => !keys.has(each))).toEqual([]);
    expect(keys.has(keyOf(2, 1))).toBe(false);
  });

  it('takes a longer, a shorter and a capital name for what it is, not for a hash', () => {
    const keys = new KeySet();
    const hash = keyOf(0xabcd_ef01, 0x2345_6789);
    keys.add(hash);
    const others = [`${hash}-unsure`, `x${hash}`, hash.slice(1), hash.toUpperCase(), hash[0] ?? ''];
    expect(others.filter((other) => keys.has(other))).toEqual([]);
    keys.add('a');
    expect(keys.has('b')).toBe(false);
  });
});

const put = (key: string) => `${JSON.stringify({ op: 'put', state: 'new', key, value: 1 })}\n`;
const done = (key: string, as?: string) => `${JSON.stringify({ op: 'done', state: 'new', key, as })}\n`;

describe('the keys of closed segments', () => {
  it('are read from their files, and made anew where one is missing', () => {
    const folder = tempFolder();
    fs.writeFileSync(path.join(folder, '2026-01-30.1.jsonl'), put('a') + done('a') + put('b'));
    fs.writeFileSync(path.join(folder, '2026-01-31.1.jsonl'), put('c') + done('c', 'as-c'));
    fs.writeFileSync(path.join(folder, '2026-01-31.2.jsonl'), put('d') + done('d'));
    writeKeys(folder, '2026-01-29.1', ['old']);
    expect([...finishedIn(folder, '2026-01-31.2')].sort()).toEqual(['a', 'as-c', 'old']);
    expect([readKeys(folder, '2026-01-30.1'), readKeys(folder, '2026-01-31.1')]).toEqual([['a'], ['as-c']]);
    expect(readKeys(folder, '2026-01-31.2')).toBeUndefined();
  });

  it('are known also where the disk takes no file of them, and where something else has its name', () => {
    const folder = tempFolder();
    fs.writeFileSync(path.join(folder, '2026-01-30.1.jsonl'), put('a') + done('a'));
    fs.mkdirSync(path.join(folder, '2026-01-30.1.keys'));
    expect([...finishedIn(folder, undefined)]).toEqual(['a']);
    // The folder was set aside, so that the next start finds a file.
    expect(readKeys(folder, '2026-01-30.1')).toEqual(['a']);
    expect(fs.readdirSync(folder).filter((name) => name.includes('.bad'))).toHaveLength(1);
    fs.rmSync(path.join(folder, '2026-01-30.1.keys'));
    vi.spyOn(fs, 'renameSync').mockImplementation(() => {
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    });
    expect([...finishedIn(folder, undefined)]).toEqual(['a']);
    expect(readKeys(folder, '2026-01-30.1')).toBeUndefined();
  });
});
