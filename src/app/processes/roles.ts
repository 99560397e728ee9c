/**
 * The roles of this process: `ingress` accepts messages, `work` runs them, `deliver` sends answers. Each process
 * announces its roles every few seconds, so that all of them can tell when a role is missing.
 */
import type { EngineRole } from '../../config/sections/engine.ts';
import type { Config } from '../../config.ts';
import type { State } from '../../engine/engine.ts';
import type { Logger } from '../../log.ts';

const ALL: readonly EngineRole[] = ['ingress', 'work', 'deliver'];
/** The interval between two announcements, and how long one counts, in ms. */
const BEAT_MS = 5_000;
const HELD_MS = 16_000;

export interface Roles {
  readonly own: readonly EngineRole[];
  has(role: EngineRole): boolean;
  /** Returns the roles that no process has now; empty if this can't be determined. */
  missing(): Promise<EngineRole[]>;
  start(): void;
  close(): void;
}

export function rolesOf({ kind, roles }: Config['engine'], state: State, log: Logger): Roles {
  const own = kind === 'local' ? ALL : ALL.filter((role) => roles.includes(role));
  const has = (role: EngineRole) => own.includes(role);
  let timer: NodeJS.Timeout | undefined;

  async function say(): Promise<void> {
    try {
      await Promise.all([...own.map(roleKey), HERE].map((key) => state.set(key, '1', HELD_MS)));
    } catch (error) {
      log.debug({ err: error }, 'the roles of this process could not be announced');
    }
  }

  return {
    own,
    has,
    async missing() {
      // A process that runs alone has every role.
      if (kind === 'local') return [];
      const others = ALL.filter((role) => !has(role));
      const known = await Promise.all(others.map((role) => state.get(roleKey(role))));
      return others.filter((_, n) => known[n] === undefined);
    },
    start() {
      if (kind === 'local') return;
      void say();
      timer = setInterval(() => void say(), BEAT_MS).unref();
    },
    close() {
      if (timer === undefined) return;
      clearInterval(timer);
      // Don't wait for a server that is unreachable.
      state
        .delete(HERE)
        .catch((error: unknown) => log.debug({ err: error }, 'the end of this process could not be announced'));
    },
  };
}

const roleKey = (role: EngineRole): string => `role:${role}`;
/**
 * The key that shows that somebody uses this server. Deleted when a process stops; remaining processes set it again.
 */
const HERE = 'here';
