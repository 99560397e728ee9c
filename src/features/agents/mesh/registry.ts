/**
 * The registry of agents: one file each, `agents/{id}.yaml`, found by listing the folder. No agent registers itself.
 */
import fs from 'node:fs';
import { joinWarnings, loadAgent } from '../../../config.ts';
import { UserError } from '../../../errors.ts';
import { createStatCache } from '../../../lib/files/cache.ts';
import { say } from '../../../messages/messages.ts';
import { type Home, isId } from '../../../workspace/home.ts';

export interface Registry {
  /** Returns the IDs, sorted. */
  ids(): readonly string[];
  /** Returns the agent with this ID, or with the same letters and digits (`QA Engineer` is `qa-engineer`). */
  find(name: string): string | undefined;
  /**
   * Returns its settings.
   * @throws {UserError} if its file can't be used, because it must not work without its limits
   */
  load(id: string): ReturnType<typeof loadAgent>;
}

const MAX_NAME = 64;
const SUFFIX = '.yaml';

const folders = createStatCache<readonly string[]>(4, (folder) =>
  fs
    .readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX) && isId(name.slice(0, -SUFFIX.length)))
    .map((name) => name.slice(0, -SUFFIX.length))
    .sort(),
);

/** The form of agents' names; anything else matches no agent. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u;

const lettersOnly = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

export function createRegistry(home: Home): Registry {
  const ids = () => folders.get(home.agents) ?? [];
  return {
    ids,
    find(name) {
      if (name.length > MAX_NAME || !NAME.test(name.trim())) return undefined;
      const exact = ids().find((id) => id === name.trim().toLowerCase());
      const wanted = lettersOnly(name);
      return exact ?? (wanted === '' ? undefined : ids().find((id) => lettersOnly(id) === wanted));
    },
    async load(id) {
      const file = await loadAgent(home.root, id);
      if (file.isBroken) {
        throw new UserError(say('vibers.agentBroken', { id, why: joinWarnings(file.warnings) }));
      }
      return file;
    },
  };
}
