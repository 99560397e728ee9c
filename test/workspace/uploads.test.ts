import fs from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import { Uploads } from '../../src/workspace/uploads.ts';
import { tempFolder } from '../helpers/temp.ts';

const folder = tempFolder(afterAll);
let count = 0;
function open(maxBytes = 1000) {
  count += 1;
  const spool = path.join(folder, `spool-${count}`);
  return { uploads: new Uploads({ spool }, maxBytes), files: () => fs.readdirSync(path.join(spool, 'uploads')), spool };
}
const body = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
const notes = { name: 'notes.md', type: 'text/markdown; charset=utf-8' };

describe('an upload', () => {
  test('is whole on the disk, private, and found by who handed it in alone', async () => {
    const { uploads, spool } = open();
    const { ref, ...about } = await uploads.store('ci', notes, body('# No', 'tes'));
    expect(about).toMatchObject({ name: 'notes.md', type: 'text/markdown', size: 7 });
    const found = uploads.find('ci', ref);
    expect(fs.readFileSync(found?.path ?? '', 'utf8')).toBe('# Notes');
    expect(fs.statSync(found?.path ?? '').mode & 0o777).toBe(0o600);
    expect(uploads.find('someone', ref)).toBeUndefined();
    // After a restart as well.
    expect(new Uploads({ spool }, 1000).find('ci', ref)).toEqual(found);
  });

  test.each(['../../../etc/passwd', 'a/b\u202egpj.exe', '', '.', `${'x'.repeat(5000)}.md`])(
    'called %j has a name of one plain part',
    async (name) => {
      const { uploads } = open();
      const { name: shown } = await uploads.store('ci', { name, type: 'no type' }, body('x'));
      expect(shown).toMatch(/^[^/\\\u202e]{1,120}$/u);
      expect(shown).not.toMatch(/^\./);
    },
  );

  test.each(['', 'uploads/', 'uploads/../../access/people.json', 'artifacts/t/a.md', `uploads/${'0'.repeat(32)}`])(
    'is not found by %j',
    async (ref) => expect(open().uploads.find('ci', ref)).toBeUndefined(),
  );

  test('that is too large, or cut off, leaves nothing behind', async () => {
    const { uploads, files } = open(10);
    await expect(uploads.store('ci', notes, body('12345', '678901'))).rejects.toMatchObject({ why: 'too_large' });
    const cut = Readable.from(
      (function* () {
        yield Buffer.from('123');
        throw new Error('cut off');
      })(),
    );
    await expect(uploads.store('ci', notes, cut)).rejects.toThrow('cut off');
    expect(files()).toEqual([]);
  });

  test('shares the room of its sender with those that are handed in at the same time', async () => {
    const spool = path.join(folder, 'spool-at-once');
    const uploads = new Uploads({ spool }, 100, () => 250);
    const all = Array.from({ length: 8 }, (_, n) =>
      uploads.store('kim', notes, body(`${n}`.repeat(50), 'x'.repeat(50))),
    );
    const taken = (await Promise.allSettled(all)).filter(({ status }) => status === 'fulfilled');
    const stored = () => {
      const files = fs.readdirSync(path.join(spool, 'uploads')).filter((name) => !name.endsWith('.json'));
      return files.reduce((sum, name) => sum + fs.statSync(path.join(spool, 'uploads', name)).size, 0);
    };
    expect(taken.length).toBeLessThanOrEqual(2);
    expect(stored()).toBe(taken.length * 100);
    // What was refused has given its room back, and others have their own.
    for (let free = 250 - stored(); free >= 100; free -= 100) await uploads.store('kim', notes, body('y'.repeat(100)));
    await expect(uploads.store('kim', notes, body('z'.repeat(60)))).rejects.toMatchObject({ why: 'too_large' });
    await uploads.store('sam', notes, body('y'.repeat(100)));
    expect(stored()).toBe(300);
  });

  test('is one of at most twenty of its sender at the same time; others have their own, and each that ends makes room', async () => {
    const { uploads, files } = open();
    const end = Array.from({ length: 21 }, () => Promise.withResolvers<void>());
    const slow = (n: number) =>
      Readable.from(
        (async function* () {
          yield Buffer.from('begun');
          await end[n]?.promise;
        })(),
      );
    const running = end.slice(0, 20).map((_each, n) => uploads.store('ci', notes, slow(n)));
    await expect.poll(() => files().length).toBe(20);
    for (const _again of [1, 2])
      await expect(uploads.store('ci', notes, body('x'))).rejects.toMatchObject({ why: 'too_many' });
    await uploads.store('someone', notes, body('x'));
    end[7]?.resolve();
    await running[7];
    const next = uploads.store('ci', notes, slow(20));
    await expect(uploads.store('ci', notes, body('x'))).rejects.toMatchObject({ why: 'too_many' });
    for (const { resolve } of end) resolve();
    expect((await Promise.all([...running, next])).length).toBe(21);
    await uploads.store('ci', notes, body('x'));
  });

  test('waits for its message with at most ten times a file of its sender', async () => {
    const { uploads } = open(10);
    for (let i = 0; i < 10; i += 1) await uploads.store('ci', notes, body('1234567890'));
    await expect(uploads.store('ci', notes, body('1'))).rejects.toMatchObject({ why: 'too_many' });
    expect((await uploads.store('board', notes, body('1'))).size).toBe(1);
  });

  test('goes after a day when no message named it, and after thirty when one did', async () => {
    const { uploads, files, spool } = open();
    const [left, named] = [await uploads.store('ci', notes, body('1')), await uploads.store('ci', notes, body('2'))];
    uploads.keep(named.ref);
    // What a kill in the middle of an upload leaves.
    fs.writeFileSync(path.join(spool, 'uploads', `.part-${'a'.repeat(32)}`), 'half');
    uploads.sweep(new Date());
    expect(files()).toHaveLength(5);
    uploads.sweep(new Date(Date.now() + 2 * 86_400_000));
    expect([uploads.find('ci', left.ref), uploads.find('ci', named.ref)?.size, files().length]).toEqual([
      undefined,
      1,
      2,
    ]);
    uploads.sweep(new Date(Date.now() + 31 * 86_400_000));
    expect(files()).toEqual([]);
  });

  test('makes room for others once its message is there', async () => {
    const { uploads } = open(10);
    for (let i = 0; i < 12; i += 1) uploads.keep((await uploads.store('ci', notes, body('1234567890'))).ref);
    expect((await uploads.store('ci', notes, body('1'))).size).toBe(1);
  });
});
