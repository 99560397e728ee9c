/**
 * The skills of one folder, replaced as a whole set. A file that cannot be read as a skill keeps its last good version in force, with the
 * reason; a file that is gone takes its skill with it (promise 18).
 */

import { errorMessage, UserError } from '../errors.ts';
import { originalOf } from '../lib/second-versions.ts';
import type { WatchedFile } from '../lib/watch-folders.ts';
import { nameOf } from './name.ts';
import type { Skill, SkillLevel, SkillSource } from './skill.ts';

export interface SkillProblem {
  /** The file's absolute path. */
  file: string;
  level: SkillLevel;
  /** What is wrong, in one sentence. */
  reason: string;
}

export interface SkillLibrary {
  /** By name. */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly problems: readonly SkillProblem[];
  replace(files: readonly WatchedFile[], parse: (text: string, source: SkillSource) => Skill): void;
  /** There is no file any more. */
  clear(): void;
}

interface Entry {
  from: WatchedFile;
  skill: Skill | undefined;
  reason: string | undefined;
}

/** True for the files that hold a skill, by their name; second versions that a synchronisation left hold none. */
export function isSkillFile(name: string): boolean {
  const isSecond = name.split('/').some((part) => originalOf(part) !== undefined);
  return /(^|\/)(skill\.md|[^/.][^/]*\.skill\.md)$/i.test(name) && !isSecond;
}

export function createSkillLibrary(level: SkillLevel, reserved: ReadonlySet<string>): SkillLibrary {
  let entries: ReadonlyMap<string, Entry> = new Map();
  let shown: { skills: ReadonlyMap<string, Skill>; problems: SkillProblem[] } = { skills: new Map(), problems: [] };

  return {
    get skills() {
      return shown.skills;
    },
    get problems() {
      return shown.problems;
    },
    replace(files, parse) {
      const next = new Map<string, Entry>();
      const bundles = new Set(files.flatMap(({ name }) => /^(.*)\/skill\.md$/i.exec(name)?.[1] ?? []));
      for (const from of files.filter(({ name }) => !isInsideBundle(name, bundles))) {
        const before = entries.get(from.path);
        next.set(from.path, before?.from === from ? before : read(from, before, parse));
      }
      entries = next;
      shown = arrange([...next.values()]);
    },
    clear() {
      entries = new Map();
      shown = arrange([]);
    },
  };

  function read(
    from: WatchedFile,
    before: Entry | undefined,
    parse: (text: string, source: SkillSource) => Skill,
  ): Entry {
    try {
      if (from.problem) throw new UserError(from.problem);
      return { from, skill: parse(from.text, { file: from.path, level, reserved }), reason: undefined };
    } catch (error) {
      // Whatever a file holds, the others go on.
      const kept = before?.skill ? '; the last good version stays in use' : '';
      return { from, skill: before?.skill, reason: visible(errorMessage(error)) + kept };
    }
  }

  /** Two of one name: the one that stands in a folder of that name, else the first by path. */
  function arrange(all: readonly Entry[]): typeof shown {
    const skills = new Map<string, Skill>();
    const problems: SkillProblem[] = [];
    const isForeign = ({ from, skill }: Entry) => Number(skill !== undefined && nameOf(from.path) !== skill.name);
    const sorted = [...all].sort((a, b) => isForeign(a) - isForeign(b) || (a.from.name < b.from.name ? -1 : 1));
    for (const { from, skill, reason } of sorted) {
      const first = skill && skills.get(skill.name);
      if (skill && !first) skills.set(skill.name, skill);
      const why = reason ?? (first && `name: "${skill.name}" is taken by ${first.file}`);
      if (why) problems.push({ file: from.path, level, reason: why });
    }
    problems.sort((a, b) => (a.file < b.file ? -1 : 1));
    return { skills, problems };
  }
}

/** A reason may quote the file, and is read on terminals and in chats. */
const visible = (text: string) => text.toWellFormed().replace(/[[\p{Cc}\p{Cf}]--[\n]]/gv, '\ufffd');

/** A skill file below the folder of another bundle is one of that bundle's further files. */
function isInsideBundle(name: string, bundles: ReadonlySet<string>): boolean {
  const own = name.lastIndexOf('/');
  // What a bundle's folder has beside its `SKILL.md` is inside it too.
  let end = /(^|\/)skill\.md$/i.test(name) ? name.lastIndexOf('/', own - 1) : own;
  for (; end > 0; end = name.lastIndexOf('/', end - 1)) if (bundles.has(name.slice(0, end))) return true;
  return false;
}
