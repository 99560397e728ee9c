/** `search_files`: searches a project's lines with a regular expression. */
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import { pathInProject } from '../files.ts';
import { MAX_HITS, searchProject } from '../search.ts';
import type { ProjectRun } from './run.ts';

const MAX_CONTEXT = 10;

const input = z.object({
  pattern: z.string().min(1).max(1_000),
  path: z.string().exactOptional(),
  glob: z.string().exactOptional(),
  context: z.number().exactOptional(),
  ignoreCase: z.boolean().exactOptional(),
});

export const searchFiles = defineTool({
  name: 'search_files',
  describe: 'Search the project by a regular expression; 200 hits at most.',
  input,
  effect: 'read',
  doing: 'doing.searchingFiles',
  about: { argument: 'pattern', doing: 'doing.searchingFilesFor' },
  isBeside: true,
  async execute({ pattern, path = '.', glob, context = 0, ignoreCase = false }, run: ProjectRun, { signal }) {
    const project = run.project();
    if (/[\r\n]/.test(pattern)) throw new UserError('Patterns match within a line: search for one line of it.');
    const order = {
      folder: project.folder,
      names: pathInProject(project, path),
      pattern,
      context: Math.min(Math.max(0, Math.floor(context)), MAX_CONTEXT),
      ignoreCase,
      ...(glob !== undefined && { glob: glob.trim() }),
    };
    const { lines, hits, isCut } = await searchProject(order, signal);
    if (hits === 0 && lines.length === 0) return { hits: 0 };
    const more = `Only the first ${MAX_HITS} hits or 20 KB are shown: name a folder, a glob or a narrower pattern.`;
    return { hits, lines: lines.join('\n'), ...(isCut && { more }) };
  },
});
