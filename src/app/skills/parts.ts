/** Opens the catalog of skills with its health checks and offers, as one unit: loaded when the first run needs it. */

import path from 'node:path';
import type { Config } from '../../config.ts';
import { reservedNames } from '../../features.ts';
import { isShared } from '../../lib/locks.ts';
import type { Logger } from '../../log.ts';
import { findSkill, isNative, listSkills, needsSandbox, switchedOff } from '../../runtime/tools/skills/service.ts';
import { createUsable, offerSkills } from '../../runtime/tools/skills.ts';
import { recover } from '../../skills/add/recover.ts';
import { bundledSkills, Skills } from '../../skills/catalog.ts';
import { openHealth } from '../../skills/health.ts';
import { hasSandbox } from '../../skills/sandbox.ts';
import type { Home } from '../../workspace/home.ts';

/** The watcher's library takes longer to load than a first answer should wait, in ms. */
const WATCH_AFTER_MS = 2_000;
/** The polling interval if several machines share the home, in ms. */
const LOOK_MS = 5_000;

export type SkillParts = Awaited<ReturnType<typeof openSkillParts>>;

export async function openSkillParts(options: {
  config: Pick<Config, 'skills'>;
  home: Home;
  log: Logger;
  /** If false, scripts run without a sandbox even if there is one. */
  sandbox: boolean;
}) {
  const { config, home, log } = options;
  const skills = new Skills({
    bundled: bundledSkills(),
    user: home.skills,
    reserved: reservedNames(),
    log,
    watchAfterMs: WATCH_AFTER_MS,
    lookEveryMs: isShared(home.root) ? LOOK_MS : undefined,
    without: switchedOff(config.skills),
    viber: (viber) => path.join(home.viberDir(viber), 'skills'),
    keptIn: path.join(home.cache, 'skills.jsonl'),
  });
  try {
    recover(home.skills);
  } catch (err) {
    log.warn({ err }, 'what a crash has left of skills could not be put right');
  }
  const reading = skills.start();
  const isSandboxed = options.sandbox && (await hasSandbox());
  const health = openHealth({ granted: config.skills.env, isNative, needsSandbox, sandbox: isSandboxed });
  return {
    skills,
    reading,
    health,
    offerSkills,
    listSkills,
    findSkill,
    usable: createUsable(skills, health),
    isSandboxed,
  };
}
