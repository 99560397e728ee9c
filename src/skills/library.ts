/**
 * The skills of one folder, replaced as a whole set. A file that can't be read as a skill keeps its last good version
 * in force, with the reason; a deleted file removes its skill (promise 18).
 */

import { errorMessage, UserError } from '../errors.ts';
import { originalOf } from '../lib/second-versions.ts';
import type { WatchedFile } from '../lib/watch-folders.ts';
import { defaultSkillName } from './name.ts';
import type { Skill, SkillLevel, SkillSource } from './skill.ts';

export interface SkillProblem {
  file: string;
  level: SkillLevel;
  /** One sentence. */
  reason: string;
}

export interface SkillLibrary {
  /** Skills by name. */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly problems: readonly SkillProblem[];
  replace(files: readonly WatchedFile[], parse: (text: string, source: SkillSource) => Skill): void;
  clear(): void;
}

interface Entry {
  from: WatchedFile;
  skill: Skill | undefined;
  reason: string | undefined;
}

/** Returns whether a file holds a skill, by its name; sync conflict copies don't. */
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
      // One bad file doesn't affect the others.
      const kept = before?.skill ? '; the last good version stays in use' : '';
      return { from, skill: before?.skill, reason: cleanReason(errorMessage(error)) + kept };
    }
  }

  /** Picks one of two with the same name: the one in a folder of that name, else the first by path. */
  function arrange(all: readonly Entry[]): typeof shown {
    const skills = new Map<string, Skill>();
    const problems: SkillProblem[] = [];
    const isForeign = ({ from, skill }: Entry) =>
      Number(skill !== undefined && defaultSkillName(from.path) !== skill.name);
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

/** A reason may quote the file, and is shown on terminals and in chats. */
const cleanReason = (text: string) => text.toWellFormed().replace(/[[\p{Cc}\p{Cf}]--[\n]]/gv, '\ufffd');

/** Returns whether a skill file is below another bundle's folder, and so one of that bundle's further files. */
function isInsideBundle(name: string, bundles: ReadonlySet<string>): boolean {
  const own = name.lastIndexOf('/');
  // Files beside a bundle's `SKILL.md` are inside it too.
  let end = /(^|\/)skill\.md$/i.test(name) ? name.lastIndexOf('/', own - 1) : own;
  for (; end > 0; end = name.lastIndexOf('/', end - 1)) if (bundles.has(name.slice(0, end))) return true;
  return false;
}
