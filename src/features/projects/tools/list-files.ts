/** `list_files` for a project: its files by folder or by glob, without ignored ones. */
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import { useFolder } from '../../../lib/files/below.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import { listFiles as listTaskFiles } from '../../../runtime/tools/list-files.ts';
import { pathInProject } from '../files.ts';
import type { Project } from '../find.ts';
import { globMatcher } from '../glob.ts';
import { isIgnoredFolder, MAX_IN_FOLDER, walkProject } from '../walk.ts';
import type { ProjectRun } from './run.ts';

const MAX_ENTRIES = 1_000;
const DEPTH = 2;
const TIMEOUT_MS = 20_000;

const input = z.object({ path: z.string().exactOptional(), glob: z.string().exactOptional() });

export const listFiles = defineTool({
  name: 'list_files',
  replaces: true,
  describe:
    'List a folder of the project, two levels deep, or its files that match a glob (src/**/*.ts); path "artifacts": those of the task.',
  input,
  effect: 'read',
  doing: 'doing.files',
  isBeside: true,
  async execute({ path = '.', glob }, run: ProjectRun, options) {
    if (/^\s*(?:artifacts|workspace)(?:\/|\s*$)/.test(path))
      return listTaskFiles.execute(path.trim() === 'artifacts' ? {} : { path }, run, options);
    const project = run.project();
    const names = pathInProject(project, path);
    if (!(await useFolder(project.folder, names, () => true))) throw new UserError(`There is no folder "${path}".`);
    const { entries, cut } = await listed(project, names, glob, options.signal);
    const more =
      entries.length > MAX_ENTRIES
        ? 'There are more: name a folder or a narrower glob.'
        : cut !== undefined
          ? `Only the first ${MAX_IN_FOLDER} entries of ${cut} were checked.`
          : entries.length === 0 && (await isIgnoredFolder(project.folder, names))
            ? 'A .gitignore excludes this folder.'
            : undefined;
    return { project: project.name, entries: entries.slice(0, MAX_ENTRIES), ...(more && { more }) };
  },
});

interface Listing {
  /** One entry more than is shown, if there is one. */
  entries: string[];
  /** The path of a folder that was too large to list completely. */
  cut?: string;
}

async function listed(
  { folder }: Project,
  names: readonly string[],
  glob: string | undefined,
  signal: AbortSignal,
): Promise<Listing> {
  const matches = glob === undefined ? undefined : globMatcher(glob);
  const below = names.map((name) => `${name}/`).join('');
  const until = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const listing: Listing = { entries: [] };
  const range = {
    signal: until,
    ...(!matches && { depth: DEPTH }),
    onCut(at: readonly string[]) {
      listing.cut ??= `${at.join('/')}/`;
    },
  };
  try {
    for await (const { path, isFolder } of walkProject(folder, names, range)) {
      if (matches && (isFolder || !matches(path.slice(below.length)))) continue;
      if (listing.entries.push(path) > MAX_ENTRIES) break;
    }
  } catch (error) {
    if (error !== until.reason || signal.aborted) throw error;
    throw new UserError('Listing took too long: name a folder.', { cause: error });
  }
  return listing;
}
