/** The search index under kill -9: a process that indexes ends at any moment, and the next search is whole. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MemorySearch } from '../../src/features/memory/store/search.ts';
import { openHome } from '../../src/workspace/home.ts';
import { tempFolder, tree } from '../helpers/temp.ts';

const FILES = 60;
/** More of them look closer. */
const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 4);
const SETTINGS = { index: 'on' as const, retention: { indexRebuildDays: 7 }, excludePatterns: [] };
const source = path.join(import.meta.dirname, '../../src');

/** Rebuilds and updates again and again; says so when the first one has begun. */
const CHILD = `
import fs from 'node:fs';
import { openHome } from '${source}/workspace/home.ts';
import { MemorySearch } from '${source}/features/memory/store/search.ts';
const home = await openHome(process.argv[1]);
const embedder = { name: 'local/e', embed: async (texts) => texts.map((text) => Float32Array.from([text.length, 1])) };
const search = new MemorySearch({ home, settings: ${JSON.stringify(SETTINGS)}, embedder });
process.stdout.write('begun');
for (let n = 0; ; n++) {
  fs.writeFileSync(home.viberDir('default') + '/memory/changing.md', '## C\\n' + Array.from({ length: 300 }, (_, i) => '- line ' + n + ' ' + i + '\\n').join(''));
  await search.searchMemory('default', 'tea');
  if (n % 2 === 0) await search.rebuildIndex('default');
}
`;

async function killAfter(child: ChildProcess, ms: number): Promise<void> {
  const ended = once(child, 'exit');
  // It is killed at different moments.
  await sleep(ms);
  child.kill('SIGKILL');
  await ended;
}

test('killed at any moment, the next search finds everything and nothing is left beside the index', {
  timeout: 240_000 + ROUNDS * 4_000,
}, async () => {
  const root = tempFolder();
  const home = await openHome(root);
  const dir = home.viberDir('default');
  for (let n = 0; n < FILES; n++) {
    const text = Array.from(
      { length: 8 },
      (_, i) => `## Part ${i}\n- note ${n} tea ${i} ${'filling '.repeat(40)}\n`,
    ).join('\n');
    fs.writeFileSync(path.join(dir, 'memory', `n${n}.md`), text);
  }
  for (let round = 0; round < ROUNDS; round++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', CHILD, root], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    // Spread over what the child does, from its first transaction on; where exactly it dies is left to chance.
    await killAfter(child, (round * 260) / ROUNDS);
    const search = new MemorySearch({ home, settings: SETTINGS });
    const hits = await search.searchMemory('default', 'tea', 50);
    expect(hits).toHaveLength(50);
    const counts = await search.rebuildIndex('default');
    expect(counts.chunks).toBeGreaterThanOrEqual(FILES * 8);
    await search.close();
    const db = new DatabaseSync(path.join(dir, 'memory.sqlite'));
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    const rows = db.prepare('SELECT count(*) AS n, count(DISTINCT source_file || content) AS d FROM chunks').get();
    expect(rows?.n).toBe(rows?.d);
    db.close();
    expect(Object.keys(tree(dir)).filter((name) => /^memory\.sqlite./.test(name))).toEqual([]);
  }
});
