/** Checks whether a skill can be used here, and what would fix it. Runs nothing and ignores our own environment. */
import { say, type Wording } from '../messages/messages.ts';
import { waysToInstall } from './install-hints.ts';
import { findProgram, hasSandbox, searchPath } from './sandbox.ts';
import type { Skill } from './skill.ts';

export interface HealthProblem {
  kind: 'binary' | 'variable' | 'system' | 'sandbox';
  /** The missing item, such as `git`. */
  name: string;
  /** One sentence that says what to do. */
  fix: Wording;
}

export interface SkillHealth {
  /**
   * False while something the skill needs is missing; a missing sandbox alone only means that a person has to consent.
   */
  isUsable: boolean;
  problems: readonly HealthProblem[];
}

export interface HealthOptions {
  /** `skills.env`: the variables that a skill's script is granted, by skill. */
  granted: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Returns whether a skill runs only in the sandbox. */
  needsSandbox?: (skill: Skill) => boolean;
  /** The gateway's search path; `process.env.PATH` by default. */
  path?: string;
  /** Whether there is a sandbox; detected by default. */
  sandbox?: boolean;
}

/** How long a program lookup is cached, in ms. */
const REMEMBER_MS = 30_000;

export interface Health {
  of(skill: Skill): Promise<SkillHealth>;
}

export function openHealth(options: HealthOptions): Health {
  const programs = new Map<string, { found: boolean; until: number }>();

  async function has(name: string, inSandbox: boolean): Promise<boolean> {
    const known = programs.get(name);
    if (known && known.until > Date.now()) return known.found;
    const found = (await findProgram(name, searchPath(inSandbox, options.path))) !== undefined;
    programs.set(name, { found, until: Date.now() + REMEMBER_MS });
    return found;
  }

  async function missing(names: readonly string[], inSandbox: boolean): Promise<string[]> {
    const found = await Promise.all(names.map((name) => has(name, inSandbox)));
    return names.filter((_name, index) => !found[index]);
  }

  return {
    async of(skill) {
      const problems: HealthProblem[] = [];
      const { requires, name, script } = skill;
      const sandbox = options.sandbox ?? (await hasSandbox());
      if (requires.os.length > 0 && !requires.os.includes(process.platform)) {
        const systems = requires.os.join(', ');
        problems.push({ kind: 'system', name: process.platform, fix: say('skillFiles.systems', { systems }) });
      }
      const runsScript = script !== undefined;
      const needed = [...requires.bins, ...(runsScript && script.shell === 'bash' ? ['bash'] : [])];
      // Scripts in the sandbox find only the system's programs.
      const isForSystem = sandbox && runsScript;
      for (const program of await missing(needed, sandbox)) {
        const what = { program, hints: hintsFor([program], skill) };
        const fix = isForSystem ? say('skillFiles.installSystem', what) : say('skillFiles.install', what);
        problems.push({ kind: 'binary', name: program, fix });
      }
      if (
        requires.anyBins.length > 0 &&
        (await missing(requires.anyBins, sandbox)).length === requires.anyBins.length
      ) {
        const programs = requires.anyBins.join(', ');
        const what = { programs, hints: hintsFor(requires.anyBins, skill) };
        const fix = isForSystem ? say('skillFiles.installOneSystem', what) : say('skillFiles.installOne', what);
        problems.push({ kind: 'binary', name: programs, fix });
      }
      const granted = Object.hasOwn(options.granted, name) ? (options.granted[name] ?? {}) : {};
      for (const variable of requires.env) {
        if (Object.hasOwn(granted, variable) && granted[variable] !== '') continue;
        problems.push({ kind: 'variable', name: variable, fix: say('skillFiles.setVariable', { name, variable }) });
      }
      if (!sandbox && options.needsSandbox?.(skill) === true)
        problems.push({ kind: 'binary', name: 'bubblewrap', fix: say('skillFiles.needsSandbox') });
      const isUsable = problems.length === 0;
      if (runsScript && !sandbox) {
        problems.push({ kind: 'sandbox', name: 'bubblewrap', fix: say('skillFiles.wantsSandbox') });
      }
      return { isUsable, problems };
    },
  };
}

/** Returns the skill's own installation hints; '' if it has none. */
function hintsFor(programs: readonly string[], { install }: Skill): Wording | '' {
  const [way, other] = new Set(programs.flatMap((program) => waysToInstall(program, install)));
  if (way === undefined) return '';
  return other === undefined ? say('skillFiles.hint', { way }) : say('skillFiles.hints', { way, other });
}
