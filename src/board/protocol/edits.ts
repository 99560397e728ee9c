/** Files that people edit, written through the same doors as an editor's save: what was changed meanwhile is never written over. */
import type { Principal } from '../../access/principal.ts';
import { editText, hashText, readTextSync } from '../../lib/files.ts';
import { exclusively } from '../../lib/locks.ts';
import { guardPath } from '../../lib/path-guard.ts';
import { DEFAULT_VIBER, type Home } from '../../workspace/home.ts';
import { readPlan, writePlan } from '../../workspace/plan/plan.ts';
import { isViber } from '../../workspace/vibers.ts';
import { Refused } from '../respond.ts';
import type { ProtocolParts } from './parts.ts';
import { Conflict, steeredTask } from './refusals.ts';
import type { CommandOf } from './schemas.ts';

export interface Written {
  hash: string;
  text: string;
}

/** Of a file that is not there. */
export const NO_HASH = '';

export async function writePlanText(
  { taskId, text, baseHash }: CommandOf<'plan:write'>,
  by: Principal,
  to: Pick<ProtocolParts, 'home' | 'maySee'>,
): Promise<{ taskId: string } & Written> {
  const { viber } = steeredTask(taskId, by, to);
  const before = await readPlan(to.home, taskId, viber);
  if (before === undefined && baseHash !== NO_HASH) throw new Conflict({ text: '', hash: NO_HASH });
  const written = await writePlan(to.home, taskId, text, { baseHash });
  if (written.written) return { taskId, text: written.text, hash: written.hash };
  throw new Conflict({ text: written.current, hash: hashText(written.current) });
}

/** What people write to shape a viber, and its memory. */
const EDITABLE = /^(AGENTS|SOUL|TOOLS|USER|IDENTITY|MEMORY)\.md$|^memory\/\d{4}-\d{2}-\d{2}\.md$/;

export const isEditable = (name: string): boolean => EDITABLE.test(name);

/** Where such a file of a viber is. Throws Refused for any other name. */
export async function editableFile(home: Home, viber: string, name: string): Promise<string> {
  if (!isEditable(name) || !isViber(home, viber))
    throw new Refused(404, 'not_found', 'There is no such file to edit.', 'name');
  return guardPath(home.viberDir(viber), name);
}

export async function writeFile(
  { name, viberId = DEFAULT_VIBER, text, baseHash }: CommandOf<'file:write'>,
  by: Principal,
  { home }: Pick<ProtocolParts, 'home'>,
): Promise<{ name: string } & Written> {
  if (by.role !== 'owner') throw new Refused(403, 'forbidden', 'Only an owner may do this.');
  const file = await editableFile(home, viberId, name);
  return exclusively(file, async () => {
    let current: string | undefined;
    const change = (stands: string | undefined) => {
      current = stands;
      const isBase = (stands === undefined ? NO_HASH : hashText(stands)) === baseHash;
      return isBase || stands === text ? text : undefined;
    };
    const stands = await editText(file, change, { read: () => readTextSync(file) });
    if (stands === text) return { name, text, hash: hashText(text) };
    throw new Conflict({ text: current ?? '', hash: current === undefined ? NO_HASH : hashText(current) });
  });
}
