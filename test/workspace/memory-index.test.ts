/** The search index of a viber's memory: what it finds, how it follows the files, and that it may be lost at any moment. */

import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { MemorySearch } from '../../src/features/memory/store/search.ts';
import type { Embedder } from '../../src/runtime/contract/memory.ts';
import { type Home, openHome } from '../../src/workspace/home.ts';
import { embed } from '../emulators/llm/embeddings.ts';
import { tempFolder, tree } from '../helpers/temp.ts';

const SETTINGS = {
  index: 'on' as const,
  retention: { indexRebuildDays: 7 },
  excludePatterns: ['*.secret.md', 'credentials/*'],
};

interface World {
  home: Home;
  dir: string;
  index: string;
  write(name: string, text: string): void;
  open(options?: Partial<ConstructorParameters<typeof MemorySearch>[0]>): MemorySearch;
}

async function world(): Promise<World> {
  const home = await openHome(tempFolder());
  const dir = home.viberDir('default');
  return {
    ...{ home, dir, index: path.join(dir, 'memory.sqlite') },
    write(name, text) {
      const file = path.join(dir, name);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, text);
    },
    open(options = {}) {
      const search = new MemorySearch({ home, settings: SETTINGS, ...options });
      onTestFinished(() => search.close());
      return search;
    },
  };
}

/** Words in common make texts near; it notes what it is asked. */
function fakeEmbedder(
  options: { name?: string; dimensions?: number } = {},
): Embedder & { asked: string[]; fails: boolean } {
  return {
    name: options.name ?? 'local/e',
    asked: [],
    fails: false,
    async embed(texts) {
      if (this.fails) throw new Error('503');
      this.asked.push(...texts);
      return texts.map((text) => Float32Array.from(embed(text, options.dimensions ?? 64)));
    },
  };
}

const contents = async (search: MemorySearch, query: string, limit?: number) =>
  (await search.searchMemory('default', query, limit)).map(({ content }) => content);

test('finds by words, with file, heading and line', async () => {
  const { write, open, index } = await world();
  write('MEMORY.md', '# Memory\n\n## Preferences\n- Prefers green tea\n\n## Project\n- Falcon ships in May\n');
  write('memory/2024-01-15.md', '# 2024-01-15\n\n## Key Decisions\n- Use JWT tokens\n');
  const [hit, ...more] = await open().searchMemory('default', 'which tea?');
  expect(hit).toEqual({
    ...{ content: '## Preferences\n- Prefers green tea', source_file: 'MEMORY.md' },
    ...{ metadata: { section: 'Preferences', line: 3 }, score: expect.any(Number) },
  });
  expect(more).toEqual([]);
  expect((await open().searchMemory('default', '2024-01-15'))[0]?.source_file).toBe('2024-01-15.md');
  expect(fs.statSync(index).mode & 0o777).toBe(0o600);
});

test('the file has the documented schema, and the home a relative link to it', async () => {
  const { write, open, index, home } = await world();
  write('MEMORY.md', '## A\n- tea\n');
  await open({ embedder: fakeEmbedder() }).searchMemory('default', 'tea');
  const link = path.join(home.root, 'memory', 'default.sqlite');
  expect(fs.readlinkSync(link)).toBe('../vibers/default/memory.sqlite');
  expect(fs.realpathSync(link)).toBe(fs.realpathSync(index));
  const db = new DatabaseSync(link);
  const columns = db.prepare('PRAGMA table_info(chunks)').all();
  expect(columns.map(({ name, type, notnull, dflt_value, pk }) => [name, type, notnull, dflt_value, pk])).toEqual([
    ['id', 'INTEGER', 0, null, 1],
    ['source_file', 'TEXT', 1, null, 0],
    ['content', 'TEXT', 1, null, 0],
    ['embedding', 'BLOB', 1, null, 0],
    ['created_at', 'TEXT', 0, 'CURRENT_TIMESTAMP', 0],
    ['metadata', 'JSON', 0, null, 0],
  ]);
  expect(db.prepare('PRAGMA index_info(idx_source)').all()).toMatchObject([{ name: 'source_file' }]);
  const row = db.prepare('SELECT embedding, metadata, created_at FROM chunks').get();
  expect(row?.embedding).toHaveLength(64 * 4);
  expect(JSON.parse(String(row?.metadata))).toEqual({ section: 'A', line: 1 });
  expect(String(row?.created_at)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  db.close();
});

test('meaning and words together: what both find comes first, of equals the newer', async () => {
  const { write, open } = await world();
  write('memory/2024-01-01.md', '## N\n- the vehicle is a red bicycle\n');
  write('memory/2024-03-01.md', '## N\n- coffee at nine\n');
  write('memory/2024-02-01.md', '## N\n- coffee at ten\n');
  const meaning: Embedder = {
    name: 'local/meaning',
    embed: async (texts) =>
      texts.map((text) => Float32Array.from([/bicycle|bike/.test(text) ? 1 : 0, /bicycle|bike/.test(text) ? 0 : 1])),
  };
  const search = open({ embedder: meaning });
  expect((await contents(search, 'bike', 1))[0]).toContain('red bicycle');
  expect(await contents(open(), 'bike')).toEqual([]);
  expect(await contents(open(), 'coffee')).toEqual(['## N\n- coffee at nine', '## N\n- coffee at ten']);
});

test('follows the files: added, edited by hand, renamed, removed; only what changed is embedded again', async () => {
  const { write, open, dir } = await world();
  const embedder = fakeEmbedder();
  const search = open({ embedder });
  write('memory/a.md', '## One\n- alpha\n\n## Two\n- beta\n');
  write('memory/b.md', '## Three\n- gamma\n');
  await contents(search, 'x');
  expect(embedder.asked.filter((text) => text !== 'x').sort()).toEqual([
    '## One\n- alpha',
    '## Three\n- gamma',
    '## Two\n- beta',
  ]);
  embedder.asked.length = 0;
  write('memory/a.md', '## Zero\n- new\n\n## One\n- alpha\n\n## Two\n- delta\n');
  expect((await search.searchMemory('default', 'alpha'))[0]?.metadata).toEqual({ section: 'One', line: 4 });
  expect(embedder.asked.sort()).toEqual(['## Two\n- delta', '## Zero\n- new', 'alpha']);
  expect((await contents(search, 'delta'))[0]).toContain('delta');
  expect(await contents(open(), 'beta')).toEqual([]);
  fs.rmSync(path.join(dir, 'memory/a.md'));
  fs.renameSync(path.join(dir, 'memory/b.md'), path.join(dir, 'memory/c.md'));
  expect(await contents(open(), 'alpha delta')).toEqual([]);
  expect((await search.searchMemory('default', 'gamma'))[0]?.source_file).toBe('c.md');
});

test('what is excluded, hidden, linked outside or too large is in no search, no file and no request', async () => {
  const { write, open, dir, home, index } = await world();
  const outside = tempFolder();
  fs.writeFileSync(path.join(outside, 'x.md'), '## X\n- marker outside\n');
  write('memory/bank.secret.md', '## X\n- marker excluded\n');
  write('memory/Credentials/aws.md', '## X\n- marker credentials\n');
  write('memory/suggestions/s.md', '## X\n- marker suggestion\n');
  write('memory/.hidden.md', '## X\n- marker hidden\n');
  write('memory/provenance.jsonl', '{"marker":"provenance"}\n');
  write('memory/notes.txt', 'marker text\n');
  write('memory/huge.md', `## X\n- marker huge\n${'word '.repeat(200_000)}`);
  write('memory/fine.md', '## X\n- marker fine\n');
  fs.symlinkSync(path.join(outside, 'x.md'), path.join(dir, 'memory/out.md'));
  fs.symlinkSync(outside, path.join(dir, 'memory/folder'));
  fs.symlinkSync('bank.secret.md', path.join(dir, 'memory/alias.md'));
  fs.symlinkSync('missing.md', path.join(dir, 'memory/dangling.md'));
  fs.symlinkSync('loop.md', path.join(dir, 'memory/loop.md'));
  for (const mode of ['on', 'off'] as const) {
    const embedder = fakeEmbedder();
    const search = open({ embedder, settings: { ...SETTINGS, index: mode } });
    expect(await contents(search, 'marker', 50)).toEqual(['## X\n- marker fine']);
    expect(embedder.asked.filter((text) => text.includes('marker ')).sort()).toEqual(
      mode === 'on' ? ['## X\n- marker fine'] : [],
    );
  }
  expect(fs.readFileSync(index, 'latin1')).not.toMatch(/marker (excluded|credentials|outside|suggestion|hidden|huge)/);
  // Excluded later on: it is gone from the file, not only from the answers.
  const stricter = open({ settings: { ...SETTINGS, excludePatterns: ['fine*'] } });
  expect(await contents(stricter, 'marker')).not.toContain('## X\n- marker fine');
  expect(fs.readFileSync(index, 'latin1')).not.toContain('marker fine');
  expect(Object.keys(tree(home.root)).filter((name) => /sqlite-/.test(name))).toEqual([]);
});

test('comments are for people: neither found nor embedded, and lines keep their numbers', async () => {
  const { write, open } = await world();
  const embedder = fakeEmbedder();
  write('MEMORY.md', '<!-- hidden\nwords -->\n## A\n- tea <!-- aside --> green\n\n<!-- open end\n- still told\n');
  const search = open({ embedder });
  expect((await search.searchMemory('default', 'tea'))[0]?.metadata).toEqual({ section: 'A', line: 3 });
  expect(await contents(open(), 'hidden aside')).toEqual([]);
  expect(embedder.asked.join()).not.toMatch(/hidden|aside/);
  expect(await contents(open(), 'told')).toHaveLength(1);
});

test('vibers do not see each other', async () => {
  const { write, open, home } = await world();
  write('MEMORY.md', '## A\n- ours is tea\n');
  fs.mkdirSync(path.join(home.root, 'vibers/dev/memory'), { recursive: true });
  fs.writeFileSync(path.join(home.root, 'vibers/dev/MEMORY.md'), '## A\n- theirs is tea\n');
  const search = open();
  expect((await search.searchMemory('dev', 'tea')).map(({ content }) => content)).toEqual(['## A\n- theirs is tea']);
  expect(await contents(search, 'tea')).toEqual(['## A\n- ours is tea']);
  expect(fs.existsSync(path.join(home.root, 'vibers/dev/memory.sqlite'))).toBe(true);
  await expect(search.searchMemory('../x', 'tea')).rejects.toThrow('not the id');
});

test('the size of the memory chooses by itself; the answers have one shape', async () => {
  const { write, open, index } = await world();
  const auto = () => open({ settings: { ...SETTINGS, index: 'auto' } });
  for (let n = 1; n <= 8; n++) write(`memory/2024-01-0${n}.md`, `## Day\n- entry ${n} about tea\n`);
  const direct = await auto().searchMemory('default', 'entry tea', 20);
  expect(fs.existsSync(index)).toBe(false);
  write('memory/2024-01-09.md', '## Day\n- nothing\n');
  const [first] = await auto().searchMemory('default', 'entry tea', 20);
  expect(fs.existsSync(index)).toBe(true);
  expect(Object.keys(first ?? {})).toEqual(Object.keys(direct[0] ?? {}));
  fs.rmSync(index);
  const off = open({ settings: { ...SETTINGS, index: 'off' } });
  expect(await off.searchMemory('default', 'entry tea', 20)).toEqual(direct);
  expect(fs.existsSync(index)).toBe(false);
});

test('both ways rank alike, whatever the query', async () => {
  const { write, open } = await world();
  write(
    'MEMORY.md',
    '## 好み\n- 黒猫が好き、緑茶も\n\n## Café\n- Crème brûlée in Århus\n\n## Code\n- C++ and "quotes" AND (brackets) NOT near*\n',
  );
  write('memory/2024-01-01.md', '## Day\n- deployment of the falcon service\n\n## Other\n- the cat sat\n');
  const both = [open(), open({ settings: { ...SETTINGS, index: 'off' } })];
  const queries: [string, string | undefined][] = [
    ['緑茶', '好み'],
    ['猫', '好み'],
    ['creme brulee', 'Café'],
    ['aarhus', undefined],
    ['falc', 'Day'],
    ['deploy', 'Day'],
    ['"quotes" AND', 'Code'],
    ['c', 'Code'],
    ['NEAR(a b)', 'Code'],
    ['content:x OR', undefined],
    ['*', undefined],
    ['"', undefined],
    ["'; DROP TABLE chunks; --", undefined],
    ['', undefined],
    ['🙂', undefined],
    ['\u0000', undefined],
  ];
  for (const [query, section] of queries) {
    for (const search of both) {
      const [hit] = await search.searchMemory('default', query);
      expect([query, hit?.metadata.section]).toEqual([query, section]);
    }
  }
});

test('deleted while it is open, in the middle of a search, or replaced by another process: the next search is whole', async () => {
  const { write, open, index } = await world();
  for (let n = 0; n < 30; n++) write(`memory/n${n}.md`, `## T\n- note ${n} tea\n`);
  const embedder = fakeEmbedder();
  const search = open({
    embedder: {
      name: 'local/e',
      async embed(texts, options) {
        fs.rmSync(index, { force: true });
        return embedder.embed(texts, options);
      },
    },
  });
  expect(await contents(search, 'note 7')).toHaveLength(5);
  const plain = open({ embedder });
  expect(await contents(plain, 'tea', 50)).toHaveLength(30);
  fs.rmSync(index);
  expect(await contents(plain, 'tea', 50)).toHaveLength(30);
  await open().rebuildIndex('default');
  expect(await contents(plain, 'tea', 50)).toHaveLength(30);
});

test('a truncated, overwritten or foreign file is moved aside and made anew', async () => {
  const { write, open, index } = await world();
  for (let n = 0; n < 80; n++) write(`memory/n${n}.md`, `## T\n- note ${n} tea ${'filling '.repeat(40)}\n`);
  const first = open();
  await first.rebuildIndex('default');
  await first.close();
  const whole = fs.readFileSync(index);
  const evil = new DatabaseSync(`${index}.evil`);
  evil.exec('CREATE TABLE chunks (id); CREATE VIEW files AS SELECT 1');
  evil.close();
  const damaged: Buffer[] = [
    ...[1, 100, 4096, 4097, whole.length / 2, whole.length - 4096, whole.length - 1].map((size) =>
      whole.subarray(0, size),
    ),
    Buffer.from('not a database'.repeat(1000)),
    Buffer.concat([whole.subarray(0, 8192), Buffer.alloc(whole.length - 8192, 0x5a)]),
    fs.readFileSync(`${index}.evil`),
  ];
  for (const [n, bytes] of damaged.entries()) {
    fs.rmSync(index, { force: true });
    fs.rmSync(`${index}.bad`, { force: true });
    fs.writeFileSync(index, bytes);
    const search = open();
    expect((await contents(search, 'note 77', 50)).length, `case ${n}`).toBeGreaterThan(5);
    expect(fs.existsSync(`${index}.bad`), `case ${n}`).toBe(true);
    await search.close();
  }
  // Damaged under an open connection.
  const open1 = open();
  await contents(open1, 'tea');
  fs.writeFileSync(index, Buffer.alloc(whole.length, 0x5a));
  write('memory/new.md', '## T\n- fresh\n');
  expect((await contents(open1, 'fresh'))[0]).toContain('fresh');
});

test('another model, or other dimensions of the same one, embed everything again and mix nothing', async () => {
  const { write, open, index } = await world();
  for (let n = 0; n < 300; n++) write(`memory/n${n}.md`, `## T\n- note ${n}\n`);
  const sizes = () => {
    const db = new DatabaseSync(index);
    const rows = db.prepare('SELECT length(embedding) AS size, count(*) AS n FROM chunks GROUP BY 1').all();
    db.close();
    return rows.map(({ size, n }) => [size, n]);
  };
  for (const options of [{}, { name: 'local/other', dimensions: 32 }, { name: 'local/other', dimensions: 48 }]) {
    const embedder = fakeEmbedder(options);
    // The files' first look: three files more show the new dimensions.
    write(`memory/more-${options.dimensions}.md`, `## T\n- more ${options.dimensions}\n`);
    const search = open({ embedder, embedWaitMs: 60_000 });
    await contents(search, 'note 5');
    await search.close();
    expect(sizes()).toHaveLength(1);
    expect(sizes()[0]?.[0]).toBe((options.dimensions ?? 64) * 4);
  }
});

test.each([
  ['no vectors', () => []],
  ['one too few', (texts: readonly string[]) => texts.slice(1).map(() => new Float32Array(64).fill(1))],
  [
    'vectors of another length each time',
    (texts: readonly string[], n: number) => texts.map(() => new Float32Array(8 + n).fill(1)),
  ],
])('a provider that answers with %s is not asked for ever', async (_name, answer) => {
  const { write, open } = await world();
  const good = fakeEmbedder();
  write('MEMORY.md', '## A\n- green tea\n');
  await contents(open({ embedder: good }), 'tea');
  for (let n = 0; n < 300; n++) write(`memory/n${n}.md`, `## T\n- note ${n}\n`);
  let calls = 0;
  const embedder: Embedder = { name: good.name, embed: async (texts) => answer(texts, calls++) };
  const search = open({ embedder, embedWaitMs: 60_000 });
  expect(await contents(search, 'tea', 1)).toEqual(['## A\n- green tea']);
  expect(calls).toBeLessThan(12);
});

test('a provider that fails leaves the search to the words, is told once, and is asked again', async () => {
  const { write, open } = await world();
  write('MEMORY.md', '## A\n- green tea\n');
  const embedder = fakeEmbedder();
  embedder.fails = true;
  const warned: string[] = [];
  const log = { warn: (_fields: object, text: string) => warned.push(text) };
  // biome-ignore lint/suspicious/noExplicitAny: only this of a logger is used
  const search = open({ embedder, log: log as any });
  expect(await contents(search, 'tea')).toEqual(['## A\n- green tea']);
  expect(await contents(search, 'tea')).toEqual(['## A\n- green tea']);
  expect(warned).toEqual([expect.stringContaining('memory.embedding')]);
  embedder.fails = false;
  expect(await contents(search, 'tea')).toEqual(['## A\n- green tea']);
  expect(embedder.asked.sort()).toEqual(['## A\n- green tea', 'tea']);
});

test('two processes at once lose and double nothing', async () => {
  const { write, open, index } = await world();
  for (let n = 0; n < 120; n++) write(`memory/n${n}.md`, `## T\n- note ${n} tea\n\n## U\n- more ${n}\n`);
  // Connections of their own: what they share is only the file, as two processes do.
  const searches = Array.from({ length: 4 }, () => open({ embedder: fakeEmbedder() }));
  await Promise.all(
    searches.flatMap((search, n) => [
      search.searchMemory('default', `note ${n}`),
      n % 2 === 0 ? search.rebuildIndex('default') : search.searchMemory('default', 'more'),
    ]),
  );
  await Promise.all(searches.map((search) => search.searchMemory('default', 'tea')));
  const db = new DatabaseSync(index);
  expect(db.prepare('SELECT count(*) AS n, count(DISTINCT source_file || content) AS d FROM chunks').get()).toEqual({
    n: 240,
    d: 240,
  });
  expect(db.prepare('SELECT count(*) AS n FROM chunks_fts').get()).toEqual({ n: 240 });
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  db.close();
});

test('a rebuild keeps vectors, is due after indexRebuildDays, and the sweep clears what is left', async () => {
  const { write, open, index, dir } = await world();
  write('MEMORY.md', '## A\n- tea\n');
  const embedder = fakeEmbedder();
  const search = open({ embedder });
  await contents(search, 'x');
  const before = fs.statSync(index).ino;
  expect(await search.rebuildIndex('default')).toEqual({ files: 1, chunks: 1, embedded: 1 });
  expect(fs.statSync(index).ino).not.toBe(before);
  expect(embedder.asked).toEqual(expect.arrayContaining(['## A\n- tea', 'x']));
  expect(embedder.asked).toHaveLength(2);
  const rebuilt = fs.statSync(index).ino;
  write('memory.sqlite.new-999999999-aa', 'left by a killed process');
  await search.sweepIndexes(Date.now() + 6 * 86_400_000);
  expect(fs.statSync(index).ino).toBe(rebuilt);
  expect(fs.existsSync(path.join(dir, 'memory.sqlite.new-999999999-aa'))).toBe(false);
  await search.sweepIndexes(Date.now() + 8 * 86_400_000);
  expect(fs.statSync(index).ino).not.toBe(rebuilt);
  fs.writeFileSync(path.join(dir, 'MEMORY.md'), '## A\n- forgotten\n');
  fs.rmSync(path.join(dir, 'MEMORY.md'));
  await search.sweepIndexes();
  expect(fs.readFileSync(index, 'latin1')).not.toContain('- tea');
  await open({ settings: { ...SETTINGS, index: 'off' } }).sweepIndexes();
  expect(fs.existsSync(index)).toBe(false);
});

test('thousands of pieces never hold the event loop for long', async () => {
  const { write, open, dir } = await world();
  const section = (n: number, i: number) => `## Topic ${i}\n- note ${n} of ${i} ${'some filling words '.repeat(10)}\n`;
  for (let n = 0; n < 100; n++) {
    write(`memory/n${n}.md`, Array.from({ length: 30 }, (_, i) => section(n, i)).join('\n'));
  }
  const search = open({ embedder: fakeEmbedder() });
  // Processor time between two turns of the loop: other programs on the machine do not count.
  const spent = () => Object.values(process.threadCpuUsage()).reduce((sum, micros) => sum + micros, 0) / 1000;
  const held: number[] = [];
  let isOver = false;
  const turns = (async () => {
    for (let last = spent(); !isOver; last = spent()) {
      await new Promise((resolve) => setImmediate(resolve));
      held.push(spent() - last);
    }
  })();
  await search.rebuildIndex('default');
  const now = new Date();
  for (let n = 0; n < 100; n++) fs.utimesSync(path.join(dir, `memory/n${n}.md`), now, now);
  await contents(search, 'note 77');
  isOver = true;
  await turns;
  held.sort((a, b) => b - a);
  expect(held.length).toBeGreaterThan(50);
  // A garbage collection may take one turn; work that is not cut up takes seconds.
  expect(held[3]).toBeLessThan(150);
});

test('where there can be no index the files are read', async () => {
  const { write, open, index } = await world();
  write('MEMORY.md', '## A\n- tea\n');
  fs.mkdirSync(index);
  expect(await contents(open(), 'tea')).toEqual(['## A\n- tea']);
});

test('a close cuts off what goes on, and nothing is opened after it', async () => {
  const { write, open, dir } = await world();
  const text = Array.from({ length: 100 }, (_, n) => `## Topic ${n}\n- note ${n}\n`).join('\n');
  for (let n = 0; n < 60; n++) write(`memory/n${n}.md`, text);
  for (const begin of ['searchMemory', 'rebuildIndex'] as const) {
    const search = open();
    const begun = search[begin]('default', 'note');
    const ended = expect(begun, begin).rejects.toThrow('is closed');
    await search.close();
    await ended;
    await expect(search.searchMemory('default', 'note')).rejects.toThrow('is closed');
    expect(fs.readdirSync(dir).filter((name) => name.includes('.new-'))).toEqual([]);
  }
  expect(await contents(open(), 'note 77', 1)).toHaveLength(1);
});
