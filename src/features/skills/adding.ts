/** Lets owners add skills from elsewhere in a chat. Loaded on first use. */
import type { Config } from '../../config.ts';
import { UserError } from '../../errors.ts';
import { serialise } from '../../lib/locks.ts';
import type { Logger } from '../../log.ts';
import { say } from '../../messages/messages.ts';
import { Adding } from '../../skills/add/add.ts';
import type { SkillAdding } from './service.ts';

export interface OpenAddingOptions {
  config: Pick<Config, 'skills'>;
  home: { skills: string; cache: string };
  reserved: readonly string[];
  log: Logger;
  onChange(): Promise<void>;
  signal: AbortSignal;
}

export function openAdding({ config, home, reserved, log, onChange, signal }: OpenAddingOptions): SkillAdding {
  const adding = new Adding({
    root: home.skills,
    cache: home.cache,
    reserved,
    allowedOrigins: config.skills.webOrigins,
    registry: config.skills.registry,
    signal,
  });
  /** Logs an unexpected error and reports it to the person who waits. */
  async function logged<T>(work: () => Promise<T>): Promise<T> {
    try {
      // One at a time, since each may use as much memory as a source may have.
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
