/** Checks skills and the sandbox of their scripts. Runs no script. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../../errors.ts';
import { say, type Wording } from '../../messages/messages.ts';
import type { HomeAt } from '../../runtime/contract/feature.ts';
import type { Finding } from '../../runtime/contract/finding.ts';
import { findBubblewrap, hasSandbox, whyNoSandbox } from '../../skills/sandbox.ts';
import type { Skill } from '../../skills/skill.ts';
import { vibersOf } from '../../workspace/home.ts';
import { configOf } from '../gateway.ts';
import { catalogAt, healthAt } from './catalog.ts';

type State = Finding['state'];

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
    for (const [file, what] of problems) found('wrong', say('common.about', { name: path.relative(home, file), what }));
    let usable = 0;
    for (const skill of all.values()) {
      const state = await health.of(skill);
      if (state.isUsable) usable++;
      const { name, warnings } = skill;
      const fixes = state.problems.filter(({ kind }) => kind !== 'sandbox').map(({ fix }) => fix);
      for (const what of warnings) found('note', say('common.about', { name, what }));
      if (fixes.length > 0) {
        const all = fixes.reduce((first, more) => say('skillFiles.fixes', { first, more }));
        found('note', say('doctor.skillUnusable', { name, fixes: all }));
      }
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

export async function checkSandbox(): Promise<Finding[]> {
  const found = (state: State, detail: Wording): Finding[] => [{ name: 'sandbox', state, detail }];
  if (await hasSandbox()) return found('ok', say('doctor.sandbox'));
  if (process.platform !== 'linux') return found('note', say('doctor.noSandbox'));
  if ((await findBubblewrap()) === undefined) return found('note', say('doctor.installSandbox'));
  return found('note', sayRefused(await whyNoSandbox(), surroundings()));
}

interface Surroundings {
  isContainer: boolean;
  /** AppArmor keeps user namespaces from programs without a profile: Ubuntu's default. */
  isRestricted: boolean;
}

/**
 * Says who has to allow the sandbox, and how.
 * @param said what bubblewrap says
 */
export function sayRefused(said: string, { isContainer, isRestricted }: Surroundings): Wording {
  const why = said === '' ? '?' : said;
  // A container's options make no difference until this is allowed.
  if (isRestricted && /uid map|namespace/i.test(why)) return say('doctor.allowNamespaces', { why });
  return say(isContainer ? 'doctor.allowInContainer' : 'doctor.allowSandbox', { why });
}

/** Marks of Docker, Podman and Kubernetes. */
const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv', '/var/run/secrets/kubernetes.io'];
const RESTRICTION = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';

function surroundings(): Surroundings {
  return {
    isContainer: process.env.KUBERNETES_SERVICE_HOST !== undefined || CONTAINER_FILES.some((file) => existsSync(file)),
    isRestricted: existsSync(RESTRICTION) && readFileSync(RESTRICTION, 'utf8').trim() === '1',
  };
}
