/**
 * Search of a viber's memory: by words, and by meaning where an embedding model is configured. Which way is taken follows from
 * `memory.index` and the size of the memory. A search never fails for want of the index or of the provider: then it goes by words,
 * or reads the files. What the files say is data: nothing of it is run or believed.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage, UserError } from '../../errors.ts';
import { serialise } from '../../lib/locks.ts';
import type { Logger } from '../../log.ts';
import { type Home, vibersOf } from '../home.ts';
import { searchDirect } from './direct.ts';
import { readMeta } from './index/db.ts';
import { queryIndex } from './index/query.ts';
import { clearLeftovers, rebuildInto } from './index/rebuild.ts';
import { updateIndex } from './index/update.ts';
import { type Embedder, embedMissing } from './index/vectors.ts';
import { createViberIndex, indexFile, type OpenIndex, type ViberIndex } from './index/viber-index.ts';
import { listMemoryFiles, type MemoryFolder } from './memory-files.ts';
import { createExclusion } from './patterns.ts';
import type { MemoryHit } from './rank.ts';

export type { Embedder } from './index/vectors.ts';
export type { MemoryHit } from './rank.ts';

/** `memory` of the configuration. */
export interface MemorySearchSettings {
  /** `off` (the default): the files are read. `auto`: as large memories need it. `on`: always an index. */
  index?: 'off' | 'auto' | 'on';
  retention: { index_rebuild_days: number };
  exclude_patterns: readonly string[];
}

export interface MemorySearch {
  /** The pieces that fit best, at most `limit` (5). Never rejects for what a file holds or a provider does. */
  searchMemory(viber: string, query: string, limit?: number): Promise<MemoryHit[]>;
  /** Makes the viber's index anew, waiting for the provider; rejects when it cannot be written, with UserError when the provider fails. */
  rebuildIndex(viber: string): Promise<IndexCounts>;
  /** For once a day: rebuilds what is due, forgets what is gone, removes leftovers; all indexes when they are off. Never rejects. */
  sweepIndexes(now?: number): Promise<void>;
  /** Stops what goes on, searches included: they reject. */
  close(): Promise<void>;
}

export interface IndexCounts {
  files: number;
  chunks: number;
  /** Pieces with a vector. */
  embedded: number;
}

const DAY_MS = 86_400_000;
const MAX_LIMIT = 50;
/** M15. */
const [FEW_FILES, FEW_BYTES] = [10, 50 * 1024];
/** How long a search waits for vectors that are missing; what is not there by then is embedded behind it. */
const EMBED_WAIT_MS = 3_000;
/** How long it waits for the vector of its own words. */
const QUERY_WAIT_MS = 5_000;

export function createMemorySearch(options: {
  home: Home;
  settings: MemorySearchSettings;
  embedder?: Embedder | undefined;
  log?: Logger | undefined;
  embedWaitMs?: number;
  queryWaitMs?: number;
}): MemorySearch {
  const { home, settings, embedder, log, embedWaitMs = EMBED_WAIT_MS, queryWaitMs = QUERY_WAIT_MS } = options;
  const isExcluded = createExclusion(settings.exclude_patterns);
  const mode = settings.index ?? 'off';
  const indexes = new Map<string, ViberIndex>();
  const embedding = new Map<string, Promise<void>>();
  const rebuilding = new Map<string, Promise<void>>();
  const stop = new AbortController();
  const told = new Set<string>();

  /** Once, until it has gone well again. */
  function warn(what: string, viber: string, message: string, error?: unknown): void {
    if (told.has(`${what} ${viber}`)) return;
    told.add(`${what} ${viber}`);
    log?.warn({ viber, ...(error === undefined ? {} : { err: errorMessage(error) }) }, message);
  }
  const isWell = (what: string, viber: string) => void told.delete(`${what} ${viber}`);

  function indexOf(viber: string): ViberIndex {
    stop.signal.throwIfAborted();
    const known = indexes.get(viber);
    if (known) return known;
    const made = createViberIndex(home, viber, log);
    indexes.set(viber, made);
    return made;
  }

  async function look(viber: string): Promise<MemoryFolder> {
    const folder = await listMemoryFiles(home, viber, isExcluded);
    const [first] = folder.tooLarge;
    if (first !== undefined) warn('size', viber, `${first} is larger than 512 KB and is not searched: split it`);
    return folder;
  }

  async function fill(index: OpenIndex, folder: MemoryFolder): Promise<void> {
    index.removed((await updateIndex(index.db, folder.files, { signal: stop.signal })).removed);
    index.isFilled = true;
  }

  const update = (viber: string, folder: MemoryFolder): Promise<void> =>
    serialise(`index ${indexFile(home, viber)}`, () => indexOf(viber).use((index) => fill(index, folder)));

  /** One at a time a viber. Rejects when the provider cannot be asked. */
  function embedAll(viber: string, { name }: Embedder): Promise<void> {
    const running = embedding.get(viber);
    if (running) return running;
    const started = indexOf(viber)
      .use(async ({ db, setVector }) => {
        if (embedder) await embedMissing(db, embedder, { signal: stop.signal, onVector: setVector });
      })
      .then(() => isWell('provider', viber))
      .catch((error: unknown) => {
        if (!stop.signal.aborted)
          warn(
            'provider',
            viber,
            `${name} gives no vectors now: memory is searched by words (memory.embedding)`,
            error,
          );
        throw error;
      })
      .finally(() => embedding.delete(viber));
    embedding.set(viber, started);
    // Who waits for it learns of a failure; a search does not have to.
    started.catch(() => 'logged above');
    return started;
  }

  async function embedSome(viber: string): Promise<void> {
    if (!embedder) return;
    const timer = new AbortController();
    const wait = sleep(embedWaitMs, undefined, { signal: timer.signal, ref: false });
    // Either way the search goes on with the vectors there are.
    await Promise.race([embedAll(viber, embedder), wait]).catch(() => 'by words');
    timer.abort();
    // An ended wait is what was asked for.
    wait.catch(() => 'ended');
  }

  async function vectorOf(viber: string, query: string): Promise<Float32Array | undefined> {
    if (!embedder) return undefined;
    try {
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(queryWaitMs)]);
      return (await embedder.embed([query.slice(0, 2000).toWellFormed()], { signal }))[0];
    } catch (error) {
      warn(
        'provider',
        viber,
        `${embedder.name} gives no vectors now: memory is searched by words (memory.embedding)`,
        error,
      );
      return undefined;
    }
  }

  async function searchIndex(viber: string, folder: MemoryFolder, query: string, limit: number): Promise<MemoryHit[]> {
    await update(viber, folder);
    const [vector] = await Promise.all([vectorOf(viber, query), embedSome(viber)]);
    const sources = new Set(folder.files.map(({ source }) => source));
    return indexOf(viber).use(async (index) => {
      // Deleted or replaced since: this is another file.
      if (!index.isFilled) await fill(index, folder);
      const by = vector && embedder ? { vector, model: embedder.name } : undefined;
      const hits = await queryIndex(index, { query, by, sources, limit });
      const builtAt = Number(await index.db.read(() => readMeta(index.db, 'built_at')));
      // A search does not wait for it.
      if (Date.now() - builtAt > settings.retention.index_rebuild_days * DAY_MS)
        rebuild(viber).catch(
          (error: unknown) =>
            stop.signal.aborted || warn('rebuild', viber, 'the search index cannot be made anew', error),
        );
      return hits;
    });
  }

  function rebuild(viber: string, now = Date.now()): Promise<void> {
    const running = rebuilding.get(viber);
    if (running) return running;
    const started = remake(viber, now).finally(() => rebuilding.delete(viber));
    rebuilding.set(viber, started);
    return started;
  }

  async function remake(viber: string, now: number): Promise<void> {
    // What it asks for would be asked for again; that it failed is told elsewhere.
    await embedding.get(viber)?.catch(() => 'logged');
    const folder = await look(viber);
    await rebuildInto(indexFile(home, viber), folder.files, now, stop.signal);
    clearLeftovers(indexFile(home, viber), now);
  }

  async function sweep(viber: string, now: number): Promise<void> {
    const file = indexFile(home, viber);
    clearLeftovers(file, now, mode === 'off');
    if (mode === 'off') fs.rmSync(path.join(home.root, 'memory', `${viber}.sqlite`), { force: true });
    if (!fs.existsSync(file)) return;
    const builtAt = await indexOf(viber).use(async ({ db }) => db.read(() => Number(readMeta(db, 'built_at'))));
    if (now - builtAt > settings.retention.index_rebuild_days * DAY_MS) await rebuild(viber, now);
    else await update(viber, await look(viber));
  }

  return {
    async searchMemory(viber, query, limit = 5) {
      const folder = await look(viber);
      const count = Math.max(1, Math.min(MAX_LIMIT, Math.trunc(limit) || 1));
      const isSmall = folder.files.length < FEW_FILES && folder.bytes < FEW_BYTES;
      if (mode === 'on' || (mode === 'auto' && !isSmall)) {
        try {
          const hits = await searchIndex(viber, folder, query, count);
          isWell('index', viber);
          return hits;
        } catch (error) {
          if (stop.signal.aborted) throw error;
          warn('index', viber, 'the search index cannot be used: the files are read instead', error);
        }
      }
      const { hits, left } = await searchDirect(home.viberDir(viber), folder.files, query, count);
      if (left > 0)
        warn(
          'partial',
          viber,
          `${left} older memory files are not searched: set memory.index to auto to search them all`,
        );
      return hits;
    },

    async rebuildIndex(viber) {
      await rebuild(viber);
      if (embedder) {
        await embedAll(viber, embedder).catch((error: unknown) => {
          const why = `${embedder.name} gives no vectors now (${errorMessage(error)})`;
          throw new UserError(`The index is made by words alone: ${why}. Check memory.embedding and make it again.`, {
            cause: error,
          });
        });
      }
      return indexOf(viber).use(async ({ db }) => {
        const count = (sql: string) => db.read(() => Number(db.sql(`SELECT count(*) AS n FROM ${sql}`).get()?.n));
        const [files, chunks, missing] = [
          await count('files'),
          await count('chunks'),
          await count('chunks WHERE length(embedding) = 0'),
        ];
        return { files, chunks, embedded: chunks - missing };
      });
    },

    async sweepIndexes(now = Date.now()) {
      for (const viber of vibersOf(home)) {
        try {
          await sweep(viber, now);
        } catch (error) {
          if (stop.signal.aborted) return;
          log?.warn({ viber, err: error }, 'the search index of the memory could not be swept');
        }
      }
    },

    async close() {
      stop.abort(new Error('the search of the memory is closed'));
      await Promise.allSettled([...embedding.values(), ...rebuilding.values()]);
      for (const index of indexes.values()) index.close();
      indexes.clear();
    },
  };
}
