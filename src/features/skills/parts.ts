/** Opens the catalog of skills with its health checks, as one unit: loaded when the first run needs it. */
import path from 'node:path';
import { isShared } from '../../lib/locks.ts';
import { recover } from '../../skills/add/recover.ts';
import { hasSandbox } from '../../skills/sandbox.ts';
import type { Gateway } from '../gateway.ts';
import { catalogAt, healthAt } from './catalog.ts';
import { createUsable, offerSkills } from './offer.ts';
import { findSkill, listSkills } from './service.ts';

/** The watcher's library takes longer to load than a first answer should wait, in ms. */
const WATCH_AFTER_MS = 2_000;
/** The polling interval if several machines share the home, in ms. */
const LOOK_MS = 5_000;

export type OpenSkills = Awaited<ReturnType<typeof openSkills>>;

export async function openSkills({ config, home, log, features }: Gateway, sandbox: boolean) {
  const at = { config, home: home.root, reserved: features.reserved, natives: features.natives };
  const skills = catalogAt(at, {
    log,
    watchAfterMs: WATCH_AFTER_MS,
    lookEveryMs: isShared(home.root) ? LOOK_MS : undefined,
    keptIn: path.join(home.cache, 'skills.jsonl'),
  });
  try {
    recover(home.skills);
  } catch (err) {
    log.warn({ err }, 'could not repair the skills after a crash');
  }
  const reading = skills.start();
  const isSandboxed = sandbox && (await hasSandbox());
  const health = healthAt(at, isSandboxed);
  return {
    skills,
    reading,
    health,
    usable: createUsable(skills, health),
    isSandboxed,
    offerSkills,
    listSkills,
    findSkill,
  };
}
