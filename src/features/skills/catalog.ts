/** The skills of a home, the same for a gateway and for commands and checks that work without one. */
import path from 'node:path';
import { silentLog } from '../../log.ts';
import type { HomeAt } from '../../runtime/contract/feature.ts';
import { bundledSkills, Skills, type SkillsOptions } from '../../skills/catalog.ts';
import { type Health, openHealth } from '../../skills/health.ts';
import type { Skill } from '../../skills/skill.ts';
import { DEFAULT_VIBER } from '../../workspace/home.ts';
import { configOf } from '../gateway.ts';
import { isNative } from './offer.ts';
import { SHELL } from './tools/shell.ts';

/** @param live what a gateway adds: watching, a cache and its log; by default the folders are read once */
export function catalogAt(at: HomeAt, live: Partial<SkillsOptions> = { watch: false }): Skills {
  const { shell } = configOf(at).skills;
  const isOn = (name: string) => (name === SHELL ? shell !== 'off' : at.natives.includes(name));
  return new Skills({
    bundled: bundledSkills(),
    user: path.join(at.home, 'skills'),
    viber: (id) => path.join(at.home, id === DEFAULT_VIBER ? 'workspace' : path.join('vibers', id), 'skills'),
    reserved: at.reserved,
    isLeftOut: (skill) => isNative(skill) && !isOn(skill.name),
    log: silentLog(),
    ...live,
  });
}

/** @param sandbox whether there is one; detected if absent */
export function healthAt(at: Pick<HomeAt, 'config'>, sandbox?: boolean): Health {
  const granted = configOf(at).skills.env;
  return openHealth({ granted, needsSandbox, ...(sandbox !== undefined && { sandbox }) });
}

const needsSandbox = ({ level, name }: Pick<Skill, 'level' | 'name'>): boolean => level === 'bundled' && name === SHELL;
