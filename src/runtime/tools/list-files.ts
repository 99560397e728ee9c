/** `list_files`: the task's artifacts and the top of the workspace, or one folder of the workspace. */
import { type Dirent, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { errorCode, UserError } from '../../errors.ts';
import { listArtifacts } from '../../workspace/artifacts.ts';
import type { Json } from '../../workspace/types.ts';
import { defineTool, type ToolScope } from '../contract/tool-scope.ts';
import { isSecret, resolveIn, splitArea } from './paths.ts';

/** Entries of one answer; a model that needs more names a folder. */
const MAX_ENTRIES = 200;

const input = z.object({ path: z.string().exactOptional() });

export const listFiles = (scope: ToolScope) =>
  defineTool({
    name: 'list_files',
    description: "List this task's artifacts and your workspace, or one workspace/ folder.",
    input,
    effect: 'read',
    async execute({ path: given = '' }) {
      const { area, rest } = splitArea(scope, given);
      if (area === undefined && rest === '' && scope.isGuest) return { artifacts: await artifacts(scope) };
      if (area === undefined && rest === '')
        return { artifacts: await artifacts(scope), workspace: await folder(scope, '') };
      if (area === 'task' && rest === '') return { artifacts: await artifacts(scope) };
      return { workspace: await folder(scope, rest) };
    },
  });

/** The newest first. */
async function artifacts({ home, taskId }: ToolScope): Promise<Json[]> {
  const metas = (await listArtifacts(home, taskId)).reverse();
  const shown: Json[] = metas.slice(0, MAX_ENTRIES).map(({ id, title, type, size }) => ({ id, title, type, size }));
  return metas.length > MAX_ENTRIES ? [...shown, `... and ${metas.length - MAX_ENTRIES} older`] : shown;
}

/** `name (bytes)` for files, `name/` for folders, paths as read_file takes them. Links, hidden files and credentials are left out. */
async function folder(scope: ToolScope, rest: string): Promise<Json[]> {
  const dir = await resolveIn(scope, 'workspace', rest);
  const entries = readFolder(dir, rest).filter(
    (entry) => (entry.isFile() || entry.isDirectory()) && !entry.name.startsWith('.') && !isSecret(entry.name),
  );
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines = entries.slice(0, MAX_ENTRIES).map((entry) => {
    const name = ['workspace', ...(rest ? [rest] : []), entry.name].join('/');
    if (entry.isDirectory()) return `${name}/`;
    return `${name} (${statSync(path.join(dir, entry.name), { throwIfNoEntry: false })?.size ?? 0} bytes)`;
  });
  return entries.length > MAX_ENTRIES ? [...lines, `... and ${entries.length - MAX_ENTRIES} more`] : lines;
}

function readFolder(dir: string, rest: string): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
    throw new UserError(`There is no folder "workspace/${rest}".`);
  }
}
