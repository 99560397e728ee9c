/**
 * `viber import`: imports the files of another assistant into the home. Shows what it would do, writes only with --yes,
 * and never overwrites.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { errorCode } from '../../../errors.ts';
import { type CliContext, type CliServices, EXIT } from '../../../runtime/contract/cli.ts';
import { openHome } from '../../../workspace/home.ts';
import { TEMPLATES } from '../../../workspace/templates.ts';
import { planOpenClaw } from '../openclaw.ts';
import type { Plan } from '../plan.ts';

const FATES = {
  'there already': 'cli.importThere',
  'the same file exists': 'cli.importSame',
  'written beside yours': 'cli.importBeside',
} as const;
type Fate = 'written' | keyof typeof FATES;

export async function run(
  { args, home, env, json, print, switches, messages }: CliContext,
  cli: CliServices,
): Promise<number> {
  const source = path.resolve(args[1] ?? path.join(env.HOME || os.homedir(), '.openclaw'));
  const plan = await planOpenClaw(source, new Date(), cli);
  const isReal = switches.has('yes');
  if (isReal) await openHome(home);
  const done = plan.writes.map((write) => ({ to: write.to, from: write.from, fate: put(home, write, isReal) }));
  if (json) print(JSON.stringify({ home, done: isReal, files: done, notes: plan.notes }));
  else {
    print(messages.text(isReal ? 'cli.imported' : 'cli.wouldImport', { source, home }));
    for (const { to, fate } of done) print(`  ${to}${fate === 'written' ? '' : `  ${messages.text(FATES[fate])}`}`);
    if (done.length === 0) print(`  ${messages.text('cli.nothing')}`);
    if (plan.notes.length > 0) print(messages.text('cli.leftToYou'));
    for (const note of plan.notes) print(`  ${note}`);
    if (!isReal) print(messages.text('cli.addYes'));
  }
  return EXIT.ok;
}

/**
 * Replaces an untouched template, but nothing that somebody wrote. Texts about persona and memory are put beside the
 * existing ones.
 */
function put(home: string, { to, content }: Plan['writes'][number], isReal: boolean): Fate {
  const file = path.join(home, to);
  const present = fs.existsSync(file) ? fs.readFileSync(file) : undefined;
  if (present?.equals(content)) return 'the same file exists';
  const isTemplate =
    present !== undefined && to.startsWith('workspace/') && present.toString() === TEMPLATES[path.basename(to)];
  if (present === undefined || isTemplate)
    return isReal && !createImported(file, content, isTemplate) ? 'there already' : 'written';
  if (!/^workspace\/[^/]+\.md$/.test(to)) return 'there already';
  const beside = file.replace(/\.md$/, '.openclaw.md');
  if (fs.existsSync(beside)) return 'there already';
  return isReal && !createImported(beside, content, false) ? 'there already' : 'written beside yours';
}

/** Returns false if the file was created in the meantime. */
function createImported(file: string, content: Buffer, isTemplate: boolean): boolean {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    fs.writeFileSync(file, content, { mode: 0o600, flag: isTemplate ? 'w' : 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}
