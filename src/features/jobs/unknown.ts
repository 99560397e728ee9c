/**
 * Finds names that a job uses and that don't exist. Pure. A missing skill or tool is skipped; without its viber or
 * model, a job would not be what was intended, so it doesn't run.
 */
import { nearest } from '../../lib/nearest.ts';
import { say, type Wording } from '../../messages/messages.ts';
import type { KnownNames, KnownSkill } from '../../runtime/contract/job-service.ts';
import { splitModelName } from '../../runtime/contract/providers.ts';
import type { Job } from './job.ts';

export interface UnknownName {
  kind: 'viber' | 'provider' | 'model' | 'skill' | 'tool';
  name: string;
  /** The most similar known name. */
  near?: string;
  /** The model whose provider is unknown. */
  model?: string;
  /** Why it can't be used, although it exists. */
  why?: string;
  /** Whether the configuration turns it off. */
  isOff?: boolean;
}

export type Naming = Pick<Job, 'viber'> & { agent: Pick<Job['agent'], 'model' | 'skills' | 'tools'> };

const SHOWN = 4;

/** @param usual the viber of a job that names none */
export function unknownIn({ viber, agent }: Naming, usual: string, known: KnownNames): UnknownName[] {
  const hasViber = viber === undefined || known.vibers.includes(viber);
  const model = agent.model === undefined ? [] : ofModel(agent.model, known);
  if (!hasViber) return [unknownName('viber', viber, known.vibers), ...model];
  const skills = known.skills.get(viber ?? usual);
  // If no skills were loaded, their names can't be judged.
  if (!skills) return model;
  const unknownSkills = (agent.skills ?? []).filter((name) => !isSkill(name, skills, known));
  const unknownTools = (agent.tools ?? []).filter((name) => !isTool(name, skills, known));
  const all = skills.map(({ name }) => name);
  const tools = offeredTools(skills, known);
  const ofKind = (kind: 'skill' | 'tool', candidates: readonly string[]) => (name: string) =>
    known.off.includes(name) ? { kind, name, isOff: true } : unknownName(kind, name, candidates);
  return [
    ...model,
    ...[...new Set(unknownSkills)].map(ofKind('skill', all)),
    ...[...new Set(unknownTools)].map(ofKind('tool', tools)),
  ];
}

/** Returns whether this prevents the job from running. */
export const holdsUp = ({ kind }: UnknownName): boolean => kind === 'viber' || kind === 'provider' || kind === 'model';

/**
 * Returns a sentence for each of the first four unknown names, and counts the rest.
 * @param shown formats a name for the text
 */
export function sayUnknown(all: readonly UnknownName[], shown: (name: string) => string): Wording[] {
  const rest = all.length - SHOWN;
  const more = rest > 0 ? [say('jobs.unknownMore', { n: rest })] : [];
  return [...all.slice(0, SHOWN).map((each) => sentence(each, shown)), ...more];
}

function sentence(
  { kind, name, near, model = '', why = '', isOff }: UnknownName,
  shown: (name: string) => string,
): Wording {
  const given = { name: shown(name), near: near === undefined ? '' : say('jobs.near', { near: shown(near) }) };
  if (kind === 'viber') return say('jobs.noViber', given);
  if (kind === 'provider') return say('jobs.noProvider', { ...given, model: shown(model) });
  if (kind === 'model') return say('jobs.badModel', { name: shown(name), why });
  if (isOff) return say('jobs.offSkill', { name: shown(name) });
  return say(kind === 'skill' ? 'jobs.noSkill' : 'jobs.noTool', given);
}

/** Joins sentences into one text. */
export const sayAll = ([first, ...rest]: readonly Wording[]): Wording =>
  rest.reduce((before, after) => say('jobs.both', { before, after }), first ?? say('common.asItIs', { text: '' }));

function ofModel(name: string, known: KnownNames): UnknownName[] {
  const { provider } = splitModelName(name);
  if (!known.providers.includes(provider))
    return [{ ...unknownName('provider', provider, known.providers), model: name }];
  const why = known.modelProblem(name);
  return why === undefined ? [] : [{ kind: 'model', name, why }];
}

function isSkill(name: string, skills: readonly KnownSkill[], known: KnownNames): boolean {
  return skills.some((skill) => skill.name === name) || isOfServer(name, known);
}

function isTool(name: string, skills: readonly KnownSkill[], known: KnownNames): boolean {
  return (
    known.tools.includes(name) || skills.some((skill) => skill.isTool && skill.name === name) || isOfServer(name, known)
  );
}

/** Until a server is connected, any name with its prefix may be one of its tools. */
const isOfServer = (name: string, { servers }: KnownNames): boolean =>
  [...servers].some(([server, tools]) => tools?.includes(name) ?? name.startsWith(`${server}_`));

const offeredTools = (skills: readonly KnownSkill[], { tools, servers }: KnownNames): string[] => [
  ...tools,
  ...skills.filter(({ isTool: is }) => is).map(({ name }) => name),
  ...[...servers.values()].flatMap((offered) => offered ?? []),
];

function unknownName(kind: UnknownName['kind'], name: string, candidates: readonly string[]): UnknownName {
  const near = nearest(name, candidates);
  return { kind, name, ...(near === undefined ? {} : { near }) };
}
