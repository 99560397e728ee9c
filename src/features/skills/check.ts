/** Checks skills and the sandbox of their scripts. Runs no script. */
import path from 'node:path';
import { errorMessage } from '../../errors.ts';
import { say, type Wording } from '../../messages/messages.ts';
import type { HomeAt } from '../../runtime/contract/feature.ts';
import type { Finding } from '../../runtime/contract/finding.ts';
import { findBubblewrap, hasSandbox } from '../../skills/sandbox.ts';
import type { Skill } from '../../skills/skill.ts';
import { vibersOf } from '../../workspace/home.ts';
import { configOf } from '../gateway.ts';
import { catalogAt, healthAt } from './catalog.ts';

type State = Finding['state'];

/** Checks the skills of all vibers, each file once. */
export async function checkSkills(at: HomeAt): Promise<Finding[]> {
  const { home } = at;
  const findings: Finding[] = [];
  const found = (state: State, detail: Finding['detail']) => findings.push({ name: 'skills', state, detail });
  const skills = catalogAt(at);
  try {
    await skills.start();
    const vibers = vibersOf({ root: home });
    await Promise.all(vibers.map((viber) => skills.open(viber)));
    const health = healthAt(at);
    const all = new Map<string, Skill>(
      vibers.flatMap((viber) => skills.of(viber)).map((skill) => [skill.file, skill] as const),
    );
    const problems = new Map(
      vibers.flatMap((viber) => skills.problems(viber)).map(({ file, reason }) => [file, reason] as const),
    );
    for (const [file, reason] of problems) found('wrong', `${path.relative(home, file)}: ${reason}`);
    let usable = 0;
    for (const skill of all.values()) {
      const state = await health.of(skill);
      if (state.isUsable) usable++;
      const fixes = state.problems.filter(({ kind }) => kind !== 'sandbox').map(({ fix }) => fix);
      for (const warning of skill.warnings) found('note', `${skill.name}: ${warning}`);
      if (fixes.length > 0) found('note', say('doctor.skillUnusable', { name: skill.name, fixes: fixes.join('; ') }));
    }
    const names = new Set([...all.values()].map(({ name }) => name));
    for (const name of Object.keys(configOf(at).skills.env).filter((each) => !names.has(each))) {
      found('note', say('doctor.noSkill', { name }));
    }
    found(
      'ok',
      usable === all.size ? say('doctor.skillsAll', { n: usable }) : say('doctor.skillsSome', { usable, n: all.size }),
    );
  } catch (error) {
    found('wrong', say('doctor.unreadable', { why: errorMessage(error) }));
  } finally {
    await skills.close();
  }
  return findings.reverse();
}

/** Reports whether the sandbox works here, and what follows if it doesn't. */
export async function checkSandbox(): Promise<Finding[]> {
  const found = (state: State, detail: Wording): Finding[] => [{ name: 'sandbox', state, detail }];
  if (await hasSandbox()) return found('ok', say('doctor.sandbox'));
  if (process.platform !== 'linux') return found('note', say('doctor.noSandbox'));
  const isThere = (await findBubblewrap()) !== undefined;
  return found('note', say(isThere ? 'doctor.allowSandbox' : 'doctor.installSandbox'));
}
