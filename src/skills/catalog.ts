/**
 * All skills by viber: bundled, from the home, from the viber. A later level hides the same name in an earlier one.
 * Folders are watched; a change becomes visible as a whole set once it has settled.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type FolderWatch, watchFiles } from '../lib/watch-folders.ts';
import type { Logger } from '../log.ts';
import { messagesIn } from '../messages/messages.ts';
import { createSkillLibrary, isSkillFile, type SkillLibrary, type SkillProblem } from './library.ts';
import { readPrepared } from './prepared.ts';
import type { Skill, SkillLevel } from './skill.ts';

export type { SkillProblem } from './library.ts';

export interface SkillsOptions {
  /** `bundledSkills()`, or undefined for none. */
  bundled: string | undefined;
  /** `skills/` of the home. */
  user: string;
  /** `skills/` in the viber's folder; it need not exist. */
  viber: (viber: string) => string;
  /** Cache file for what was read of `user`, used by the next start; none when absent. */
  keptIn?: string;
  /** Whether a bundled skill is left out; none is by default. */
  isLeftOut?: (skill: Skill) => boolean;
  /** Names of our own tools, which no skill may have. */
  reserved: Iterable<string>;
  log: Logger;
  /** If false, reads the folders once, for commands that end at once. */
  watch?: boolean;
  /** Delay from the first read of a folder to watching it, in ms; changes in between are noticed then. */
  watchAfterMs?: number;
  /** Also polls at this interval, in ms, since changes from another machine cause no event. */
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

/** A watch for files that nobody edits. */
const AT_REST: FolderWatch = {
  ready: Promise.resolve(),
  refresh: async () => undefined,
  close: async () => undefined,
};

/** Returns the folder of the bundled skills: beside this file, or beside the built program. */
export function bundledSkills(): string {
  const built = path.join(import.meta.dirname, 'skills');
  return existsSync(built) ? built : import.meta.dirname;
}

/** Opens nothing until `start`. */
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

  /**
   * Returns skills by name. Empty until `start` has resolved; a viber's own are there once `open` has. Shared: don't
   * change them.
   */
  of(viber: string): readonly Skill[] {
    return [...this.#all(viber).values()];
  }

  find(viber: string, name: string): Skill | undefined {
    return this.#all(viber).get(name);
  }

  /** Lists files that don't load, or no longer load, with the reason. */
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

  /** Reads a viber's own skills on the first call; cheap after that. */
  async open(viber: string): Promise<void> {
    const level =
      this.#vibers.get(viber) ?? this.#openLevel('viber', this.#options.viber(viber), this.#options.watch !== false);
    this.#vibers.set(viber, level);
    await level.watch.ready;
  }

  /** Checks the folders now; settled changes are visible when it resolves. */
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
        const reasons = JSON.stringify(library.problems);
        if (reasons !== known)
          for (const { file, reason } of library.problems)
            this.#options.log.warn({ file, reason: messagesIn('en').said(reason) }, 'skill not loaded');
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
    const { isLeftOut = () => false } = this.#options;
    const found = this.#levelsOf(viber).flatMap(({ library }) => [...library.skills]);
    const skills = new Map(found.filter(([, skill]) => skill.level !== 'bundled' || !isLeftOut(skill)));
    const sorted = new Map([...skills].sort(([a], [b]) => (a < b ? -1 : 1)));
    if (this.#vibers.has(viber)) this.#merged.set(viber, sorted);
    return sorted;
  }
}
