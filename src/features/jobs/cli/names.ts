/** Collects the names that jobs may use, from files and the configuration. Starts no server and asks no model. */
import path from 'node:path';
import type { Config } from '../../../config.ts';
import { silentLog } from '../../../log.ts';
import { createModels } from '../../../runtime/model/models.ts';
import { knownNames } from '../../../runtime/tools/skills/known-names.ts';
import { switchedOff } from '../../../runtime/tools/skills/service.ts';
import { bundledSkills, Skills } from '../../../skills/catalog.ts';
import { DEFAULT_VIBER } from '../../../workspace/home.ts';
import type { Job } from '../job.ts';
import { JobNames } from '../names.ts';

export interface NamesHere {
  config: Config;
  root: string;
  env: NodeJS.ProcessEnv;
  /** Names that no skill may have. */
  reserved: readonly string[];
}

/** Returns the names that these jobs may use. Looks them up once. */
export async function namesOf(jobs: readonly Job[], { config, root, env, reserved }: NamesHere): Promise<JobNames> {
  const models = createModels({ providers: config.providers, env });
  const catalog = new Skills({
    bundled: bundledSkills(),
    user: path.join(root, 'skills'),
    reserved,
    log: silentLog(),
    watch: false,
    without: switchedOff(config.skills),
    viber: (id) => path.join(root, id === DEFAULT_VIBER ? 'workspace' : path.join('vibers', id), 'skills'),
  });
  const names = new JobNames({
    jobs: { all: () => jobs.map((job) => ({ id: job.id, file: '', path: '', state: 'loaded', job })) },
    usual: config.viber ?? DEFAULT_VIBER,
    async lookUp(vibers) {
      if (vibers.length > 0) await Promise.all([catalog.start(), ...vibers.map((viber) => catalog.open(viber))]);
      return knownNames({
        home: { root, agents: path.join(root, 'agents') },
        config,
        models,
        skills: { catalog, vibers },
      });
    },
    tellOwners: async () => undefined,
    log: silentLog(),
  });
  try {
    await names.refresh();
    return names;
  } finally {
    await catalog.close();
  }
}
