/**
 * Offers the skills of a run: those with a script, and our own, as tools under their own names; the others as lines of
 * the prompt, read on demand. Heavy parts (the runner, pictures, the web) are loaded when a tool is called.
 */

import { z } from 'zod';
import type { FeatureOffer, Order } from '../../runtime/contract/order.ts';
import type { OwnSettings } from '../../runtime/contract/settings.ts';
import type { NativeSkill, RuntimeTool } from '../../runtime/contract/tool.ts';
import type { ToolScope } from '../../runtime/contract/tool-scope.ts';
import { mayUse } from '../../runtime/tools/asked.ts';
import { bind, offerTools } from '../../runtime/tools/bind.ts';
import { factsOf } from '../../runtime/tools/offered.ts';
import type { Skills } from '../../skills/catalog.ts';
import type { Health } from '../../skills/health.ts';
import { toInputSchema } from '../../skills/parameters.ts';
import type { Skill, SkillLevel } from '../../skills/skill.ts';
import type { Json } from '../../workspace/types.ts';
import type { Gateway } from '../gateway.ts';
import { followSkills, namesGivenTo } from './followed.ts';
import { findAmong, listingIn } from './listing.ts';
import { readSkill } from './tools/read-skill.ts';
import type { FileDeps, FollowedSkills, SkillRun } from './tools/run.ts';
import { scriptTool } from './tools/script.ts';
import { SHELL, shellTool } from './tools/shell.ts';
import { SKILL_TOOLS } from './tools/table.ts';

interface SkillSettings {
  /** `skills.env`: variables for a skill's script alone, by skill. */
  env: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Skills that may use the network although their files don't say so. */
  network: readonly string[];
  /** The default time limit, in seconds. */
  timeout: number;
  shell: 'off' | 'on' | 'network';
  maxPromptTokens: number;
}

interface OfferDeps {
  settings: SkillSettings;
  /** The code of a bundled skill; undefined if its feature is off. */
  native(name: string): NativeSkill<{ scope: ToolScope; gw: Gateway }> | undefined;
  gw: Gateway;
  isSandboxed: boolean;
}

/** The most skill tools in one run; providers accept about 128 tools in all. */
const MAX_TOOLS = 64;
/** The longest description of a tool in characters; some providers refuse a request with a longer one. */
const MAX_DESCRIPTION = 1024;
const RANK: Record<SkillLevel, number> = { viber: 0, user: 1, bundled: 2 };

/** Returns whether our own code implements the skill. */
export const isNative = ({ level, kind, script }: Skill): boolean =>
  level === 'bundled' && kind === 'tool' && script === undefined;

interface Schemas {
  input: ReturnType<typeof toInputSchema>;
  /** The arguments of one of our skills, as its SKILL.md describes them. */
  json: Json;
}

/** Created once per version of a skill: schemas for providers are cached under these objects. */
const schemas = new WeakMap<Skill, Schemas>();

function schemasOf(skill: Skill): Schemas {
  const known = schemas.get(skill);
  if (known) return known;
  const input = toInputSchema(skill);
  const json: Json = JSON.parse(JSON.stringify(z.toJSONSchema(input, { target: 'draft-7', io: 'input' })));
  const made = { input, json };
  schemas.set(skill, made);
  return made;
}

/**
 * Returns what a run gets of the skills that can be used here. Guests' runs get no scripts.
 * @param usable sorted by name
 */
export async function offerSkills(
  usable: readonly Skill[],
  order: Order,
  own: OwnSettings,
  scope: ToolScope,
  deps: OfferDeps,
): Promise<FeatureOffer> {
  const { task, query, asked, principal, job, called: inTask = [], earlier = [] } = order;
  // A job that names a skill counts as a call by a person.
  const byPerson = [...inTask, ...(job?.own.skills ?? [])];
  const mayBegin = ({ name, forModel }: Skill) => forModel || byPerson.includes(name);
  const chosen = usable.filter((skill) => own.skills?.includes(skill.name) !== false && mayBegin(skill));
  // Programs on this machine run only for this gateway's people; a guest could consent to their own.
  const isGuest = principal.role === 'guest';
  const called = chosen.filter((skill) => skill.kind === 'tool' && (!isGuest || isNative(skill)));
  const kept = new Set([...called].sort((a, b) => RANK[a.level] - RANK[b.level]).slice(0, MAX_TOOLS));
  const isListed = (skill: Skill) => !kept.has(skill);
  const tools = called.filter((skill) => kept.has(skill)).flatMap((skill) => toTool(skill, own, scope, deps) ?? []);
  // Guests don't see skills that are read.
  if (isGuest || chosen.length === 0 || !mayUse(own, asked)(readSkill)) return { tools };
  const named = new Map(chosen.map((skill) => [skill.name, skill]));
  let followed: FollowedSkills | undefined;
  // Read from the session on first use: most runs follow no skill.
  const follow = () => {
    const read = namesGivenTo(readSkill.name, earlier).flatMap((name) => named.get(name.trim().toLowerCase()) ?? []);
    followed ??= followSkills(read);
    return followed;
  };
  const about = asked ? query : task.goal;
  const { text, isWhole } = listingIn(usable, chosen.filter(isListed), about, deps.settings.maxPromptTokens);
  const all = new Set(chosen);
  const run: SkillRun = {
    scope,
    skills: named,
    followed: follow,
    ...(chosen.some(hasFiles) && { programs: fileDeps(deps) }),
    ...(!isWhole && { find: (words, limit) => findAmong(usable, all, words, limit) }),
  };
  return {
    tools: [...tools, ...(await offerTools(SKILL_TOOLS, run, factsOf(order))).filter(mayUse(own, asked))],
    skills: text,
    isBeyond: (tool) => follow().isBeyond(tool),
  };
}

const reaches = ({ name, network }: Skill, settings: SkillSettings): boolean =>
  network || settings.network.includes(name);

/** Returns whether the skill is a person's bundle, which may include programs. */
const hasFiles = ({ level, folder }: Skill): boolean => level !== 'bundled' && folder !== undefined;

const fileDeps = ({ settings, isSandboxed }: OfferDeps): FileDeps => ({
  isSandboxed,
  hasNetwork: (skill) => reaches(skill, settings),
  grantedTo: ({ name }) => (Object.hasOwn(settings.env, name) ? (settings.env[name] ?? {}) : {}),
  timeoutMs: ({ timeout }) => (timeout ?? settings.timeout) * 1000,
});

function toTool(skill: Skill, own: OwnSettings, scope: ToolScope, deps: OfferDeps): RuntimeTool | undefined {
  const { name, script, timeout } = skill;
  const description = skill.description.slice(0, MAX_DESCRIPTION).toWellFormed();
  const { input, json } = schemasOf(skill);
  const native = isNative(skill) ? deps.native(name) : undefined;
  if (native) return bind({ ...native, name, describe: description, schema: json }, { scope, gw: deps.gw });
  const { env, timeout: usual, shell } = deps.settings;
  if (isNative(skill) && name === SHELL) {
    if (shell === 'off' || !deps.isSandboxed) return undefined;
    const granted = Object.hasOwn(env, name) ? (env[name] ?? {}) : {};
    const work = { description, folder: own.folder, granted, timeoutMs: (timeout ?? usual) * 1000 };
    return bind(
      { ...shellTool, schema: json },
      { scope, deps: { ...work, network: shell === 'network' } },
      description,
    );
  }
  if (!script) return undefined;
  return scriptTool(skill, script, scope, {
    network: reaches(skill, deps.settings),
    input,
    description,
    folder: own.folder,
    isSandboxed: deps.isSandboxed,
    timeoutMs: (timeout ?? usual) * 1000,
    granted: Object.hasOwn(env, name) ? (env[name] ?? {}) : {},
  });
}

/** What a viber can use, as of the last look. */
interface KnownSkills {
  all: readonly Skill[];
  usable: readonly Skill[];
  until: number;
}

export type Usable = (viber: string) => Promise<readonly Skill[]>;

const REMEMBER_MS = 30_000;

/**
 * Returns which skills a viber can use here. The result is cached while the set of skills stays the same, and checked
 * again after a while, because programs may be installed while we run.
 */
export function createUsable(skills: Skills, health: Health, now: () => number = Date.now): Usable {
  const vibers = new Map<string, KnownSkills>();
  return async (viber) => {
    const all = skills.of(viber);
    const known = vibers.get(viber);
    if (known && now() < known.until && areSameSkills(known.all, all)) return known.usable;
    const states = await Promise.all(all.map((skill) => health.of(skill)));
    const found = all.filter((_, index) => states[index]?.isUsable);
    // Returns the same array for the same skills, so that data cached under it stays valid.
    const usable = known && areSameSkills(known.usable, found) ? known.usable : found;
    vibers.set(viber, { all, usable, until: now() + REMEMBER_MS });
    return usable;
  };
}

const areSameSkills = (before: readonly Skill[], after: readonly Skill[]): boolean =>
  before.length === after.length && before.every((skill, index) => skill === after[index]);
