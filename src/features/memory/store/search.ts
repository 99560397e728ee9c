/**
 * Searches a viber's memory: by words, and by meaning if an embedding model is configured. `memory.index` and the size
 * of the memory decide how. A search never fails because of the index or the provider: it then uses words alone, or
 * reads the files. File contents are data: nothing in them is run or trusted.
 */

import fs from 'node:fs';
import path from 'node:path';
import { errorMessage, UserError } from '../../../errors.ts';
import { serialise } from '../../../lib/locks.ts';
import { counted } from '../../../lib/text.ts';
import { within } from '../../../lib/within.ts';
import type { Logger } from '../../../log.ts';
import type { Embedder, MemoryHit } from '../../../runtime/contract/memory.ts';
import { type Home, vibersOf } from '../../../workspace/home.ts';
import { searchDirect } from './direct.ts';
import { readMeta } from './index/db.ts';
import { queryIndex } from './index/query.ts';
import { clearLeftovers, rebuildInto } from './index/rebuild.ts';
import { updateIndex } from './index/update.ts';
import { embedMissing } from './index/vectors.ts';
import { createViberIndex, indexFile, type OpenIndex, type ViberIndex } from './index/viber-index.ts';
import { listMemoryFiles, type MemoryFolder } from './memory-files.ts';
import { createExclusion } from './patterns.ts';

export interface MemorySearchSettings {
  /** `off` (the default): reads the files. `auto`: uses an index for large memories. `on`: always uses an index. */
  index?: 'off' | 'auto' | 'on';
  retention: { indexRebuildDays: number };
  excludePatterns: readonly string[];
}

export interface IndexCounts {
  files: number;
  chunks: number;
  /** Pieces with a vector. */
  embedded: number;
}

const DAY_MS = 86_400_000;
const MAX_LIMIT = 50;
/** A memory below both limits is read without an index. */
const [FEW_FILES, FEW_BYTES] = [10, 50 * 1024];
/** How long a search waits for missing vectors, in ms; the rest is embedded in the background. */
const EMBED_WAIT_MS = 3_000;
/** How long it waits for the vector of its query, in ms. */
const QUERY_WAIT_MS = 5_000;

export class MemorySearch {
  readonly #home: Home;
  readonly #settings: MemorySearchSettings;
  readonly #embedder: Embedder | undefined;
  readonly #log: Logger | undefined;
  readonly #embedWaitMs: number;
  readonly #queryWaitMs: number;
  readonly #isExcluded: (file: string) => boolean;
  readonly #mode: 'off' | 'auto' | 'on';
  readonly #indexes = new Map<string, ViberIndex>();
  readonly #embedding = new Map<string, Promise<void>>();
  readonly #rebuilding = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  readonly #told = new Set<string>();

  constructor(options: {
    home: Home;
    settings: MemorySearchSettings;
    embedder?: Embedder | undefined;
    log?: Logger | undefined;
    embedWaitMs?: number;
    queryWaitMs?: number;
  }) {
    this.#home = options.home;
    this.#settings = options.settings;
    this.#embedder = options.embedder;
    this.#log = options.log;
    this.#embedWaitMs = options.embedWaitMs ?? EMBED_WAIT_MS;
    this.#queryWaitMs = options.queryWaitMs ?? QUERY_WAIT_MS;
    this.#isExcluded = createExclusion(this.#settings.excludePatterns);
    this.#mode = this.#settings.index ?? 'off';
  }

  /** Returns the best pieces, at most `limit` (5). Never rejects because of a file's contents or the provider. */
  async searchMemory(viber: string, query: string, limit = 5): Promise<MemoryHit[]> {
    const folder = await this.#look(viber);
    const count = Math.max(1, Math.min(MAX_LIMIT, Math.trunc(limit) || 1));
    const isSmall = folder.files.length < FEW_FILES && folder.bytes < FEW_BYTES;
    if (this.#mode === 'on' || (this.#mode === 'auto' && !isSmall)) {
      try {
        const hits = await this.#searchIndex(viber, folder, query, count);
        this.#isWell('index', viber);
        return hits;
      } catch (error) {
        if (this.#stop.signal.aborted) throw error;
        this.#warn('index', viber, "the search index can't be used: reading the files instead", error);
      }
    }
    const { hits, left } = await searchDirect(this.#home.viberDir(viber), folder.files, query, count);
    if (left > 0)
      this.#warn(
        'partial',
        viber,
        `${counted(left, 'older memory file')} left unsearched: set memory.index to auto to search all of them`,
      );
    return hits;
  }

  /**
   * Rebuilds the viber's index, waiting for the provider. Rejects if the index can't be written, with UserError if the
   * provider fails.
   */
  async rebuildIndex(viber: string): Promise<IndexCounts> {
    const embedder = this.#embedder;
    await this.#rebuild(viber);
    if (embedder) {
      await this.#embedAll(viber, embedder).catch((error: unknown) => {
        const why = `${embedder.name} gives no vectors now (${errorMessage(error)})`;
        throw new UserError(`The index is made by words alone: ${why}. Check memory.embedding and make it again.`, {
          cause: error,
        });
      });
    }
    return this.#indexOf(viber).use(async ({ db }) => {
      const count = (sql: string) => db.read(() => Number(db.sql(`SELECT count(*) AS n FROM ${sql}`).get()?.n));
      const [files, chunks, missing] = [
        await count('files'),
        await count('chunks'),
        await count('chunks WHERE length(embedding) = 0'),
      ];
      return { files, chunks, embedded: chunks - missing };
    });
  }

  /**
   * Runs once a day: rebuilds what is due, and removes deleted files and leftovers; if indexes are off, removes all of
   * them. Never rejects.
   */
  async sweepIndexes(now = Date.now()): Promise<void> {
    for (const viber of vibersOf(this.#home)) {
      try {
        await this.#sweep(viber, now);
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#log?.warn({ viber, err: error }, 'the search index of the memory could not be cleaned up');
      }
    }
  }

  /** Stops everything. Running searches reject. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('the search of the memory is closed'));
    await Promise.allSettled([...this.#embedding.values(), ...this.#rebuilding.values()]);
    for (const index of this.#indexes.values()) index.close();
    this.#indexes.clear();
  }

  /** Warns once, until it works again. */
  #warn(what: string, viber: string, message: string, error?: unknown): void {
    if (this.#told.has(`${what} ${viber}`)) return;
    this.#told.add(`${what} ${viber}`);
    this.#log?.warn({ viber, ...(error === undefined ? {} : { err: errorMessage(error) }) }, message);
  }

  #isWell(what: string, viber: string) {
    return void this.#told.delete(`${what} ${viber}`);
  }

  #indexOf(viber: string): ViberIndex {
    this.#stop.signal.throwIfAborted();
    const known = this.#indexes.get(viber);
    if (known) return known;
    const made = createViberIndex(this.#home, viber, this.#log);
    this.#indexes.set(viber, made);
    return made;
  }

  async #look(viber: string): Promise<MemoryFolder> {
    const folder = await listMemoryFiles(this.#home, viber, this.#isExcluded);
    const [first] = folder.tooLarge;
    if (first !== undefined) this.#warn('size', viber, `${first} is larger than 512 KB and is not searched: split it`);
    return folder;
  }

  async #fill(index: OpenIndex, folder: MemoryFolder): Promise<void> {
    index.removed((await updateIndex(index.db, folder.files, { signal: this.#stop.signal })).removed);
    index.isFilled = true;
  }

  #update(viber: string, folder: MemoryFolder): Promise<void> {
    return serialise(`index ${indexFile(this.#home, viber)}`, () =>
      this.#indexOf(viber).use((index) => this.#fill(index, folder)),
    );
  }

  /** Embeds for one viber at a time. Rejects if the provider can't be reached. */
  #embedAll(viber: string, { name }: Embedder): Promise<void> {
    const running = this.#embedding.get(viber);
    if (running) return running;
    const started = this.#indexOf(viber)
      .use(async ({ db, setVector }) => {
        if (this.#embedder) await embedMissing(db, this.#embedder, { signal: this.#stop.signal, onVector: setVector });
      })
      .then(() => this.#isWell('provider', viber))
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted)
          this.#warn(
            'provider',
            viber,
            `${name} gives no vectors now: memory is searched by words (memory.embedding)`,
            error,
          );
        throw error;
      })
      .finally(() => this.#embedding.delete(viber));
    this.#embedding.set(viber, started);
    // A caller that waits gets the failure; a search doesn't have to.
    started.catch(() => 'logged above');
    return started;
  }

  async #embedSome(viber: string): Promise<void> {
    if (!this.#embedder) return;
    // In either case, the search continues with the vectors that exist.
    await within(this.#embedAll(viber, this.#embedder), this.#embedWaitMs).catch(() => 'by words');
  }

  async #vectorOf(viber: string, query: string): Promise<Float32Array | undefined> {
    if (!this.#embedder) return undefined;
    try {
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.#queryWaitMs)]);
      return (await this.#embedder.embed([query.slice(0, 2000).toWellFormed()], { signal }))[0];
    } catch (error) {
      this.#warn(
        'provider',
        viber,
        `${this.#embedder.name} gives no vectors now: memory is searched by words (memory.embedding)`,
        error,
      );
      return undefined;
    }
  }

  async #searchIndex(viber: string, folder: MemoryFolder, query: string, limit: number): Promise<MemoryHit[]> {
    await this.#update(viber, folder);
    const [vector] = await Promise.all([this.#vectorOf(viber, query), this.#embedSome(viber)]);
    const sources = new Set(folder.files.map(({ source }) => source));
    return this.#indexOf(viber).use(async (index) => {
      // The file was deleted or replaced in the meantime: this is another one.
      if (!index.isFilled) await this.#fill(index, folder);
      const by = vector && this.#embedder ? { vector, model: this.#embedder.name } : undefined;
      const hits = await queryIndex(index, { query, by, sources, limit });
      const builtAt = Number(await index.db.read(() => readMeta(index.db, 'built_at')));
      // Searches don't wait for it.
      if (Date.now() - builtAt > this.#settings.retention.indexRebuildDays * DAY_MS)
        this.#rebuild(viber).catch(
          (error: unknown) =>
            this.#stop.signal.aborted || this.#warn('rebuild', viber, "the search index can't be rebuilt", error),
        );
      return hits;
    });
  }

  #rebuild(viber: string, now = Date.now()): Promise<void> {
    const running = this.#rebuilding.get(viber);
    if (running) return running;
    const started = this.#remake(viber, now).finally(() => this.#rebuilding.delete(viber));
    this.#rebuilding.set(viber, started);
    return started;
  }

  async #remake(viber: string, now: number): Promise<void> {
    // Otherwise the rebuild would request the same vectors again. Its failure is logged elsewhere.
    await this.#embedding.get(viber)?.catch(() => 'logged');
    const folder = await this.#look(viber);
    await rebuildInto(indexFile(this.#home, viber), folder.files, now, this.#stop.signal);
    clearLeftovers(indexFile(this.#home, viber), now);
  }

  async #sweep(viber: string, now: number): Promise<void> {
    const file = indexFile(this.#home, viber);
    clearLeftovers(file, now, this.#mode === 'off');
    if (this.#mode === 'off') fs.rmSync(path.join(this.#home.root, 'memory', `${viber}.sqlite`), { force: true });
    if (!fs.existsSync(file)) return;
    const builtAt = await this.#indexOf(viber).use(async ({ db }) => db.read(() => Number(readMeta(db, 'built_at'))));
    if (now - builtAt > this.#settings.retention.indexRebuildDays * DAY_MS) await this.#rebuild(viber, now);
    else await this.#update(viber, await this.#look(viber));
  }
}
