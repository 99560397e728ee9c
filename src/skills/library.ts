/**
 * The skills of one folder, replaced as a whole set. A file that can't be read as a skill keeps its last good version
 * in use, with the reason; a deleted file removes its skill (promise 18).
 */

import { errorMessage, UserError } from '../errors.ts';
import { originalOf } from '../lib/second-versions.ts';
import type { WatchedFile } from '../lib/watch-folders.ts';
import { say, type Value, type Wording } from '../messages/messages.ts';
import { defaultSkillName } from './name.ts';
import type { Skill, SkillLevel, SkillSource } from './skill.ts';

export interface SkillProblem {
  file: string;
  level: SkillLevel;
  reason: Wording;
}

export interface SkillLibrary {
  readonly skills: ReadonlyMap<string, Skill>;
  readonly problems: readonly SkillProblem[];
  replace(files: readonly WatchedFile[], parse: (text: string, source: SkillSource) => Skill): void;
  clear(): void;
}

interface Entry {
  from: WatchedFile;
  skill: Skill | undefined;
  reason: Wording | undefined;
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
      const why = error instanceof UserError ? error.said : say('common.asItIs', { text: errorMessage(error) });
      return { from, skill: before?.skill, reason: before?.skill ? say('skillFiles.kept', { why }) : why };
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
      const why = reason ?? (first && say('skillFiles.twoOfAName', { name: skill.name, file: first.file }));
      if (why) problems.push({ file: from.path, level, reason: withoutControls(why) });
    }
    problems.sort((a, b) => (a.file < b.file ? -1 : 1));
    return { skills, problems };
  }
}

/** Replaces control characters: a reason may quote the file, and is shown on terminals and in chats. */
function withoutControls({ key, values }: Wording): Wording {
  const clean = (value: Value): Value => {
    if (typeof value === 'string') return value.toWellFormed().replace(/[[\p{Cc}\p{Cf}]--[\n]]/gv, '\ufffd');
    return typeof value === 'object' && 'key' in value ? withoutControls(value) : value;
  };
  return { key, values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, clean(value)])) };
}

/** Returns whether a skill file is below another bundle's folder, and so one of that bundle's further files. */
function isInsideBundle(name: string, bundles: ReadonlySet<string>): boolean {
  const own = name.lastIndexOf('/');
  // Files beside a bundle's `SKILL.md` are inside it too.
  let end = /(^|\/)skill\.md$/i.test(name) ? name.lastIndexOf('/', own - 1) : own;
  for (; end > 0; end = name.lastIndexOf('/', end - 1)) if (bundles.has(name.slice(0, end))) return true;
  return false;
}
