/**
 * `show_changes`: shows what differs from the last commit or, on another branch than the default one, from where it
 * branched off. The model gets the diff, and people get it as a file. Runs no code of the project.
 */
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import { attached } from '../../../runtime/tools/artifacts.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import type { Json } from '../../../workspace/types.ts';
import { branchesOf, readGit, USUAL_BRANCHES } from '../commands/git.ts';
import { pathInProject } from '../files.ts';
import type { ProjectRun } from './run.ts';

const MAX_INLINE = 6_000;
const MAX_STAT = 6_000;
const MAX_DIFF = 5_000_000;
const MAX_UNTRACKED = 100;
/** The ID of the empty tree, which every repository knows. */
const NOTHING = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const input = z.object({ path: z.string().describe('a file or folder; all by default').exactOptional() });

export const showChanges = defineTool({
  name: 'show_changes',
  describe:
    'Show what differs from the last commit, or from the default branch: a summary, and the diff, which people get as a file.',
  input,
  effect: 'read',
  doing: 'doing.reading',
  async execute({ path = '.' }, run: ProjectRun, { signal }) {
    const { folder } = run.project();
    const names = pathInProject(run.project(), path);
    const below = names.length > 0 ? ['--', names.join('/')] : [];
    const read = (...args: string[]) => readGit(folder, ['--literal-pathspecs', ...args, ...below], signal);
    const base = await forkPointOf(folder, signal);
    const diff = ['diff', '--no-ext-diff', '--no-textconv', '--no-color'];
    const [stat, text, untracked] = await Promise.all([
      read(...diff, '--stat=100', base),
      read(...diff, base),
      read('ls-files', '--others', '--exclude-standard', '-z'),
    ]);
    if (stat === undefined || text === undefined || untracked === undefined)
      throw new UserError("git can't show changes here: the folder has no repository, or it is too large.");
    const fresh = untracked.split('\0').filter(Boolean);
    return {
      summary: stat.length > MAX_STAT ? `${stat.slice(0, MAX_STAT).toWellFormed()}…` : stat.trimEnd(),
      ...(fresh.length > 0 && { untracked: fresh.slice(0, MAX_UNTRACKED) }),
      ...(fresh.length > MAX_UNTRACKED && { moreUntracked: fresh.length - MAX_UNTRACKED }),
      ...(await shownDiff(text, run)),
    };
  },
});

/** Returns the commit where the current branch left the default one; on the default branch, its last commit. */
async function forkPointOf(folder: string, signal: AbortSignal): Promise<string> {
  const ask = async (...args: string[]) => (await readGit(folder, args, signal))?.trim();
  const { branch, main } = await branchesOf(folder);
  for (const name of main === branch ? [] : [main ?? USUAL_BRANCHES].flat()) {
    const left = await ask('merge-base', 'HEAD', `refs/heads/${name}`);
    if (left) return left;
  }
  return (await ask('rev-parse', '--verify', '--quiet', 'HEAD')) || NOTHING;
}

async function shownDiff(text: string, { scope }: ProjectRun): Promise<{ [key: string]: Json }> {
  if (text === '') return {};
  const isCut = text.length > MAX_DIFF;
  const content = Buffer.from((isCut ? text.slice(0, MAX_DIFF) : text).toWellFormed());
  const given = { title: 'Changes', name: 'changes.diff', type: 'text/x-diff', content, origin: 'agent' as const };
  const ref = await openTask(scope.home, scope.taskId).artifacts.create({ ...given, id: 'changes-diff' });
  return {
    ...attached(scope, ref),
    ...(isCut && { note: `It has only the first ${MAX_DIFF} characters.` }),
    diff:
      text.length <= MAX_INLINE
        ? text
        : `${text.slice(0, MAX_INLINE).toWellFormed()}\n… (${text.length} characters; read_file artifacts/… has all of it)`,
  };
}
