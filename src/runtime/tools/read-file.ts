/** `read_file`: reads an artifact or a workspace file as text, page by page. */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import { defineTool } from '../contract/tool.ts';
import { toEverybody } from './offered.ts';
import { type FoundFile, splitArea, useFound } from './paths.ts';
import { readStoredPage, readTextPage } from './read-text.ts';
import type { CoreRun } from './run.ts';

const input = z.object({ path: z.string(), offset: z.number().exactOptional() });

export const readFile = defineTool({
  name: 'read_file',
  describe:
    'Read an artifact (id or name) or workspace/...: text, documents, recordings. Up to 64 KB; go on at offset = next.',
  input,
  effect: 'read',
  doing: 'doing.reading',
  about: { argument: 'path', doing: 'doing.readingThis' },
  ability: { line: 'work', words: 'read what they send' },
  offered: toEverybody,
  async execute({ path: given, offset = 0 }, { scope }: CoreRun, { signal }) {
    const linked = scope.readLink?.(given, signal);
    if (linked) return linked;
    const { rest } = splitArea(scope, given);
    if (rest.toLowerCase() === 'task.md') {
      // The workspace's task.md shows the current task's plan; the model means its own task's.
      const plan = await openTask(scope.home, scope.taskId).plan.read();
      if (!plan) throw new UserError('This task has no plan yet.');
      return { path: 'task.md', text: plan.text };
    }
    const read = async ({ label, type, name, ref, path, fd }: FoundFile) => {
      if (ref && scope.onShown?.(ref)) return { path: label, shown: 'The picture follows.' };
      const said = await scope.textOf?.({ path, name, ...(type ? { type } : {}) }, signal);
      return {
        path: label,
        ...(await (said ? readStoredPage(said.file, label, offset) : readTextPage(fd, label, offset, type))),
      };
    };
    return useFound(scope, given, read, signal);
  },
});
