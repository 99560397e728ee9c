/** Folders that are being edited: only sets at rest are handed over, whatever the editor does on the way. */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { type FolderWatch, type WatchedFile, type WatchOptions, watchFiles } from '../../src/lib/watch-folders.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { eventually } from '../helpers/eventually.ts';
import { ownTime } from '../helpers/own-time.ts';
import { quiet, timersOver } from '../kit/quiet.ts';

const SETTLE_MS = 120;
const cleanups: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function tempFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'settled-'));
  cleanups.push(() => fs.rmSync(folder, { recursive: true, force: true }));
  return fs.realpathSync(folder);
}

interface Watched extends FolderWatch {
  sets: WatchedFile[][];
  errors: string[];
  /** `name=text` of the latest set. */
  latest(): string[];
}

function open(roots: string | string[], options: Partial<WatchOptions> = {}): Watched {
  const sets: WatchedFile[][] = [];
  const errors: string[] = [];
  const watch = watchFiles({
    roots: [roots].flat(),
    depth: 0,
    match: (name) => name.endsWith('.yaml'),
    settleMs: SETTLE_MS,
    maxBytes: 1024,
    maxFiles: 100,
    onSettled: (files) => void sets.push([...files.values()].flat()),
    onError: (error) => void errors.push(String(error)),
    ...options,
  });
  cleanups.push(() => watch.close());
  const latest = () =>
    (sets.at(-1) ?? []).map(({ name, text, problem }) => `${name}=${messagesIn('en').said(problem ?? text)}`);
  return { ...watch, sets, errors, latest };
}

/** Half of what is asked of the disk without blocking takes up to `maxMs` longer, before and after it is done. */
function slowDisk(maxMs: number): void {
  // The disk takes its time.
  const pause = async () => (Math.random() < 0.5 ? sleep(Math.random() * maxMs) : undefined);
  for (const name of ['lstat', 'stat', 'readdir', 'realpath'] as const) {
    const real = fs.promises[name] as (...args: unknown[]) => Promise<unknown>;
    vi.spyOn(fs.promises, name).mockImplementation((async (...args: unknown[]) => {
      await pause();
      try {
        return await real(...args);
      } finally {
        await pause();
      }
    }) as never);
  }
  syncBuiltinESMExports();
  cleanups.push(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
}

/** Watching has begun: a change made now causes an event. */
async function watching(watched: Watched, folder: string): Promise<void> {
  await watched.ready;
  const probe = path.join(folder, 'probe.yaml');
  fs.writeFileSync(probe, 'probe');
  await eventually(() => expect(watched.latest().some((one) => one.startsWith('probe.yaml='))).toBe(true));
}

test('what nothing tells of is found by looking now and then', async () => {
  const folder = tempFolder();
  const watched = open(folder, { watch: false, lookEveryMs: 50 });
  await watched.ready;
  fs.writeFileSync(path.join(folder, 'a.yaml'), 'one');
  await eventually(() => expect(watched.latest()).toEqual(['a.yaml=one']));
  const count = watched.sets.length;
  for (let look = 0; look < 4; look++) await timersOver(50);
  expect(watched.sets).toHaveLength(count);
});

const SAVES: Record<string, (file: string, text: string) => void> = {
  'in place': (file, text) => fs.writeFileSync(file, text),
  'truncate, then write': (file, text) => {
    fs.truncateSync(file);
    fs.appendFileSync(file, text);
  },
  'rename over': (file, text) => {
    fs.writeFileSync(`${file}.123.tmp`, text);
    fs.renameSync(`${file}.123.tmp`, file);
  },
  'rename over, with a name that would match': (file, text) => {
    const other = file.replace('.yaml', '-new.yaml');
    fs.writeFileSync(other, text);
    fs.renameSync(other, file);
  },
  'delete and create': (file, text) => {
    fs.rmSync(file);
    fs.writeFileSync(file, text);
  },
  'vim with a backup': (file, text) => {
    fs.writeFileSync(path.join(path.dirname(file), '4913'), '');
    fs.rmSync(path.join(path.dirname(file), '4913'));
    fs.writeFileSync(path.join(path.dirname(file), `.${path.basename(file)}.swp`), 'swap');
    fs.renameSync(file, `${file}~`);
    fs.writeFileSync(file, text);
    fs.rmSync(`${file}~`);
    fs.rmSync(path.join(path.dirname(file), `.${path.basename(file)}.swp`));
  },
  'emacs with a lock': (file, text) => {
    const lock = path.join(path.dirname(file), `.#${path.basename(file)}`);
    fs.symlinkSync('someone@host.1', lock);
    fs.writeFileSync(file, text);
    fs.rmSync(lock);
  },
};

test.each(Object.entries(SAVES))('a file saved by "%s" is handed over once, whole', async (_name, save) => {
  const folder = tempFolder();
  const file = path.join(folder, 'a.yaml');
  fs.writeFileSync(file, 'old');
  const watched = open(folder);
  await watching(watched, folder);
  const before = watched.sets.length;
  save(file, 'new text');
  await eventually(() => expect(watched.latest()).toContain('a.yaml=new text'));
  await quiet();
  const since = watched.sets.slice(before).map((set) => set.map(({ name, text }) => `${name}=${text}`).join(' '));
  expect(since).toEqual(['a.yaml=new text probe.yaml=probe']);
  expect(watched.errors).toEqual([]);
});

test('a file written byte by byte is seen before or after, never in between', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'a.yaml');
  const text = 'name: A\nschedule: "0 9 * * *"\nprompt: Summarise my notifications of the last 24 hours.\n';
  fs.writeFileSync(file, 'old');
  const watched = open(folder, { settleMs: 400 });
  await watching(watched, folder);
  const fd = fs.openSync(file, 'w');
  for (const letter of text) {
    fs.writeSync(fd, letter);
    // The writer takes its time.
    await sleep(8);
  }
  fs.closeSync(fd);
  await eventually(() => expect(watched.latest()).toContain(`a.yaml=${text}`));
  const seen = new Set(
    watched.sets.flatMap((set) => set.filter(({ name }) => name === 'a.yaml').map((one) => one.text)),
  );
  expect([...seen]).toEqual(['old', text]);
});

test('a file that changes while the set is read sends the reader round again', async () => {
  const folder = tempFolder();
  for (let i = 0; i < 50; i++) fs.writeFileSync(path.join(folder, `f${i}.yaml`), 'x');
  const watched = open(folder, { watch: false });
  let rounds = 0;
  const writer = setInterval(() => {
    fs.writeFileSync(path.join(folder, 'f7.yaml'), `round ${++rounds}`);
  }, 5);
  // It changes for so long.
  await sleep(SETTLE_MS * 4);
  expect(watched.sets).toHaveLength(0);
  clearInterval(writer);
  await watched.ready;
  expect(watched.latest()).toContain(`f7.yaml=round ${rounds}`);
});

test('a root that is not there yet, and one that goes and comes back', async () => {
  const root = path.join(tempFolder(), 'a', 'b');
  const watched = open(root);
  await watched.ready;
  expect(watched.sets).toEqual([[]]);
  fs.mkdirSync(root, { recursive: true });
  fs.writeFileSync(path.join(root, 'x.yaml'), '1');
  await eventually(() => expect(watched.latest()).toEqual(['x.yaml=1']));
  fs.rmSync(path.dirname(root), { recursive: true });
  await eventually(() => expect(watched.latest()).toEqual([]));
  fs.mkdirSync(root, { recursive: true });
  fs.writeFileSync(path.join(root, 'x.yaml'), '2');
  await eventually(() => expect(watched.latest()).toEqual(['x.yaml=2']));
  expect(watched.errors).toEqual([]);
});

test('roots that go and come back stay watched, however slow the disk is', async () => {
  slowDisk(30);
  const roots = Array.from({ length: 60 }, () => path.join(tempFolder(), 'a', 'b'));
  const all = roots.map((root) => ({ root, watched: open(root, { settleMs: 20 }) }));
  await Promise.all(all.map(({ watched }) => watched.ready));
  await Promise.all(
    all.map(async ({ root, watched }) => {
      for (const round of ['1', '2', '3']) {
        fs.mkdirSync(root, { recursive: true });
        for (const text of [`${round} made`, `${round} changed`]) {
          fs.writeFileSync(path.join(root, 'x.yaml'), text);
          await eventually(() => expect(watched.latest()).toEqual([`x.yaml=${text}`]));
        }
        fs.rmSync(path.dirname(root), { recursive: true });
        if (round === '1') await eventually(() => expect(watched.latest()).toEqual([]));
      }
    }),
  );
  expect(all.flatMap(({ watched }) => watched.errors)).toEqual([]);
});

test('a root that is a link is looked into', async () => {
  const folder = tempFolder();
  const link = path.join(tempFolder(), 'jobs');
  fs.symlinkSync(folder, link);
  const watched = open(link);
  await watching(watched, folder);
  fs.writeFileSync(path.join(folder, 'x.yaml'), '1');
  await eventually(() => expect(watched.latest()).toContain('x.yaml=1'));
  expect(watched.sets.at(-1)?.[0]?.path).toBe(path.join(link, 'probe.yaml'));
});

test('links lead to files inside the root only; a pipe, a folder and a socket name are nothing', async () => {
  const folder = tempFolder();
  const outside = path.join(tempFolder(), 'secret.yaml');
  fs.writeFileSync(outside, 'secret');
  fs.mkdirSync(path.join(folder, '..data'));
  fs.writeFileSync(path.join(folder, '..data', 'in.yaml'), 'inside');
  fs.symlinkSync('..data/in.yaml', path.join(folder, 'in.yaml'));
  fs.symlinkSync(outside, path.join(folder, 'out.yaml'));
  fs.symlinkSync(path.dirname(outside), path.join(folder, 'sub'));
  fs.symlinkSync('loop.yaml', path.join(folder, 'loop.yaml'));
  fs.mkdirSync(path.join(folder, 'folder.yaml'));
  execFileSync('mkfifo', [path.join(folder, 'pipe.yaml')]);
  const watched = open(folder, { depth: 3 });
  await watched.ready;
  expect(watched.latest()).toEqual(['in.yaml=inside']);
  expect(watched.errors).toEqual([]);
});

test('too large, too many, too deep', async () => {
  const folder = tempFolder();
  fs.mkdirSync(path.join(folder, 'one', 'two'), { recursive: true });
  fs.mkdirSync(path.join(folder, '.git'));
  fs.mkdirSync(path.join(folder, 'node_modules'));
  for (const name of ['one/b.yaml', 'one/two/c.yaml', '.git/d.yaml', 'node_modules/e.yaml', 'z.yaml', 'zz.yaml']) {
    fs.writeFileSync(path.join(folder, name), 'x');
  }
  fs.writeFileSync(path.join(folder, 'a.yaml'), 'x'.repeat(5000));
  fs.writeFileSync(path.join(folder, 'notes.md'), 'x');
  const watched = open(folder, { depth: 1, maxFiles: 3 });
  await watched.ready;
  expect(watched.latest()).toEqual(['a.yaml=larger than 1 KB', 'one/b.yaml=x', 'z.yaml=x']);
  expect(watched.errors.join()).toContain('more than 3 files');
});

test('an unchanged file is the same object in the next set, whatever happened to others', async () => {
  const folder = tempFolder();
  fs.writeFileSync(path.join(folder, 'a.yaml'), '1');
  fs.writeFileSync(path.join(folder, 'b.yaml'), '1');
  const watched = open(folder, { watch: false });
  await watched.ready;
  fs.writeFileSync(path.join(folder, 'b.yaml'), '2');
  await watched.refresh();
  await watched.refresh();
  expect(watched.sets).toHaveLength(2);
  expect(watched.sets[1]?.[0]).toBe(watched.sets[0]?.[0]);
  expect(watched.latest()).toEqual(['a.yaml=1', 'b.yaml=2']);
});

test('a consumer that throws is reported and hears of the next change', async () => {
  const folder = tempFolder();
  let calls = 0;
  const watched = open(folder, {
    watch: false,
    onSettled: async () => {
      if (++calls === 1) throw new Error('no use for it');
    },
  });
  await watched.ready;
  expect(watched.errors).toEqual(['Error: no use for it']);
  fs.writeFileSync(path.join(folder, 'a.yaml'), '1');
  await watched.refresh();
  expect(calls).toBe(2);
});

test('nothing is handed over after the end, and files that are at rest are handed over without waiting', async () => {
  const folder = tempFolder();
  fs.writeFileSync(path.join(folder, 'a.yaml'), '1');
  // The file comes to rest.
  await sleep(1_600);
  const began = ownTime();
  const watched = open(folder, { settleMs: 1_500 });
  await watched.ready;
  expect(ownTime() - began).toBeLessThan(1_400);
  fs.writeFileSync(path.join(folder, 'a.yaml'), '2');
  await watched.close();
  await quiet();
  expect(watched.latest()).toEqual(['a.yaml=1']);
});
