/**
 * Searches the messages in the tasks of one viber. The index only proposes lines: before a line is shown, it is read
 * from its session, and its task from its record, so that no result is outdated. Before each search, the sessions that
 * this process used recently are updated; all others are updated in the background.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { errorMessage } from '../../../errors.ts';
import { createStatCache } from '../../../lib/files/cache.ts';
import { within } from '../../../lib/within.ts';
import type { Logger } from '../../../log.ts';
import { type Home, isId } from '../../../workspace/home.ts';
import { openTask, recentSessions } from '../../../workspace/tasks/index.ts';
import type { SessionEntry, TaskRecord } from '../../../workspace/types.ts';
import { type IndexDb, openIndexDb, readMeta, writeMeta } from '../store/index/db.ts';
import { type KeptIndex, keepIndex } from '../store/index/keep-index.ts';
import { HISTORY, knownSessions, updateSession, wordsOfLine } from './index-db.ts';
import { countFound, matchOf, readQuery, type SearchTerm, snippetOf } from './query.ts';

export interface HistoryHit {
  task: TaskRecord;
  entry: Extract<SessionEntry, { type: 'message' | 'result' }>;
  text: string;
  sought: readonly SearchTerm[];
}

/** A line, with the facts that decide who may read it. */
export interface SpokenLine {
  user: string;
  isGroup: boolean;
}

export interface HistoryRules {
  maySee(task: TaskRecord): boolean;
  mayHear(line: SpokenLine): boolean;
}

export interface FoundHistory {
  hits: HistoryHit[];
  /** Whether older conversations aren't indexed yet. */
  isPartial: boolean;
}

/** How many lines are ranked at once, newest first, and in how many rounds. */
const [PAGE, PAGES] = [1_500, 10];
const SLICE_MS = 12;
/** The newest tasks are checked before each search, because another process may write to them. */
const NEWEST = 100;
/** How long the first search waits for the index, in ms. */
const WAIT_MS = 2_000;
/** How often all sessions are checked, in ms. */
const ALL_MS = 60_000;
const HALF_LIFE_MS = 60 * 86_400_000;
/** The most hits from one task, so that a long conversation doesn't hide the others. */
const PER_TASK = 4;

interface OpenHistory {
  db: IndexDb;
  /** The indexed tasks that this process knows of. */
  indexed: Set<string>;
}

const sessionFolders = createStatCache<readonly string[]>(16, (folder) =>
  fs
    .readdirSync(folder)
    .flatMap((name) => (name.endsWith('.jsonl') ? [name.slice(0, -6)] : []))
    .filter(isId)
    .sort(),
);

interface Line {
  id: number;
  task: string;
  session: number;
  place: number;
  at: number;
  run: string;
  kind: string;
  person: string;
  shared: number;
  score: number;
}

export class HistorySearch {
  readonly #home: Home;
  readonly #viber: string;
  readonly #index: KeptIndex<OpenHistory>;
  readonly #stop = new AbortController();
  #whole: Promise<void> | undefined;
  #wholeAt = 0;
  readonly #log: Logger | undefined;

  constructor(home: Home, viber: string, log?: Logger) {
    this.#home = home;
    this.#viber = viber;
    this.#log = log;
    const file = path.join(home.cache, 'history', `${viber}.sqlite`);
    this.#index = keepIndex(file, {
      async open() {
        fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
        const db = await openIndexDb(file, { schema: HISTORY });
        return { db, indexed: new Set((await knownSessions(db)).keys()) };
      },
      onDamage: (err) => log?.warn({ viber, err }, 'the index of earlier conversations is damaged and will be rebuilt'),
    });
  }

  /** @param limit the most hits to return, best first */
  async find(query: string, rules: HistoryRules, limit: number): Promise<FoundHistory> {
    const sought = readQuery(query);
    if (sought.length === 0) return { hits: [], isPartial: false };
    return this.#index.use(async (index) => {
      const { db } = index;
      const isPartial = await this.#catchUp(index);
      for (let tries = 0; ; tries++) {
        const doubted = new Set<string>();
        const hits = await this.#best(db, sought, { ...rules, limit, doubted });
        if (doubted.size === 0 || tries > 0) return { hits, isPartial };
        for (const task of doubted) await this.#update(db, task, true);
      }
    });
  }

  /** Checks every session now. */
  async refresh(): Promise<void> {
    await this.#index.use((index) => this.#all(index));
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the search of conversations is closed'));
    await this.#whole?.catch(() => 'logged');
    this.#index.close();
  }

  /** Returns whether older sessions are missing from the index. */
  async #catchUp({ db, indexed }: OpenHistory): Promise<boolean> {
    const isBuilt = (await db.read(() => readMeta(db, 'built'))) !== undefined;
    const tasks = this.#tasks();
    const recent = new Set([...tasks.slice(-NEWEST), ...this.#recent()]);
    if (isBuilt) for (const task of tasks) if (!indexed.has(task)) recent.add(task);
    const breathe = this.#breathing();
    for (const task of recent) {
      await this.#update(db, task);
      indexed.add(task);
      await breathe();
    }
    if (isBuilt && Date.now() - this.#wholeAt < ALL_MS) return false;
    const whole = this.#inBackground();
    if (isBuilt) return false;
    await within(whole, WAIT_MS);
    return (await db.read(() => readMeta(db, 'built'))) === undefined;
  }

  #inBackground(): Promise<void> {
    this.#whole ??= this.#index
      .use((index) => this.#all(index))
      .then(() => {
        this.#wholeAt = Date.now();
      })
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted)
          this.#log?.warn({ viber: this.#viber, err: errorMessage(error) }, "earlier conversations can't be indexed");
      })
      .finally(() => {
        this.#whole = undefined;
      });
    return this.#whole;
  }

  async #all({ db, indexed }: OpenHistory): Promise<void> {
    const breathe = this.#breathing();
    const tasks = this.#tasks();
    for (const task of tasks) {
      await this.#update(db, task);
      indexed.add(task);
      await breathe();
    }
    const there = new Set(tasks);
    for (const task of (await knownSessions(db)).keys()) if (!there.has(task)) await this.#update(db, task);
    await db.write(() => writeMeta(db, 'built', new Date().toISOString()));
  }

  #update(db: IndexDb, task: string, isDoubted = false): Promise<void> {
    const { session } = openTask(this.#home, task, this.#viber);
    return updateSession(db, task, session, { signal: this.#stop.signal, isDoubted });
  }

  get #folder(): string {
    return path.join(this.#home.agents, this.#viber, 'sessions');
  }

  /** Returns the tasks that have a session, oldest first. */
  #tasks(): readonly string[] {
    return sessionFolders.get(this.#folder) ?? [];
  }

  #recent(): string[] {
    return recentSessions().flatMap((file) =>
      path.dirname(file) === this.#folder ? [path.basename(file, '.jsonl')] : [],
    );
  }

  #breathing(): () => Promise<void> {
    let began = performance.now();
    return async () => {
      this.#stop.signal.throwIfAborted();
      if (performance.now() - began < SLICE_MS) return;
      await pause();
      began = performance.now();
    };
  }

  /** Returns the lines with all the words or, if there are none, those with most of them. */
  async #best(db: IndexDb, sought: readonly SearchTerm[], how: Choosing): Promise<HistoryHit[]> {
    const all = await this.#walk(db, sought, sought.map(matchOf).join(' '), how);
    if (all.length > 0 || sought.length === 1) return all;
    return this.#walk(db, sought, sought.map(matchOf).join(' OR '), how);
  }

  async #walk(db: IndexDb, sought: readonly SearchTerm[], match: string, how: Choosing): Promise<HistoryHit[]> {
    const breathe = this.#breathing();
    const records = new Map<string, TaskRecord | undefined>();
    const hits: HistoryHit[] = [];
    const perTask = new Map<string, number>();
    let before = Number.MAX_SAFE_INTEGER;
    for (let page = 0; page < PAGES; page++) {
      const lines = await pageOfLines(db, match, before);
      before = lines.at(-1)?.id ?? 0;
      for (const line of ranked(lines)) {
        await breathe();
        const { task } = line;
        if ((perTask.get(task) ?? 0) >= PER_TASK) continue;
        if (!records.has(task)) records.set(task, this.#seen(task, how));
        const record = records.get(task);
        if (!record || !(await mayShow(db, line, how))) continue;
        const hit = this.#hit(line, record, sought, match.includes(' OR ') ? 1 : sought.length);
        if (!hit) {
          how.doubted.add(task);
          continue;
        }
        hits.push(hit);
        perTask.set(task, (perTask.get(task) ?? 0) + 1);
        if (hits.length >= how.limit) return hits;
      }
      if (lines.length < PAGE) break;
    }
    return hits;
  }

  #seen(task: string, { maySee }: Choosing): TaskRecord | undefined {
    const record = openTask(this.#home, task).record();
    return record && record.viber === this.#viber && maySee(record) ? record : undefined;
  }

  /** Reads the line again; undefined if it is gone. */
  #hit(line: Line, task: TaskRecord, sought: readonly SearchTerm[], least: number): HistoryHit | undefined {
    const { entry } = openTask(this.#home, task.id, this.#viber).session.span(line.place, 1)?.lines[0] ?? {};
    if (entry?.type !== 'message' && entry?.type !== 'result') return undefined;
    if (entry.run !== line.run) return undefined;
    const text = wordsOfLine(entry);
    if (text === undefined || countFound(sought, text) < least) return undefined;
    return { task, entry, text: snippetOf(text, sought), sought };
  }
}

interface Choosing extends HistoryRules {
  limit: number;
  /** Collects the tasks whose sessions differ from the index. */
  doubted: Set<string>;
}

function pageOfLines(db: IndexDb, match: string, before: number): Promise<Line[]> {
  return db.read(() => {
    const rows = db
      .sql(
        `SELECT l.*, s.task, bm25(lines_fts) AS rank FROM lines_fts f JOIN lines l ON l.id = f.rowid
         JOIN sessions s ON s.id = l.session
         WHERE lines_fts MATCH ? AND f.rowid < ? ORDER BY f.rowid DESC LIMIT ?`,
      )
      .all(match, before, PAGE);
    return rows.map((row) => ({
      id: Number(row.id),
      task: String(row.task),
      session: Number(row.session),
      place: Number(row.place),
      at: Number(row.at),
      run: String(row.run),
      kind: String(row.kind),
      person: String(row.person),
      shared: Number(row.shared),
      score: scoreOf(-Number(row.rank), Number(row.at)),
    }));
  });
}

/** Ranks by match; a new line counts up to twice as much as a very old one. */
const scoreOf = (rank: number, at: number): number => rank * (1 + 2 ** (-Math.max(0, Date.now() - at) / HALF_LIFE_MS));

const ranked = (lines: readonly Line[]): Line[] =>
  lines.toSorted((one, other) => other.score - one.score || other.id - one.id);

/** Returns whether a reader may see an answer: they must be allowed to read all messages that it answers. */
async function mayShow(db: IndexDb, line: Line, { mayHear }: HistoryRules): Promise<boolean> {
  if (line.kind !== 'result') return mayHear({ user: line.person, isGroup: line.shared === 1 });
  const asked = await db.read(() =>
    db
      .sql(`SELECT kind, person, shared FROM lines WHERE session = ? AND run = ? AND kind <> 'result'`)
      .all(...[line.session, line.run]),
  );
  const isHeard = asked.every(
    ({ kind, person, shared }) => kind === 'job' || mayHear({ user: String(person), isGroup: shared === 1 }),
  );
  return asked.length > 0 && isHeard;
}
