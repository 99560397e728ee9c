/**
 * `viber skills`: lists a viber's skills, what they lack and files that don't load; adds, updates and removes skills.
 * Runs no skill.
 */
import path from 'node:path';
import { loadConfig } from '../../config.ts';
import { UserError } from '../../errors.ts';
import { silentLog } from '../../log.ts';
import { messagesIn } from '../../messages/messages.ts';
import { canBe } from '../../runtime/commands/skills/skills.ts';
import { type CliContext, EXIT } from '../../runtime/contract/cli.ts';
import type { SkillView } from '../../runtime/tools/skills/service.ts';

/** Replaces control characters: a file's name must not control the terminal. */
const visible = (file: string) => file.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd');

/** Uses the files directly, so it works with and without a running gateway. */
export async function run(context: CliContext): Promise<number> {
  const [verb] = context.args;
  if (verb === undefined || verb === 'list') return list(context);
  return (await import('./change.ts')).change(context);
}

/** Returns the state in the words of /skills. */
function stateOf(skill: SkillView): string {
  if (skill.isUsable) return messagesIn('en').said(canBe(skill));
  return skill.lacks.length > 0 ? `lacks ${skill.lacks.join(', ')}` : 'cannot be used';
}

async function list({ args, home: root, config: file, env, json, print }: CliContext): Promise<number> {
  const [, viber] = args;
  const [
    { config },
    { DEFAULT_VIBER, openHome },
    { bundledSkills, Skills },
    { openHealth },
    service,
    { reservedNames },
    { listVibers },
  ] = await Promise.all([
    loadConfig({ file, home: root, env }),
    import('../../workspace/home.ts'),
    import('../../skills/catalog.ts'),
    import('../../skills/health.ts'),
    import('../../runtime/tools/skills/service.ts'),
    import('../../features.ts'),
    import('../../workspace/vibers.ts'),
  ]);
  const home = await openHome(root);
  const all = listVibers(home);
  if (viber !== undefined && !all.includes(viber))
    throw new UserError(`There is no viber "${visible(viber.slice(0, 80))}". There is: ${all.join(', ')}.`);
  const skills = new Skills({
    bundled: bundledSkills(),
    user: home.skills,
    reserved: reservedNames(),
    log: silentLog(),
    watch: false,
    without: service.switchedOff(config.skills),
    viber: (id) => path.join(home.viberDir(id), 'skills'),
  });
  const health = openHealth({
    granted: config.skills.env,
    isNative: service.isNative,
    needsSandbox: service.needsSandbox,
  });
  const listed = await service.listSkills(skills, health, viber ?? DEFAULT_VIBER);
  await skills.close();
  if (json) {
    print(JSON.stringify(listed));
    return EXIT.ok;
  }
  for (const skill of listed.skills) {
    print(`${skill.name}  ${skill.level}  ${stateOf(skill)}`);
    for (const fix of [...skill.fixes, ...skill.warnings]) print(`  ${fix}`);
  }
  for (const problem of listed.problems)
    print(`${visible(problem.file)}  not loaded\n  ${problem.reason.replaceAll('\n', '\n  ')}`);
  if (listed.skills.length === 0) print('There are no skills; put one into skills/NAME/SKILL.md of the home.');
  return EXIT.ok;
}
