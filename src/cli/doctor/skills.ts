/** Checks skills, the sandbox of their scripts, and MCP servers. Servers are started; scripts are not run. */
import path from 'node:path';
import type { Config } from '../../config.ts';
import { errorMessage } from '../../errors.ts';
import { reservedNames } from '../../features.ts';
import { silentLog } from '../../log.ts';
import {
  isNative,
  needsSandbox,
  type SurveyedServer,
  surveyServers,
  switchedOff,
} from '../../runtime/tools/skills/service.ts';
import { bundledSkills, Skills } from '../../skills/catalog.ts';
import { openHealth } from '../../skills/health.ts';
import { findBubblewrap, hasSandbox } from '../../skills/sandbox.ts';
import type { Skill } from '../../skills/skill.ts';
import { DEFAULT_VIBER, vibersOf } from '../../workspace/home.ts';
import type { Finding } from './finding.ts';

type State = Finding['state'];

/** Checks the skills of all vibers, each file once. */
export async function checkSkills(config: Config, home: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  const found = (state: State, detail: string) => findings.push({ name: 'skills', state, detail });
  const folderOf = (viber: string) => (viber === DEFAULT_VIBER ? 'workspace' : path.join('vibers', viber));
  const skills = new Skills({
    bundled: bundledSkills(),
    user: path.join(home, 'skills'),
    reserved: reservedNames(),
    watch: false,
    without: switchedOff(config.skills),
    log: silentLog(),
    viber: (viber) => path.join(home, folderOf(viber), 'skills'),
  });
  try {
    await skills.start();
    const vibers = vibersOf({ root: home });
    await Promise.all(vibers.map((viber) => skills.open(viber)));
    const health = openHealth({ granted: config.skills.env, isNative, needsSandbox });
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
      if (fixes.length > 0) found('note', `${skill.name} cannot be used: ${fixes.join('; ')}`);
    }
    const names = new Set([...all.values()].map(({ name }) => name));
    for (const name of Object.keys(config.skills.env).filter((each) => !names.has(each))) {
      found('note', `skills.env.${name}: there is no skill of this name`);
    }
    found('ok', usable === all.size ? `all ${usable} can be used` : `${usable} of ${all.size} can be used`);
  } catch (error) {
    found('wrong', `they cannot be read: ${errorMessage(error)}`);
  } finally {
    await skills.close();
  }
  return findings.reverse();
}

/** Reports whether the sandbox works here, and what follows if it doesn't. */
export async function checkSandbox(): Promise<Finding[]> {
  const found = (state: State, detail: string): Finding[] => [{ name: 'sandbox', state, detail }];
  if (await hasSandbox()) return found('ok', 'bubblewrap works: scripts of skills see their own folders only');
  const without = 'without it scripts of skills can reach what the gateway can, and a person is asked before each';
  if (process.platform !== 'linux') return found('note', `there is none on this system: ${without}`);
  const isThere = (await findBubblewrap()) !== undefined;
  const fix = isThere
    ? 'bubblewrap is there, but this machine refuses it (in a container: allow user namespaces)'
    : 'install the package bubblewrap';
  return found('note', `${fix}: ${without}`);
}

/** Starts or calls each server and lists its tools. */
export async function checkServers({ mcp }: Config): Promise<Finding[]> {
  const servers = Object.keys(mcp).length > 0 ? await surveyServers(mcp) : [];
  return servers.flatMap(ofServer);
}

function ofServer({ name, state, tools, asking, missing, problem }: SurveyedServer): Finding[] {
  const found = (how: State, detail: string): Finding => ({ name: 'mcp', state: how, detail });
  if (state !== 'connected') return [found('wrong', problem ?? `mcp.${name} does not answer`)];
  const asks =
    asking === 0
      ? 'none waits'
      : asking === tools
        ? 'each waits'
        : `${asking} of them ${asking === 1 ? 'waits' : 'wait'}`;
  const count = tools === 1 ? '1 tool' : `${tools} tools`;
  return [
    found('ok', tools === 0 ? `${name} answers, and has no tools` : `${name} has ${count}; ${asks} for consent`),
    ...missing.map((tool) => found('note', `mcp.${name}.tools: ${name} offers no tool "${tool}"`)),
  ];
}
