/** Collects the names that jobs may use, from files and the configuration. Starts no server and calls no model. */
import path from 'node:path';
import type { Config } from '../../../config.ts';
import { silentLog } from '../../../log.ts';
import type { OfferedNames } from '../../../runtime/contract/feature.ts';
import { createModels } from '../../../runtime/model/models.ts';
import { DEFAULT_VIBER } from '../../../workspace/home.ts';
import type { Job } from '../job.ts';
import { knownNames } from '../known-names.ts';
import { JobNames } from '../names.ts';

export interface NamesHere {
  config: Config;
  root: string;
  env: NodeJS.ProcessEnv;
  /** Returns the tools and skills that aren't always available and that jobs of these vibers may name. */
  offered: (vibers: readonly string[]) => Promise<OfferedNames>;
}

/** Returns the names that these jobs may use. Looks them up once. */
export async function lookUpNames(jobs: readonly Job[], { config, root, env, offered }: NamesHere): Promise<JobNames> {
  const models = createModels({ providers: config.providers, env });
  const home = { root, agents: path.join(root, 'agents') };
  const names = new JobNames({
    jobs: { all: () => jobs.map((job) => ({ id: job.id, file: '', path: '', state: 'loaded', job })) },
    usual: config.viber ?? DEFAULT_VIBER,
    lookUp: async (vibers) => knownNames(home, models, await offered(vibers)),
    tellOwners: async () => undefined,
    log: silentLog(),
  });
  await names.refresh();
  return names;
}
