/**
 * Caches the parsed skills of a folder: a start without changes loads none of the parsing libraries. An entry applies
 * only to the same text, file and build of the gateway, and only while undamaged.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errors.ts';
import { writeFileAtomic } from '../lib/files.ts';
import type { WatchedFile } from '../lib/watch-folders.ts';
import { checkName, isBundle } from './name.ts';
import type { Skill, SkillSource } from './skill.ts';

/** A skill without its location. */
type StoredSkill = Omit<Skill, 'level' | 'file' | 'folder'>;

export interface SkillReader {
  parse(text: string, source: SkillSource): Skill;
  /** Stores newly parsed skills. Never rejects: what isn't stored is parsed again. */
  keep(): Promise<void>;
}

/** A built file's name contains a hash of its contents and dependencies. */
const BUILD = path.basename(import.meta.filename);
const skillKey = (text: string, file: string) => hash('sha256', `${file}\0${text}`);
const sealOf = (text: string, build: string) => hash('sha256', `${build}\0${text}`);

/** @param keptIn the cache file; undefined for none */
export async function openReader(
  files: readonly WatchedFile[],
  keptIn: string | undefined,
  build = BUILD,
): Promise<SkillReader> {
  const known = keptIn === undefined ? new Map<string, StoredSkill>() : readStoredSkills(keptIn, build);
  const keys = new Set(
    files.filter(({ problem }) => problem === undefined).map((file) => skillKey(file.text, file.path)),
  );
  const isKnown = keys.isSubsetOf(known);
  // The parsing libraries are heavy.
  const read = isKnown ? undefined : (await import('./skill.ts')).parseSkill;
  return {
    parse(text, source) {
      const key = skillKey(text, source.file);
      const kept = known.get(key);
      if (!kept && read) {
        const { level: _level, file: _file, folder: _folder, ...skill } = read(text, source);
        known.set(key, skill);
        return placed(skill, source);
      }
      if (!kept) throw new Error(`${source.file} was not there when the folder was read`);
      checkName(kept.name, source.reserved);
      return placed(kept, source);
    },
    async keep() {
      if (keptIn === undefined || isKnown) return;
      const text = JSON.stringify([...known].filter(([key]) => keys.has(key)));
      try {
        await writeFileAtomic(keptIn, `${sealOf(text, build)}\n${text}`, { sync: false });
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
      }
    },
  };
}

const placed = (skill: StoredSkill, { level, file }: SkillSource): Skill => ({
  ...skill,
  level,
  file,
  ...(isBundle(file) ? { folder: path.dirname(file) } : {}),
});

/** Returns an empty map for a file that is missing, from another build, or changed in any way. */
function readStoredSkills(file: string, build: string): Map<string, StoredSkill> {
  try {
    const [seal, text = ''] = readFileSync(file, 'utf8').split('\n');
    return new Map(seal === sealOf(text, build) ? (JSON.parse(text) as [string, StoredSkill][]) : []);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return new Map();
  }
}
