/**
 * `viber skills`: lists a viber's skills, what they lack and files that don't load; adds, updates and removes skills.
 * Runs no skill.
 */
import { loadConfig } from '../../../config.ts';
import { UserError } from '../../../errors.ts';
import { type Messages, messagesIn, say, type Wording } from '../../../messages/messages.ts';
import { type CliContext, type CliServices, EXIT } from '../../../runtime/contract/cli.ts';
import { canBe } from '../command/skills.ts';
import type { SkillView } from '../service.ts';

/** Replaces control characters: a file's name must not control the terminal. */
const printableFile = (file: string) => file.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd');

/** Uses the files directly, so it works with and without a running gateway. */
export async function run(context: CliContext, cli: CliServices): Promise<number> {
  const [verb] = context.args;
  if (verb === undefined || verb === 'list') return printSkills(context, cli);
  return (await import('./change.ts')).runChange(context, cli);
}

function stateForTerminal(skill: SkillView, messages: Messages): string {
  if (skill.isUsable) return messages.said(canBe(skill));
  return skill.lacks.length > 0
    ? messages.text('cli.lacks', { what: skill.lacks.join(', ') })
    : messages.text('cli.unusable');
}

async function printSkills(
  { args, home: root, config: file, env, json, print, messages }: CliContext,
  { at }: CliServices,
): Promise<number> {
  const [, viber] = args;
  const [{ config }, { DEFAULT_VIBER, listVibers, openHome }, { catalogAt, healthAt }, { listSkills }] =
    await Promise.all([
      loadConfig({ file, home: root, env }),
      import('../../../workspace/home.ts'),
      import('../catalog.ts'),
      import('../service.ts'),
    ]);
  const all = listVibers(await openHome(root));
  if (viber !== undefined && !all.includes(viber))
    throw new UserError(say('cli.noViber', { name: printableFile(viber.slice(0, 80)), all: all.join(', ') }));
  const here = await at(config);
  const skills = catalogAt(here);
  const listed = await listSkills(skills, healthAt(here), viber ?? DEFAULT_VIBER);
  await skills.close();
  if (json) {
    const english = (all: readonly Wording[]) => all.map(messagesIn('en').said);
    const programs = listed.skills.map((each) => ({
      ...each,
      warnings: english(each.warnings),
      fixes: english(each.fixes),
    }));
    const problems = listed.problems.map(({ file: of, reason }) => ({
      file: of,
      reason: messagesIn('en').said(reason),
    }));
    print(JSON.stringify({ skills: programs, problems }));
    return EXIT.ok;
  }
  for (const skill of listed.skills) {
    print(`${skill.name}  ${skill.level}  ${stateForTerminal(skill, messages)}`);
    for (const said of [...skill.fixes, ...skill.warnings]) print(`  ${messages.said(said)}`);
  }
  for (const problem of listed.problems)
    print(
      `${messages.text('cli.notLoaded', { file: printableFile(problem.file) })}\n  ${messages.said(problem.reason).replaceAll('\n', '\n  ')}`,
    );
  if (listed.skills.length === 0) print(messages.text('cli.noSkills'));
  return EXIT.ok;
}
