/** Paths against everything a model, a chat or an archive may name, and against whoever swaps folders while they are used. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { HeldFolder, PathRefused, putFile, useFile, useFolder } from '../../src/lib/files/below.ts';
import { pathNames } from '../../src/lib/files/path-names.ts';
import { tempFolder } from '../helpers/temp.ts';

/** A root with links and special files in it, and secrets outside. */
function playground(): { root: string; outside: string } {
  const base = fs.realpathSync(tempFolder());
  const [root, outside] = [path.join(base, 'root'), path.join(base, 'outside')];
  fs.mkdirSync(path.join(root, 'sub/inner'), { recursive: true });
  fs.mkdirSync(path.join(base, 'root-evil'));
  fs.mkdirSync(outside);
  fs.writeFileSync(path.join(outside, 'secret'), 'secret');
  fs.writeFileSync(path.join(base, 'root-evil/secret'), 'secret');
  fs.writeFileSync(path.join(root, 'file.txt'), 'text');
  const links: Record<string, string> = {
    'out-dir': '../outside',
    'out-file': '../outside/secret',
    'out-abs': '/etc',
    'out-passwd': '/etc/passwd',
    'out-twin': '../root-evil',
    'dangling-out': '../outside/not-yet',
    'dangling-in': 'not-yet',
    loop: 'loop',
    'loop-a': 'loop-b',
    'loop-b': 'loop-a',
    'in-link': 'sub/inner',
    'in-file': 'file.txt',
    'hop-1': 'hop-2',
    'hop-2': '../outside',
    up: '..',
    'sub/up': '../..',
    'sub/inner/back': '../../../outside/secret',
    root: '/',
    proc: '/proc/self/root',
    here: '.',
  };
  for (const [name, target] of Object.entries(links)) fs.symlinkSync(target, path.join(root, name));
  execFileSync('mkfifo', [path.join(root, 'pipe')]);
  return { root, outside };
}

const HOSTILE = [
  '',
  ' ',
  '..',
  '../outside/secret',
  '../root-evil/secret',
  'sub/../../outside/secret',
  'sub/..',
  './../outside',
  'sub/./../..',
  '....//../outside',
  '.../..',
  'a/b/c/../../../../outside/secret',
  '/etc/passwd',
  '//etc/passwd',
  '/proc/self/environ',
  '\\etc\\passwd',
  '..\\outside\\secret',
  'sub\\..\\..\\outside',
  'sub/..\\..\\outside',
  '\\\\server\\share\\x',
  'C:\\Windows\\win.ini',
  'C:/Windows/win.ini',
  'c:secret',
  '~/.ssh/id_rsa',
  '~root/.profile',
  'sub/~/x',
  'file.txt\0.png',
  '\0',
  'sub/\0/../../outside',
  'a\nb',
  'a\rb',
  'a\tb',
  'a\u001b[2Jb',
  'a\u007fb',
  'a\u0085b',
  'invoice\u202efdp.exe',
  'a\u2066b',
  'a\u200fb',
  'zero\u200bwidth',
  '\ufefffile.txt',
  '\ud800',
  'con',
  'CON',
  'nul.txt',
  'sub/AUX/x',
  'com1',
  'LPT9.log',
  'prn .txt',
  'name.',
  'name ',
  'sub./x',
  '.. /outside',
  '. ./x',
  `${'a'.repeat(256)}`,
  `${'ä'.repeat(128)}`,
  `${'a/'.repeat(600)}x`,
  `${'a/'.repeat(40)}x`,
  'x'.repeat(100_000),
  'out-dir',
  'out-dir/secret',
  'out-dir/new-file',
  'out-file',
  'out-abs/passwd',
  'out-passwd',
  'out-twin/secret',
  'dangling-out',
  'dangling-in',
  'loop',
  'loop-a/x',
  'hop-1/secret',
  'up/outside/secret',
  'sub/up/outside/secret',
  'sub/inner/back',
  'in-link/back',
  'root/etc/passwd',
  'proc/etc/passwd',
  'pipe',
  'pipe/x',
  'file.txt/x',
  'in-file/x',
];

const read = async (root: string, name: string) =>
  useFile(root, pathNames(name), ({ fd }) => fs.readFileSync(fd, 'utf8'));
const write = async (root: string, name: string) => putFile(root, pathNames(name), Buffer.from('written'));

/** Every file and link of a folder, as it is. */
function filesIn(folder: string): string[] {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(file);
    return [
      `${file} ${entry.isFile() ? fs.readFileSync(file, 'utf8') : entry.isSymbolicLink() ? fs.readlinkSync(file) : ''}`,
    ];
  });
}

describe('a path from outside', () => {
  it(`of ${HOSTILE.length} hostile ones is refused with a sentence that may be shown`, async () => {
    const place = playground();
    const before = filesIn(path.dirname(place.root));
    for (const hostile of HOSTILE)
      for (const use of [read, write]) {
        const result = await use(place.root, hostile).catch((error: unknown) => error);
        expect(result, JSON.stringify(hostile.slice(0, 60))).toBeInstanceOf(UserError);
        if (!(result instanceof UserError)) continue;
        expect(result.message).toMatch(/^(The path )?".*" cannot be used: .+\.$/su);
        expect(result.message.length).toBeLessThan(200);
        expect(result.message).not.toMatch(/[\p{Cc}\u202e\u2066]/u);
        expect(result.message).not.toContain(path.dirname(place.root));
      }
    expect(filesIn(path.dirname(place.root))).toEqual(before);
  });

  const FINE: [string, string][] = [
    ['file.txt', 'file.txt'],
    ['./file.txt', 'file.txt'],
    ['sub//inner/', 'sub/inner'],
    ['.', ''],
    ['new/deeper/file.md', 'new/deeper/file.md'],
    ['.hidden', '.hidden'],
    ['%2e%2e/outside', '%2e%2e/outside'],
    ['a b — ü 日本.txt', 'a b — ü 日本.txt'],
    ['console.log', 'console.log'],
    ['10:30 notes.md', '10:30 notes.md'],
    ['$(id);`id`|x', '$(id);`id`|x'],
    ['-rf', '-rf'],
    ['👩‍👩‍👧.png', '👩‍👩‍👧.png'],
  ];
  it.each(FINE)('%j names %j', (given, names) => {
    expect(pathNames(given).join('/')).toBe(names);
  });

  it('leads below a root that is a link of a person, and nowhere below one that is not there', async () => {
    const place = playground();
    const door = path.join(path.dirname(place.root), 'door');
    fs.symlinkSync('root', door);
    expect(await read(door, 'file.txt')).toBe('text');
    await write(door, 'new/file.txt');
    expect(fs.readFileSync(path.join(place.root, 'new/file.txt'), 'utf8')).toBe('written');
    expect(fs.statSync(path.join(place.root, 'new/file.txt')).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.join(place.root, 'new')).mode & 0o777).toBe(0o700);
    await expect(read(door, 'out-file')).rejects.toThrow('links are not followed');
    expect(await read(path.join(place.root, 'later'), 'a/b')).toBeUndefined();
    expect(await read(place.root, 'none')).toBeUndefined();
  });

  it('leaves nothing of a file that cannot be put in place', async () => {
    const place = playground();
    await expect(write(place.root, 'sub')).rejects.toThrow('it is a folder');
    await expect(putFile(place.root, ['file.txt'], Buffer.from('x'), { isNew: true })).rejects.toThrow('there already');
    expect(fs.readdirSync(place.root).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('refuses a file whose folder is removed while the way to it is made', async () => {
    const place = playground();
    const real = fs.mkdirSync;
    vi.spyOn(fs, 'mkdirSync').mockImplementation(((file: string, options: fs.MakeDirectoryOptions) => {
      if (path.basename(file) === 'deep') fs.rmdirSync(path.join(place.root, 'new'));
      return real(file, options);
    }) as typeof fs.mkdirSync);
    await expect(write(place.root, 'new/deep/file.txt')).rejects.toThrow('its folder is gone');
    vi.restoreAllMocks();
  });

  it.runIf(process.platform === 'linux')('leaves no descriptor open, whatever becomes of it', async () => {
    const place = playground();
    // Those of the test runner come and go, so only the ones within the place count.
    const open = () =>
      fs.readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(place.root);
        } catch {
          // The listing's own descriptor is closed by now.
          return false;
        }
      });
    for (const name of [...HOSTILE, 'file.txt', 'none', 'sub', 'sub/none/x'])
      for (const use of [read, write]) await use(place.root, name).catch(() => undefined);
    expect(open()).toEqual([]);
  });

  it('whatever the path, the result is inside the root', async () => {
    const place = playground();
    const before = filesIn(place.outside);
    // biome-ignore format: a list is filled
    const names = [
      '..', '.', '', 'sub', 'up', 'here', 'in-link', 'out-dir', 'root', 'x', '~', '\\', ' ', 'hop-1', 'back', '%2e',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...names), { maxLength: 8 }),
        fc.constantFrom('/', '//', '\\', '/./'),
        async (parts, separator) => {
          const given = parts.join(separator);
          const text = await read(place.root, given).catch((error: unknown) => error);
          if (typeof text === 'string') expect(['text', 'written']).toContain(text);
          else expect(text === undefined || text instanceof UserError).toBe(true);
          const wrote = await write(place.root, given).catch((error: unknown) => error);
          if (wrote !== undefined) expect(wrote).toBeInstanceOf(UserError);
        },
      ),
      { numRuns: 1000 },
    );
    expect(filesIn(place.outside)).toEqual(before);
    expect(fs.readdirSync(path.dirname(place.root)).sort()).toEqual(['outside', 'root', 'root-evil']);
  });
});

describe('a folder that is held', () => {
  it('stays the one that was opened when a link comes into its place', async () => {
    const { root, outside } = playground();
    const seen = await useFolder(root, ['sub'], (folder) => {
      fs.renameSync(path.join(root, 'sub'), path.join(root, 'moved'));
      fs.symlinkSync(outside, path.join(root, 'sub'));
      const attempt = () => [folder.entries().map(({ name }) => name), folder.stat('secret')];
      if (process.platform === 'linux') return attempt();
      // Without a path of its own it is refused.
      expect(attempt).toThrow(PathRefused);
      return [['inner', 'up'], undefined];
    });
    expect(seen).toEqual([expect.arrayContaining(['inner', 'up']), undefined]);
  });

  it('names entries of its own alone', () => {
    const folder = HeldFolder.root(playground().root);
    for (const name of ['', '.', '..', 'a/b', '/etc', 'a\0b']) expect(() => folder.at(name)).toThrow('not the name');
    folder.close();
  });
});
