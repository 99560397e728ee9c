/** Where the Board's page comes from in a checkout: sources, the build and what it leaves behind. The build tool is a stand-in. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { pageFolder } from '../../src/features/board/page-files.ts';
import { put, tempFolder } from '../helpers/temp.ts';

const HOUR_MS = 3_600_000;
const BUILDS = `
import { mkdirSync, writeFileSync } from 'node:fs';
const folder = process.argv.at(-1);
mkdirSync(folder, { recursive: true });
writeFileSync(folder + '/index.html', 'built');
`;
const FAILS = "throw new Error('a comma is missing')";

function age(file: string, hours: number): void {
  const time = new Date(Date.now() - hours * HOUR_MS);
  fs.utimesSync(file, time, time);
}

/** A checkout whose sources are three hours old. */
function checkout(tool = BUILDS) {
  const root = tempFolder();
  const folders = ['src/board/ui', 'src/client', 'src/channels/markdown'];
  const sources = [...folders.map((folder) => `${folder}/a.ts`), 'rolldown.board.config.ts', 'rolldown.shell.ts'];
  for (const name of [...sources, 'src/board/ui/b.ts', 'package-lock.json']) {
    put(root, name, '');
    age(path.join(root, name), 3);
  }
  for (const name of folders) age(path.join(root, name), 3);
  put(root, 'node_modules/rolldown/bin/cli.mjs', tool);
  const reasons: unknown[] = [];
  const cache = path.join(root, 'node_modules/.cache');
  return { root, cache, reasons, find: () => pageFolder((reason) => reasons.push(reason), root) };
}

/** A build in dist, of two hours ago. */
function build(root: string): string {
  put(root, 'dist/board/index.html', 'older');
  age(path.join(root, 'dist/board/index.html'), 2);
  return path.join(root, 'dist/board');
}

describe('the page of a checkout', () => {
  test('is the build that is newer than the sources', async () => {
    const { root, find } = checkout();
    const built = build(root);
    expect(await find()).toBe(built);
  });

  test('is found beside the lock of an editor, a link that leads nowhere', async () => {
    const { root, find } = checkout();
    const built = build(root);
    const folder = path.join(root, 'src/board/ui');
    fs.symlinkSync('somebody@machine.1234:5678', path.join(folder, '.#a.ts'));
    age(folder, 3);
    expect(await find()).toBe(built);
  });

  test('is built anew once a source is moved away', async () => {
    const { root, cache, find } = checkout();
    build(root);
    fs.renameSync(path.join(root, 'src/board/ui/b.ts'), path.join(root, 'b.ts'));
    const found = await find();
    expect(found).toMatch(new RegExp(`^${cache}/board-\\d+$`));
    expect(await find()).toBe(found);
  });

  test('is the older one if the build fails, which is tried once and told with its reason', async () => {
    const { root, cache, reasons, find } = checkout(FAILS);
    const built = build(root);
    put(root, 'src/board/ui/a.ts', 'broken');
    expect(await find()).toBe(built);
    expect(await find()).toBe(built);
    expect(reasons).toMatchObject([{ message: expect.stringContaining('a comma is missing') }]);
    expect(fs.readdirSync(cache)).toEqual([]);
    put(root, 'node_modules/rolldown/bin/cli.mjs', BUILDS);
    put(root, 'src/board/ui/a.ts', 'fixed');
    expect(await find()).not.toBe(built);
  });

  test('says why the build fails if there is no older one', async () => {
    await expect(checkout(FAILS).find()).rejects.toThrow('a comma is missing');
  });

  test('leaves no remains of builds that were killed, and those of a running one alone', async () => {
    const { cache, find } = checkout();
    for (const [name, hours] of [
      ['killed', 2],
      ['running', 0],
    ] as const) {
      put(cache, `board-making-${name}/board/index.html`, '');
      age(path.join(cache, `board-making-${name}`), hours);
    }
    const folder = await find();
    expect(fs.readdirSync(cache).sort()).toEqual([path.basename(String(folder)), 'board-making-running'].sort());
  });
});
