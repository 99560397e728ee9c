/** Skills from elsewhere, as the owners of a chat add them. Loaded by the first of them who does. */
import type { Config } from '../../config.ts';
import { UserError } from '../../errors.ts';
import { reservedNames } from '../../features.ts';
import { serialise } from '../../lib/locks.ts';
import type { Logger } from '../../log.ts';
import { say } from '../../messages/messages.ts';
import type { SkillAdding } from '../../runtime/tools/skills/service.ts';
import { Adding } from '../../skills/add/add.ts';
import type { Home } from '../../workspace/home.ts';

export interface OpenAddingOptions {
  config: Pick<Config, 'skills'>;
  home: Pick<Home, 'skills' | 'cache'>;
  log: Logger;
  /** Others see what has changed. */
  onChange(): Promise<void>;
  /** The gateway ends. */
  signal: AbortSignal;
}

export function openAdding({ config, home, log, onChange, signal }: OpenAddingOptions): SkillAdding {
  const adding = new Adding({
    root: home.skills,
    cache: home.cache,
    reserved: reservedNames(),
    allowedOrigins: config.skills.webOrigins,
    registry: config.skills.registry,
    signal,
  });
  /** Whoever waits for a look is told how it went, whatever went wrong. */
  async function logged<T>(work: () => Promise<T>): Promise<T> {
    try {
      // One after the other: each may hold what a source may have.
      return await serialise('skills that are looked at', work);
    } catch (error) {
      if (error instanceof UserError) throw error;
      log.error({ err: error }, 'a skill could not be looked at');
      throw new UserError(say('adding.failed'), { cause: error });
    }
  }
  return {
    look: (typed, names, cwd) => logged(() => adding.look(typed, names, cwd)),
    lookForUpdates: (names) => logged(() => adding.lookForUpdates(names)),
    lookBeforeRemoval: (name) => adding.lookBeforeRemoval(name),
    drop: (id) => adding.drop(id),
    async take(id, by) {
      const names = await adding.take(id, by);
      await onChange();
      return names;
    },
    async remove(name) {
      const kept = await adding.remove(name);
      await onChange();
      return kept;
    },
  };
}
