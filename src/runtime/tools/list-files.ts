/** `list_files`: lists the task's artifacts and the top of the workspace, or one folder of the workspace. */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { type HeldFolder, useFolder } from '../../lib/files/below.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { Json } from '../../workspace/types.ts';
import { defineTool } from '../contract/tool.ts';
import type { ToolScope } from '../contract/tool-scope.ts';
import { toEverybody } from './offered.ts';
import { inPlace, isSecret, placeIn, splitArea } from './paths.ts';
import type { CoreRun } from './run.ts';

/** A model that needs more names a folder. */
const MAX_ENTRIES = 200;

const input = z.object({ path: z.string().exactOptional() });

export const listFiles = defineTool({
  name: 'list_files',
  describe: "List this task's artifacts and your workspace, or one workspace/ folder.",
  input,
  effect: 'read',
  doing: 'doing.files',
  offered: toEverybody,
  async execute({ path: given = '' }, { scope }: CoreRun, { signal }) {
    const { area, rest } = splitArea(scope, given);
    if (area === undefined && rest === '' && scope.isGuest) return { artifacts: await artifacts(scope) };
    if (area === undefined && rest === '')
      return { artifacts: await artifacts(scope), workspace: await folder(scope, '', signal) };
    if (area === 'task' && rest === '') return { artifacts: await artifacts(scope) };
    return { workspace: await folder(scope, rest, signal) };
  },
});

async function artifacts({ home, taskId }: ToolScope): Promise<Json[]> {
  const metas = openTask(home, taskId).artifacts.list().reverse();
  const shown: Json[] = metas.slice(0, MAX_ENTRIES).map(({ id, title, type, size }) => ({ id, title, type, size }));
  return metas.length > MAX_ENTRIES ? [...shown, `... and ${metas.length - MAX_ENTRIES} older`] : shown;
}

/** Leaves out links, hidden files and credentials. */
async function folder(scope: ToolScope, rest: string, signal: AbortSignal): Promise<Json[]> {
  const place = placeIn(scope, 'workspace', rest);
  const list = (held: HeldFolder): Json[] => {
    const entries = held
      .entries()
      .filter((one) => (one.isFile || one.isFolder) && !one.name.startsWith('.') && !isSecret(one.name));
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const lines = entries.slice(0, MAX_ENTRIES).map(({ name, isFolder }) => {
      const whole = ['workspace', ...(rest ? [rest] : []), name].join('/');
      return isFolder ? `${whole}/` : `${whole} (${held.stat(name)?.size ?? 0} bytes)`;
    });
    return entries.length > MAX_ENTRIES ? [...lines, `... and ${entries.length - MAX_ENTRIES} more`] : lines;
  };
  const listed = await inPlace(place, () => useFolder(place.root, place.names, list), signal);
  if (!listed) throw new UserError(`There is no folder "workspace/${rest}".`);
  return listed;
}
