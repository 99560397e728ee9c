/**
 * Measures the search of a large memory: `npm run bench:memory`. 10,000 pieces of generated text, the same every time;
 * the provider is a function in this process, so its time is left out. Exits with 1 if a target is missed.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { MemorySearch, type MemorySearchSettings } from '../src/features/memory/store/search.ts';
import type { Embedder } from '../src/runtime/contract/memory.ts';
import { openHome } from '../src/workspace/home.ts';
import { quantile } from './measure.ts';

const PIECES = 10_000;
const FILES = 500;
const QUERIES = 200;

/** Returns numbers that look random but are the same in every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const random = createRandom(42);
const SYLLABLES = 'ka lo mi ren tu sa vel no pri dar es qui ham bo zet lin or fa gu wex'.split(' ');
const syllable = () => SYLLABLES[Math.floor(random() * SYLLABLES.length)] ?? '';
const VOCABULARY = Array.from({ length: 20_000 }, () => Array.from({ length: 2 + random() * 3 }, syllable).join(''));
/** A few words are frequent and most are rare, as in a language. */
const word = () => VOCABULARY[Math.floor(VOCABULARY.length * random() ** 3)] ?? '';
const sentence = (words: number) => Array.from({ length: words }, word).join(' ');

/** Sections of one piece each. */
function writeMemory(folder: string, files: number, pieces: number): void {
  fs.mkdirSync(folder, { recursive: true });
  for (let n = 0; n < files; n++) {
    const day = new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10);
    const sections = Array.from(
      { length: pieces / files },
      (_, i) => `## Topic ${i}\n- ${sentence(55).slice(0, 440)}\n`,
    );
    fs.writeFileSync(path.join(folder, `${day}.md`), `# ${day}\n\n${sections.join('\n')}`);
  }
}

/** Returns a unit vector for each text, not a provider's: only their number matters. */
function embedderOf(dimensions: number): Embedder {
  return {
    name: `bench/${dimensions}`,
    async embed(texts) {
      return texts.map((text) => {
        let seed = 7;
        for (let i = 0; i < text.length; i += 5) seed = Math.imul(seed ^ text.charCodeAt(i), 16_777_619);
        const next = createRandom(seed);
        return Float32Array.from({ length: dimensions }, () => next() - 0.5);
      });
    },
  };
}

interface Row {
  what: string;
  value: number;
  target: number;
}

const rows: Row[] = [];
const settings: MemorySearchSettings = { index: 'on', retention: { indexRebuildDays: 7 }, excludePatterns: [] };

async function measure(dimensions: number | undefined): Promise<void> {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-memory-'));
  const home = await openHome(root);
  writeMemory(path.join(root, 'workspace', 'memory'), FILES, PIECES);
  const embedder = dimensions === undefined ? undefined : embedderOf(dimensions);
  const name = dimensions === undefined ? 'words alone' : `${dimensions} dimensions`;
  const search = new MemorySearch({ home, settings, embedder, embedWaitMs: 600_000 });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  try {
    const first = await search.rebuildIndex('default');
    delay.enable();
    const began = performance.now();
    const counts = await search.rebuildIndex('default');
    rows.push({ what: `${name}: rebuild, s`, value: (performance.now() - began) / 1000, target: 10 });
    if (counts.chunks < PIECES || first.chunks !== counts.chunks)
      throw new Error(`${counts.chunks} pieces were indexed`);
    const warm = performance.now();
    await search.searchMemory('default', sentence(6));
    process.stdout.write(`${name}: first query ${(performance.now() - warm).toFixed(1)} ms, ${counts.chunks} pieces\n`);
    const times: number[] = [];
    const before = process.threadCpuUsage();
    for (let n = 0; n < QUERIES; n++) {
      const query = sentence(2 + (n % 7));
      const from = performance.now();
      await search.searchMemory('default', query);
      times.push(performance.now() - from);
    }
    const { user, system } = process.threadCpuUsage(before);
    delay.disable();
    rows.push({ what: `${name}: query, mean CPU ms`, value: (user + system) / 1000 / QUERIES, target: 50 });
    rows.push({ what: `${name}: query p50, ms`, value: quantile(times, 0.5), target: 50 });
    rows.push({ what: `${name}: query p95, ms`, value: quantile(times, 0.95), target: 50 });
    rows.push({ what: `${name}: event loop held p99, ms`, value: delay.percentile(99) / 1e6, target: 50 });
    process.stdout.write(`${name}: event loop held at most ${(delay.max / 1e6).toFixed(1)} ms\n`);
  } finally {
    await search.close();
    fs.rmSync(root, { recursive: true, force: true });
  }
}

async function measureDirect(): Promise<void> {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-memory-'));
  const home = await openHome(root);
  writeMemory(path.join(root, 'workspace', 'memory'), 9, 90);
  const search = new MemorySearch({ home, settings: { ...settings, index: 'auto' } });
  const times: number[] = [];
  for (let n = 0; n < QUERIES; n++) {
    const from = performance.now();
    await search.searchMemory('default', sentence(4));
    times.push(performance.now() - from);
  }
  await search.close();
  fs.rmSync(root, { recursive: true, force: true });
  rows.push({ what: '9 small files, read: first query, ms', value: times[0] ?? Number.NaN, target: 50 });
  rows.push({ what: '9 small files, read: query p95, ms', value: quantile(times, 0.95), target: 10 });
}

for (const dimensions of [undefined, 384, 1536]) await measure(dimensions);
await measureDirect();
const load = os.loadavg()[0] ?? 0;
process.stdout.write(`load of the machine ${load.toFixed(1)} on ${os.availableParallelism()} processors\n`);
for (const { what, value, target } of rows) {
  const verdict = value <= target ? 'ok' : 'MISSED';
  process.stdout.write(
    `${what.padEnd(46)} ${value.toFixed(2).padStart(9)}  target ${String(target).padStart(3)}  ${verdict}\n`,
  );
}
if (rows.some(({ value, target }) => !(value <= target))) process.exitCode = 1;
