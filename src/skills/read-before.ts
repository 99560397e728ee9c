/**
 * What reading the skills of a folder gave, kept in a file of the cache: a start at which none has changed loads none of the libraries
 * that read one. It counts for the very text, file and build of the gateway that it was made of, and only while it is undamaged.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errors.ts';
import { writeFileAtomic } from '../lib/files.ts';
import type { WatchedFile } from '../lib/watch-folders.ts';
import { checkName, isBundle } from './name.ts';
import type { Skill, SkillSource } from './skill.ts';

/** Without what says where it stands. */
type Kept = Omit<Skill, 'level' | 'file' | 'folder'>;

export interface SkillReader {
  parse(text: string, source: SkillSource): Skill;
  /** Keeps what was read anew. Never rejects: what is not kept is read again. */
  keep(): Promise<void>;
}

/** The name of a built file tells what is in it and in all that it loads. */
const BUILD = path.basename(import.meta.filename);
const keyOf = (text: string, file: string) => hash('sha256', `${file}\0${text}`);
const sealOf = (text: string, build: string) => hash('sha256', `${build}\0${text}`);

/** `keptIn`: undefined where nothing is kept. */
export async function openReader(
  files: readonly WatchedFile[],
  keptIn: string | undefined,
  build = BUILD,
): Promise<SkillReader> {
  const known = keptIn === undefined ? new Map<string, Kept>() : readKept(keptIn, build);
  const keys = new Set(files.filter(({ problem }) => problem === undefined).map((file) => keyOf(file.text, file.path)));
  const isKnown = keys.isSubsetOf(known);
  // The libraries that read a skill are heavy.
  const read = isKnown ? undefined : (await import('./skill.ts')).parseSkill;
  return {
    parse(text, source) {
      const key = keyOf(text, source.file);
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

const placed = (skill: Kept, { level, file }: SkillSource): Skill => ({
  ...skill,
  level,
  file,
  ...(isBundle(file) ? { folder: path.dirname(file) } : {}),
});

/** Empty for what is not there, is of another build, or is not to the letter what was written. */
function readKept(file: string, build: string): Map<string, Kept> {
  try {
    const [seal, text = ''] = readFileSync(file, 'utf8').split('\n');
    return new Map(seal === sealOf(text, build) ? (JSON.parse(text) as [string, Kept][]) : []);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return new Map();
  }
}
