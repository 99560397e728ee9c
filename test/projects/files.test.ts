/** The tools for files of a project, with the paths, links and files that a project may hold. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { Processes } from '../../src/features/projects/commands/processes.ts';
import { PROJECT_TOOLS } from '../../src/features/projects/offer.ts';
import { withOwn, withRipgrep } from '../../src/features/projects/search.ts';
import { createLru } from '../../src/lib/lru.ts';
import type { CallOptions } from '../../src/runtime/contract/tool.ts';
import type { ToolScope } from '../../src/runtime/contract/tool-scope.ts';
import { openHome } from '../../src/workspace/home.ts';
import { toolScope } from '../helpers/scope.ts';
import { put, tempFolder } from '../helpers/temp.ts';

const options: CallOptions = { signal: new AbortController().signal, callId: 'c1' };

async function open(files: Record<string, string | Buffer> = {}, onShown?: ToolScope['onShown']) {
  const above = fs.realpathSync(tempFolder());
  const folder = path.join(above, 'shop');
  fs.mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) put(folder, name, content);
  fs.writeFileSync(path.join(above, 'secret.txt'), 'outside');
  const scope = toolScope(await openHome(tempFolder()), { ...(onShown && { onShown }) });
  const kept = createLru<string>(100);
  const seen = { get: (label: string) => kept.get(label), note: (label: string, sum: string) => kept.set(label, sum) };
  const commands = {
    isSandboxed: true,
    network: () => 'none' as const,
    words: [],
    person: 'person:alex',
    writable: () => [],
    processes: new Processes(scope.home),
  };
  const run = { scope, seen, project: () => ({ name: 'shop', folder }), ...commands };
  const call = async (name: string, given: object, signal = options.signal): Promise<Record<string, unknown>> => {
    const tool = PROJECT_TOOLS.find((each) => each.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return Object(await tool.execute(tool.input.parse(given), run, { ...options, signal }));
  };
  const read = (name: string) => fs.readFileSync(path.join(folder, name), 'utf8');
  return { folder, above, call, read };
}

describe('a path', () => {
  // biome-ignore format: a list is filled
  const REFUSED = [
    '../secret.txt', 'src/../../secret.txt', '/etc/passwd', '~/.ssh/id_rsa', '.git/config', '.GIT/hooks/pre-commit',
    'src/.git/config', 'out.txt', 'outside/secret.txt', 'a\\..\\b', 'x\0y', '',
  ];
  test.each(REFUSED)('of %j reaches nothing outside of the project, nor what git runs', async (given) => {
    const { folder, above, call } = await open({ 'src/a.ts': 'a', '.git/config': '[core]' });
    fs.symlinkSync(path.join(above, 'secret.txt'), path.join(folder, 'out.txt'));
    fs.symlinkSync(above, path.join(folder, 'outside'));
    const more = { content: 'x', edits: [{ old: 'o', new: 'x' }] };
    for (const name of ['read_file', 'write_file', 'edit_file'])
      await expect(call(name, { path: given, ...more })).rejects.toThrow();
    expect(fs.readFileSync(path.join(above, 'secret.txt'), 'utf8')).toBe('outside');
    expect(fs.readFileSync(path.join(folder, '.git/config'), 'utf8')).toBe('[core]');
  });

  it('may be absolute, hidden, or in another script', async () => {
    const { folder, call } = await open({ '.github/ci.yml': 'on: push\n', 'src/größe [id].ts': 'x\n' });
    expect(await call('read_file', { path: path.join(folder, '.github/ci.yml') })).toMatchObject({
      text: '1\ton: push',
    });
    expect(await call('read_file', { path: './src/größe [id].ts' })).toMatchObject({ text: '1\tx' });
  });
});

describe('reading', () => {
  it('shows numbered lines, and says how to go on', async () => {
    const { call } = await open({ 'long.txt': Array.from({ length: 4500 }, (_, n) => `line ${n + 1}`).join('\n') });
    const first = await call('read_file', { path: 'long.txt' });
    expect(first).toMatchObject({ lines: 4500, next: 'from: 2001' });
    expect(first.text).toMatch(/^1\tline 1\n2\tline 2\n/);
    const last = await call('read_file', { path: 'long.txt', from: 4499, lines: 10 });
    expect(last).toEqual({ path: 'long.txt', lines: 4500, text: '4499\tline 4499\n4500\tline 4500' });
    expect(await call('read_file', { path: 'long.txt', from: 9999 })).toMatchObject({ text: '' });
  });

  it('keeps within 60 KB, also of one endless line', async () => {
    const { call } = await open({
      'wide.js': `${'x'.repeat(500_000)}\nend\n`,
      'many.txt': `${'y'.repeat(900)}\n`.repeat(500),
    });
    const wide = await call('read_file', { path: 'wide.js' });
    expect(String(wide.text).length).toBeLessThan(3_000);
    expect(wide.text).toContain('(500000 characters)\n2\tend');
    const many = await call('read_file', { path: 'many.txt' });
    expect(String(many.text).length).toBeLessThanOrEqual(60_000);
    expect(many.next).toBe('from: 67');
  });

  test.each([
    ['a mark and Windows line ends', Buffer.from('\ufeffa\r\nb\r\n'), '1\ta\n2\tb'],
    ['UTF-16', Buffer.from('\ufeffzwölf', 'utf16le'), '1\tzwölf'],
    ['Latin-1', Buffer.from('Größe', 'latin1'), '1\tGröße'],
    ['nothing', Buffer.from(''), ''],
  ])('understands %s', async (_what, bytes, text) => {
    const { call } = await open({ 'a.txt': bytes });
    expect(await call('read_file', { path: 'a.txt' })).toMatchObject({ text });
  });

  it('shows a picture, whatever its name, until no more are shown', async () => {
    const shown: string[] = [];
    const picture = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100)]);
    const { call } = await open({ 'logo.dat': picture }, ({ type, ref }) => {
      shown.push(`${type} ${ref}`);
      return shown.length < 3;
    });
    const answer = { path: 'logo.dat', shown: 'The picture follows.' };
    expect(await call('read_file', { path: 'logo.dat' })).toEqual(answer);
    expect(await call('read_file', { path: 'logo.dat' })).toEqual(answer);
    expect(shown[0]).toMatch(/^image\/png artifacts\/20260101-aaaaa\/\w{10}\.png$/);
    expect(shown[1]).toBe(shown[0]);
    await expect(call('read_file', { path: 'logo.dat' })).rejects.toThrow('any more pictures in this run');
  });

  it('names what is no text', async () => {
    const { call } = await open({ 'a.bin': Buffer.from([1, 0, 2, 255]) });
    await expect(call('read_file', { path: 'a.bin' })).rejects.toThrow('a.bin is not text (4 bytes)');
  });
});

describe('listing', () => {
  const FILES = {
    '.gitignore': 'node_modules/\n*.log\n',
    'src/a.ts': '',
    'src/deep/b.ts': '',
    'src/deep/deeper/c.ts': '',
    'src/.gitignore': '!keep.log\n/made.ts\n',
    'src/keep.log': '',
    'src/made.ts': '',
    'node_modules/x/index.js': '',
    'debug.log': '',
    '.git/HEAD': '',
  };
  it('leaves out what .gitignore names, in every folder', async () => {
    const { call } = await open(FILES);
    const { entries } = await call('list_files', { glob: '**' });
    // biome-ignore format: a list is filled
    const expected = [
      '.gitignore', 'src/.gitignore', 'src/a.ts', 'src/keep.log', 'src/deep/b.ts', 'src/deep/deeper/c.ts',
    ];
    expect(entries).toEqual(expect.arrayContaining(expected));
    expect(entries).toHaveLength(expected.length);
  });

  it('shows two levels of a folder, or the files that match', async () => {
    const { call } = await open(FILES);
    expect(await call('list_files', {})).toMatchObject({
      entries: ['.gitignore', 'src/', 'src/.gitignore', 'src/a.ts', 'src/deep/', 'src/keep.log'],
    });
    expect(await call('list_files', { path: 'src', glob: 'deep/**/*.ts' })).toMatchObject({
      entries: ['src/deep/b.ts', 'src/deep/deeper/c.ts'],
    });
    await expect(call('list_files', { path: 'nowhere' })).rejects.toThrow('There is no folder "nowhere"');
  });

  it.each([
    ['src/**/*.{ts,tsx}', ['src/a.ts', 'src/made.tsx', 'src/deep/b.ts']],
    ['{src,doc}/{a,b{1,2}}.*', ['doc/b2.md', 'src/a.ts']],
    ['!*.{ts,tsx}', ['doc/b2.md']],
  ])('understands the glob %s', async (glob, expected) => {
    const { call } = await open({ 'src/a.ts': '', 'src/made.tsx': '', 'src/deep/b.ts': '', 'doc/b2.md': '' });
    const { entries } = await call('list_files', { glob });
    expect(entries).toEqual(expect.arrayContaining(expected));
    expect(entries).toHaveLength(expected.length);
  });

  it('lists in spite of a rule of the project that takes others for ever', async () => {
    const { call } = await open({ '.gitignore': `${'**/a/'.repeat(12)}c`, [`${'a/'.repeat(60)}x`]: '' });
    expect(await call('list_files', { glob: '**' })).toMatchObject({ entries: ['.gitignore', `${'a/'.repeat(60)}x`] });
  });

  it('says that a folder is left out', async () => {
    const { call } = await open(FILES);
    expect(await call('list_files', { path: 'node_modules/x' })).toMatchObject({
      entries: [],
      more: 'A .gitignore excludes this folder.',
    });
  });

  it('says of which folder it has looked at a part', async () => {
    const { folder, call } = await open({ 'a.md': '' });
    fs.mkdirSync(path.join(folder, 'data'));
    for (let n = 0; n < 20_001; n++) fs.linkSync(path.join(folder, 'a.md'), path.join(folder, 'data', `${n}.txt`));
    expect(await call('list_files', { glob: '*.md' })).toMatchObject({
      entries: ['a.md'],
      more: 'Only the first 20000 entries of data/ were checked.',
    });
  });

  it('ends at a thousand entries', async () => {
    const { call } = await open(Object.fromEntries(Array.from({ length: 1100 }, (_, n) => [`f${n}.txt`, ''])));
    const { entries, more } = await call('list_files', {});
    expect(entries).toHaveLength(1000);
    expect(more).toContain('There are more');
  });
});

describe('writing', () => {
  it('makes a file and its folders, readable as others are', async () => {
    const { folder, call, read } = await open();
    expect(await call('write_file', { path: 'src/new/a.ts', content: 'a\n' })).toEqual({
      path: 'src/new/a.ts',
      size: 2,
      created: true,
    });
    expect(read('src/new/a.ts')).toBe('a\n');
    expect(fs.statSync(path.join(folder, 'src/new/a.ts')).mode & 0o777).toBe(0o644);
    expect(fs.statSync(path.join(folder, 'src/new')).mode & 0o777).toBe(0o755);
  });

  it('replaces only what was read, and what nobody has changed since', async () => {
    const { folder, call, read } = await open({ 'run.sh': 'one\r\ntwo\r\n' });
    fs.chmodSync(path.join(folder, 'run.sh'), 0o755);
    await expect(call('write_file', { path: 'run.sh', content: 'x' })).rejects.toThrow(
      'run.sh already exists: read it first',
    );
    await call('read_file', { path: 'run.sh' });
    await call('write_file', { path: 'run.sh', content: 'three\nfour\n' });
    expect(read('run.sh')).toBe('three\r\nfour\r\n');
    expect(fs.statSync(path.join(folder, 'run.sh')).mode & 0o777).toBe(0o755);
    put(folder, 'run.sh', 'by a person\n');
    await expect(call('write_file', { path: 'run.sh', content: 'x' })).rejects.toThrow('has changed since you read it');
    await expect(call('edit_file', { path: 'run.sh', edits: [{ old: 'person', new: 'x' }] })).rejects.toThrow(
      'has changed',
    );
    expect(read('run.sh')).toBe('by a person\n');
  });

  it('edits keep line ends, mark and mode, and all of them are made or none', async () => {
    const { call, folder } = await open({ 'a.cs': '\ufeffint a = 1;\r\nint b = 2;\r\n' });
    const edits = [{ old: 'a = 1;\nint b', new: 'a = 3;\nint c' }];
    expect(await call('edit_file', { path: 'a.cs', edits })).toEqual({ path: 'a.cs', changed: ['1-2'] });
    const now = '\ufeffint a = 3;\r\nint c = 2;\r\n';
    expect(fs.readFileSync(path.join(folder, 'a.cs'), 'utf8')).toBe(now);
    const both = [
      { old: 'c', new: 'd' },
      { old: 'nowhere', new: 'x' },
    ];
    await expect(call('edit_file', { path: 'a.cs', edits: both })).rejects.toThrow('edit 2');
    expect(fs.readFileSync(path.join(folder, 'a.cs'), 'utf8')).toBe(now);
  });

  it('keeps mixed line ends, and leaves other encodings alone', async () => {
    const { call, read } = await open({ 'mixed.txt': 'a\r\nb\nc\r\n', 'old.txt': Buffer.from('Größe', 'latin1') });
    await call('edit_file', { path: 'mixed.txt', edits: [{ old: 'b', new: 'B' }] });
    expect(read('mixed.txt')).toBe('a\r\nB\nc\r\n');
    await expect(call('edit_file', { path: 'old.txt', edits: [{ old: 'G', new: 'g' }] })).rejects.toThrow('not UTF-8');
  });
});

describe('searching', () => {
  const FILES = {
    'src/a.ts': 'one\nconst price = 1;\nthree\n',
    'b.md': 'Price list\n',
    '.gitignore': 'dist\n',
    'dist/c.js': 'price\n',
  };
  it('finds lines, with those around them', async () => {
    const { call } = await open(FILES);
    expect(await call('search_files', { pattern: 'pri[cs]e' })).toEqual({
      hits: 1,
      lines: 'src/a.ts:2:const price = 1;',
    });
    expect(await call('search_files', { pattern: 'PRICE', ignoreCase: true, glob: '*.md' })).toEqual({
      hits: 1,
      lines: 'b.md:1:Price list',
    });
    expect(await call('search_files', { pattern: 'price', path: 'src', context: 1 })).toEqual({
      hits: 1,
      lines: 'src/a.ts-1-one\nsrc/a.ts:2:const price = 1;\nsrc/a.ts-3-three',
    });
    expect(await call('search_files', { pattern: 'nowhere' })).toEqual({ hits: 0 });
    await expect(call('search_files', { pattern: '(' })).rejects.toThrow('This pattern cannot be used');
  });

  it.each(['*', '**', '.git*', '.env', '**/*'])(
    'shows nothing that is ignored, nor of git, by the glob %s',
    async (glob) => {
      const { call } = await open({
        ...FILES,
        '.gitignore': 'dist\n.env\n',
        '.env': 'PRICE=secret\n',
        '.git/config': 'url = https://secret price@example.org\n',
      });
      const found = await call('search_files', { pattern: 'price|PRICE', glob });
      expect(JSON.stringify(found)).not.toMatch(/secret|dist/);
    },
  );

  it.each<[string, Record<string, string>]>([
    ['a .gitignore beside it', { 'deep/er/.gitignore': '*.txt\n' }],
    ['the folder above it', { '.gitignore': 'er/\n' }],
    ['a file of ripgrep', { 'deep/.ignore': 'secret.txt\n' }],
    ['an older file of ripgrep', { '.rgignore': 'secret.txt\n' }],
    ['a file of git', { '.git/HEAD': 'ref: refs/heads/main\n', '.git/info/exclude': '# own\nsecret.txt\n' }],
  ])('goes by %s also where a glob names an ignored file', async (_what, files) => {
    const plain = { 'deep/open.txt': 'price\n', 'deep/er/secret.txt': 'price\n', 'deep/er/a.md': 'price\n' };
    const { folder } = await open({ ...plain, ...files });
    const order = { folder, names: [], pattern: 'price', context: 0, ignoreCase: false };
    const theirs = await withRipgrep({ ...order, glob: '**/*.txt' }, options.signal);
    if (theirs) expect(theirs).toEqual(['deep/open.txt\0' + '1:price']);
    const found = await withRipgrep({ ...order, glob: 'deep/er/*.txt' }, options.signal);
    if (found) expect(found).toEqual([]);
  });

  it('finds by a glob what a .gitignore below includes again', async () => {
    const { folder } = await open({ '.gitignore': '*.txt\n', 'deep/.gitignore': '!a.txt\n', 'deep/a.txt': 'price\n' });
    const order = { folder, names: [], pattern: 'price', glob: '*.txt', context: 0, ignoreCase: false };
    const theirs = await withRipgrep(order, options.signal);
    if (theirs) expect(theirs).toEqual(['deep/a.txt\0' + '1:price']);
  });

  test.each([
    ['*.md', 1],
    ['src/**', 1],
    ['src', 1],
    ['{src,docs}/*.{ts,md}', 1],
    ['!*.md', 1],
    ['nowhere/*', 0],
    ['**/A.ts', 0],
  ])('by the glob %s is the same with ripgrep and without', async (glob, files) => {
    const { folder } = await open({ ...FILES, '.gitignore': 'dist\n*.log\n!kept.log\n', 'kept.log': 'price\n' });
    const order = { folder, names: [], pattern: '[Pp]rice', glob, context: 0, ignoreCase: false };
    const own = await withOwn(order, options.signal);
    const names = own.map((line) => line.slice(0, line.indexOf('\0'))).filter((name) => name !== 'kept.log');
    expect(new Set(names).size).toBe(files);
    const theirs = await withRipgrep(order, options.signal);
    if (theirs) expect(theirs.toSorted()).toEqual(own.toSorted());
  });

  it('says that the project was removed', async () => {
    const { folder, call } = await open(FILES);
    fs.rmSync(folder, { recursive: true });
    await expect(call('search_files', { pattern: 'price' })).rejects.toThrow('The folder of the project is gone.');
  });

  it('takes several endings', async () => {
    const { call } = await open(FILES);
    expect(await call('search_files', { pattern: '[Pp]rice', glob: '*.{ts,md}' })).toMatchObject({ hits: 2 });
  });

  test.each([
    ['a word', { pattern: 'price' }],
    ['no case', { pattern: 'PRICE', ignoreCase: true }],
    ['lines around', { pattern: 'const', context: 2 }],
    ['a folder', { pattern: '.', names: ['src'] }],
    ['a file', { pattern: 'three', names: ['src', 'a.ts'] }],
    ['letters of other scripts', { pattern: '\\p{Lu}' }],
  ])('is the same with ripgrep and without: %s', async (_what, given) => {
    const { folder } = await open({
      ...FILES,
      'größe.txt': 'Ä\n',
      '.hidden/x': 'price\n',
      'a.bin': Buffer.from([0, 112]),
    });
    const order = { folder, names: [], context: 0, ignoreCase: false, ...given };
    const own = await withOwn(order, options.signal);
    expect(own.length).toBeGreaterThan(0);
    const theirs = await withRipgrep(order, options.signal);
    if (theirs) expect(theirs.toSorted()).toEqual(own.toSorted());
  });

  it('ends a pattern that takes for ever', async () => {
    const { folder } = await open({ 'a.txt': `${'a'.repeat(50_000)}!\n` });
    const order = { folder, names: [], pattern: '(a+)+$', context: 0, ignoreCase: false };
    await expect(withOwn(order, options.signal, 2_000)).rejects.toThrow('The search took too long');
  });

  it('counts hits by their lines, whatever names and lines contain', async () => {
    const { call } = await open({ 'v-2-x/a:3:b.txt': 'see x:7:y\nprice\nand z:9:\n' });
    expect(await call('search_files', { pattern: 'price', context: 1 })).toEqual({
      hits: 1,
      lines: 'v-2-x/a:3:b.txt-1-see x:7:y\nv-2-x/a:3:b.txt:2:price\nv-2-x/a:3:b.txt-3-and z:9:',
    });
  });

  it('shows 200 hits at most', async () => {
    const { call } = await open({ 'a.txt': 'hit\n'.repeat(1000) });
    expect(await call('search_files', { pattern: 'hit' })).toMatchObject({
      hits: 200,
      more: expect.stringContaining('first 200'),
    });
  });
});
