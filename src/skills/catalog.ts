/**
 * All skills by viber: those that come with the gateway, those of the home, those of the viber; a name further down the line hides the same
 * name above it. Folders are watched, and a change becomes visible once it has settled, as a whole set.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type FolderWatch, watchFiles } from '../lib/watch-folders.ts';
import type { Logger } from '../log.ts';
import { createSkillLibrary, isSkillFile, type SkillLibrary, type SkillProblem } from './library.ts';
import { readPrepared } from './prepared.ts';
import type { Skill, SkillLevel } from './skill.ts';

export type { SkillProblem } from './library.ts';

export interface SkillsOptions {
  /** `bundledSkills()`; undefined: none. */
  bundled: string | undefined;
  /** `skills/` of the home. */
  user: string;
  /** `skills/` in the folder of a viber; it need not exist. */
  viber: (viber: string) => string;
  /** Where what was read of `user` is kept for the next start; nowhere when absent. */
  keptIn?: string;
  /** Bundled skills that are left out. */
  without?: readonly string[];
  /** Names of our own tools, which no skill may have. */
  reserved: Iterable<string>;
  log: Logger;
  /** false: what is there now, for commands that end at once. */
  watch?: boolean;
  /** How long after the first look at a folder the watching begins; at once when absent. What changed until then is seen then. */
  watchAfterMs?: number;
  /** Looks this often besides: nothing that is watched tells of what another machine does. */
  lookEveryMs?: number | undefined;
  settleMs?: number;
}

const DEPTH = 3;
/** Bytes. */
const MAX_FILE = 256 * 1024;
const MAX_FILES = 5000;

interface Level {
  library: SkillLibrary;
  watch: FolderWatch;
}

/** For files that nobody edits. */
const AT_REST: FolderWatch = {
  ready: Promise.resolve(),
  refresh: async () => undefined,
  close: async () => undefined,
};

/** Where the skills that come with the gateway are: beside this file, or beside the built program. */
export function bundledSkills(): string {
  const built = path.join(import.meta.dirname, 'skills');
  return existsSync(built) ? built : import.meta.dirname;
}

/** Opens nothing yet. */
export class Skills {
  readonly #options: SkillsOptions;
  readonly #reserved: Set<string>;
  #common: Level[] = [];
  readonly #vibers = new Map<string, Level>();
  readonly #merged = new Map<string, ReadonlyMap<string, Skill>>();

  constructor(options: SkillsOptions) {
    this.#options = options;
    this.#reserved = new Set(options.reserved);
  }

  /** By name. Empty until `start` has resolved; those of a viber are there once `open` has. Shared: do not change them. */
  of(viber: string): readonly Skill[] {
    return [...this.#all(viber).values()];
  }

  find(viber: string, name: string): Skill | undefined {
    return this.#all(viber).get(name);
  }

  /** What does not load, or loads no longer, and why. */
  problems(viber: string): readonly SkillProblem[] {
    return this.#levelsOf(viber).flatMap(({ library }) => library.problems);
  }

  /** Reads the bundled skills and those of the home. */
  async start(): Promise<void> {
    const isWatched = this.#options.watch !== false;
    if (this.#common.length === 0) {
      this.#common = [
        ...(this.#options.bundled === undefined ? [] : [this.#openBundled(this.#options.bundled)]),
        this.#openLevel('user', this.#options.user, isWatched),
      ];
    }
    await Promise.all(this.#common.map(({ watch }) => watch.ready));
  }

  /** Reads a viber's own skills, the first time it is asked for; cheap after that. */
  async open(viber: string): Promise<void> {
    const level =
      this.#vibers.get(viber) ?? this.#openLevel('viber', this.#options.viber(viber), this.#options.watch !== false);
    this.#vibers.set(viber, level);
    await level.watch.ready;
  }

  /** Looks at the folders now; changes that have settled are visible when it resolves. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#common, ...this.#vibers.values()].map(({ watch }) => watch.refresh()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#common, ...this.#vibers.values()].map(({ watch }) => watch.close()));
  }

  #openLevel(level: SkillLevel, root: string, isWatched: boolean): Level {
    const library = createSkillLibrary(level, this.#reserved);
    let known = '';
    const watch = watchFiles({
      roots: [root],
      depth: DEPTH,
      match: isSkillFile,
      maxBytes: MAX_FILE,
      maxFiles: MAX_FILES,
      watch: isWatched,
      lookEveryMs: this.#options.lookEveryMs,
      ...(this.#options.settleMs === undefined ? {} : { settleMs: this.#options.settleMs }),
      ...(this.#options.watchAfterMs === undefined ? {} : { watchAfterMs: this.#options.watchAfterMs }),
      onSettled: async (settled) => {
        const files = settled.get(root) ?? [];
        if (files.length === 0) library.clear();
        else {
          const { openReader } = await import('./read-before.ts');
          const reader = await openReader(files, level === 'user' ? this.#options.keptIn : undefined);
          library.replace(files, reader.parse);
          void reader.keep();
        }
        this.#merged.clear();
        const reasons = library.problems.map(({ file, reason }) => `${file}: ${reason}`).join('\n');
        if (reasons !== known)
          for (const { file, reason } of library.problems) this.#options.log.warn({ file, reason }, 'skill not loaded');
        known = reasons;
      },
      onError: (err) => this.#options.log.warn({ err }, 'skills cannot be read'),
    });
    return { library, watch };
  }

  #openBundled(root: string): Level {
    const prepared = readPrepared(root);
    if (!prepared) return this.#openLevel('bundled', root, false);
    const library = createSkillLibrary('bundled', this.#reserved);
    library.replace(prepared.files, prepared.parse);
    return { library, watch: AT_REST };
  }

  #levelsOf(viber: string): Level[] {
    const own = this.#vibers.get(viber);
    return own ? [...this.#common, own] : this.#common;
  }

  #all(viber: string): ReadonlyMap<string, Skill> {
    const known = this.#merged.get(viber);
    if (known) return known;
    const { without = [] } = this.#options;
    const found = this.#levelsOf(viber).flatMap(({ library }) => [...library.skills]);
    const skills = new Map(found.filter(([name, { level }]) => level !== 'bundled' || !without.includes(name)));
    const sorted = new Map([...skills].sort(([a], [b]) => (a < b ? -1 : 1)));
    if (this.#vibers.has(viber)) this.#merged.set(viber, sorted);
    return sorted;
  }
}
