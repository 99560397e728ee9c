/** Writing: atomic, complete, private, through links, and never over somebody else's change. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listenForDamage } from '../../src/lib/damage.ts';
import {
  appendLines,
  editText,
  ensureDir,
  hashText,
  patchFile,
  readText,
  sha256File,
  writeFileAtomic,
} from '../../src/lib/files.ts';
import { tempFolder } from '../helpers/temp.ts';

afterEach(() => vi.restoreAllMocks());
const mode = (file: string) => fs.statSync(file).mode & 0o777;

/** The disk takes at most `most` bytes a call, without an error; after `room` bytes it is full. */
function slowDisk(most: number, room = Number.POSITIVE_INFINITY): void {
  const real = fs.writeSync.bind(fs);
  let left = room;
  const write = (fd: number, data: Uint8Array, at: number, length: number, position: number | null) => {
    if (left <= 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const count = Math.min(length, most, left);
    left -= count;
    return real(fd, data, at, count, position);
  };
  vi.spyOn(fs, 'writeSync').mockImplementation(write as typeof fs.writeSync);
}

describe('writeFileAtomic', () => {
  it('creates folders and files that only their owner may read', async () => {
    const root = tempFolder();
    const file = path.join(root, 'a/b/c.txt');
    await writeFileAtomic(file, 'one');
    await writeFileAtomic(file, new TextEncoder().encode('zwei ü'), { sync: false });
    expect(await readText(file)).toBe('zwei ü');
    expect([mode(file), mode(path.join(root, 'a')), mode(path.join(root, 'a/b'))]).toEqual([0o600, 0o700, 0o700]);
    expect(fs.readdirSync(path.dirname(file))).toEqual(['c.txt']);
  });

  it('writes everything when the disk takes less at a time', async () => {
    const file = path.join(tempFolder(), 'x');
    slowDisk(7);
    await writeFileAtomic(file, 'abcdefghijklmnopqrstuvwxyz'.repeat(20));
    expect(fs.readFileSync(file, 'utf8')).toBe('abcdefghijklmnopqrstuvwxyz'.repeat(20));
  });

  it('keeps the old file and leaves nothing behind when the disk is full', async () => {
    const root = tempFolder();
    const file = path.join(root, 'x');
    await writeFileAtomic(file, 'old');
    slowDisk(5, 12);
    await expect(writeFileAtomic(file, 'n'.repeat(100))).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(fs.readFileSync(file, 'utf8')).toBe('old');
    expect(fs.readdirSync(root)).toEqual(['x']);
  });

  it('writes through links and leaves them, also when they dangle or stand in a linked folder', async () => {
    const root = tempFolder();
    fs.mkdirSync(path.join(root, 'real/deep'), { recursive: true });
    fs.symlinkSync('real/deep', path.join(root, 'door'));
    fs.symlinkSync('../target.md', path.join(root, 'real/deep/link.md'));
    await writeFileAtomic(path.join(root, 'door/link.md'), 'text');
    expect(fs.lstatSync(path.join(root, 'real/deep/link.md')).isSymbolicLink()).toBe(true);
    expect(fs.readFileSync(path.join(root, 'real/target.md'), 'utf8')).toBe('text');
  });

  it.each([
    ['to itself', 'link'],
    ['below a file', '../a/b'],
  ])('sets a link aside that leads %s, and writes in its place', async (_name, to) => {
    const root = tempFolder();
    fs.writeFileSync(path.join(root, 'a'), 'file');
    fs.mkdirSync(path.join(root, 'in'));
    const link = path.join(root, 'in/link');
    fs.symlinkSync(to, link);
    await writeFileAtomic(link, 'x');
    expect(fs.readFileSync(link, 'utf8')).toBe('x');
    expect(fs.readlinkSync(`${link}.bad`)).toBe(to);
  });

  it('removes what an earlier crash left half-written, but not what is being written', async () => {
    const root = tempFolder();
    const old = path.join(root, `.${'a'.repeat(16)}.tmp`);
    const young = path.join(root, `.${'b'.repeat(16)}.tmp`);
    for (const file of [old, young]) fs.writeFileSync(file, 'half');
    fs.utimesSync(old, new Date(0), new Date(0));
    await writeFileAtomic(path.join(root, 'x'), 'x');
    expect(fs.readdirSync(root).sort()).toEqual([path.basename(young), 'x']);
  });

  it('a reader sees the old text or the new one, never a part', async () => {
    const file = path.join(tempFolder(), 'x');
    const texts = ['a'.repeat(50_000), 'b'.repeat(90_000)];
    await writeFileAtomic(file, 'a'.repeat(50_000));
    const writes = (async () => {
      for (let i = 0; i < 20; i++) await writeFileAtomic(file, texts[i % 2] ?? '');
    })();
    let reads = 0;
    for (let done = false; !done; reads++) {
      done = await Promise.race([
        writes.then(() => true),
        new Promise<boolean>((resolve) => setImmediate(resolve, false)),
      ]);
      expect(texts).toContain(fs.readFileSync(file, 'utf8'));
    }
    expect(reads).toBeGreaterThan(20);
  });
});

describe('editText', () => {
  it('asks again when the file was changed by hand in the meantime', async () => {
    const file = path.join(tempFolder(), 'x');
    await writeFileAtomic(file, 'one\n');
    const seen: (string | undefined)[] = [];
    const result = await editText(file, (current) => {
      seen.push(current);
      if (seen.length === 1) setImmediate(() => fs.writeFileSync(file, 'one\nby hand\n'));
      return `${current}added\n`;
    });
    // The hand edit came while the new text was being synced, or after everything: nothing of it is lost either way.
    expect(result).toBe(seen.length === 2 ? 'one\nby hand\nadded\n' : 'one\nadded\n');
    expect(fs.readFileSync(file, 'utf8')).toContain('one\n');
  });

  it('notices a change made between reading and renaming', async () => {
    const file = path.join(tempFolder(), 'x');
    await writeFileAtomic(file, 'v0');
    const seen: (string | undefined)[] = [];
    const change = (current: string | undefined) => {
      seen.push(current);
      if (seen.length === 1) fs.writeFileSync(file, 'v1 by hand');
      return `${current} + mine`;
    };
    expect(await editText(file, change)).toBe('v1 by hand + mine');
    expect(seen).toEqual(['v0', 'v1 by hand']);
  });

  it('gives up on a file that never stands still, leaving it as it is', async () => {
    const file = path.join(tempFolder(), 'x');
    let count = 0;
    const change = (current: string | undefined) => {
      fs.writeFileSync(file, `other ${++count}`);
      return `${current} mine`;
    };
    await expect(editText(file, change)).rejects.toThrow('another program');
    expect(fs.readFileSync(file, 'utf8')).toBe(`other ${count}`);
  });
});

describe('appendLines', () => {
  it('adds all lines by one write and closes a torn last line first', async () => {
    const file = path.join(tempFolder(), 'log');
    const writes = vi.spyOn(fs, 'writeSync');
    await appendLines(file, ['one', 'two', 'three'], { sync: true });
    expect(writes).toHaveBeenCalledTimes(1);
    fs.appendFileSync(file, 'torn');
    await appendLines(file, ['four']);
    expect(fs.readFileSync(file, 'utf8')).toBe('one\ntwo\nthree\ntorn\nfour\n');
    expect(mode(file)).toBe(0o600);
  });

  it('takes back half a line when the disk is full', async () => {
    const file = path.join(tempFolder(), 'log');
    await appendLines(file, ['whole']);
    slowDisk(4, 9);
    await expect(appendLines(file, ['this is too long'])).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(fs.readFileSync(file, 'utf8')).toBe('whole\n');
  });
});

describe('patchFile', () => {
  const cases: [string, string, string][] = [
    ['the end', '{"a":1,"state":"running"  }\n', '{"a":1,"state":"completed"}\n'],
    ['nothing', 'same\n', 'same\n'],
    ['a longer text', 'abc', 'abc and more'],
    ['a shorter text', 'abc and more', 'ab'],
    ['an empty file', '', 'first'],
    ['inside a character', 'ü\n', 'ö\n'],
    ['more than a page', 'x'.repeat(10_000), `y${'x'.repeat(12_000)}`],
    ['the last page', `${'x'.repeat(9000)}a`, `${'x'.repeat(9000)}bcd`],
  ];
  it.each(cases)('changes %s', async (_, before, after) => {
    const file = path.join(tempFolder(), 'x');
    fs.writeFileSync(file, before);
    await patchFile(file, before, after);
    expect(fs.readFileSync(file, 'utf8')).toBe(after);
  });

  it('writes one small piece in place where it can', async () => {
    const file = path.join(tempFolder(), 'x');
    const before = `${'x'.repeat(300)}running  `;
    fs.writeFileSync(file, before);
    const { ino } = fs.statSync(file);
    const writes = vi.spyOn(fs, 'writeSync');
    await patchFile(file, before, `${'x'.repeat(300)}completed`);
    expect(writes.mock.results.map((result) => result.value)).toEqual([9]);
    expect(fs.statSync(file).ino).toBe(ino);
  });
});

describe('small ones', () => {
  it('readText knows no file, and a file where a folder should be', async () => {
    const root = tempFolder();
    fs.writeFileSync(path.join(root, 'f'), '');
    expect([await readText(path.join(root, 'none')), await readText(path.join(root, 'f/x'))]).toEqual([
      undefined,
      undefined,
    ]);
    const told: string[] = [];
    listenForDamage(root, ({ file, why }) => told.push(`${file} ${why}`));
    expect([await readText(root), await readText(root)]).toEqual([undefined, undefined]);
    expect(told).toEqual([`${root} is a folder`]);
  });

  it('hashes text and files alike', async () => {
    const file = path.join(tempFolder(), 'x');
    fs.writeFileSync(file, 'abc');
    expect(await sha256File(file)).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(hashText('abc')).toBe(await sha256File(file));
  });

  it('ensureDir makes private folders and is content with existing ones', async () => {
    const dir = path.join(tempFolder(), 'a/b');
    await ensureDir(dir);
    await ensureDir(dir);
    expect(mode(dir)).toBe(0o700);
  });
});
