/** The scheduled jobs of a gateway. */
import path from 'node:path';
import { offeredNames } from '../../runtime/features.ts';
import { DEFAULT_VIBER } from '../../workspace/home.ts';
import { configOf, type Gateway, perGateway } from '../gateway.ts';
import { knownNames } from './known-names.ts';
import { JobsOnDemand } from './on-demand.ts';

/** Returns the viber of jobs that name none. */
export const defaultViber = (gw: Gateway): string => configOf(gw).viber ?? DEFAULT_VIBER;

/** The jobs are read a moment after the first call, which `start` makes. */
export const jobsOf = perGateway((gw) => {
  const { home, engine, features, log, people, places, tasks } = gw;
  const config = configOf(gw);
  return new JobsOnDemand({
    home,
    engine,
    people,
    log,
    lead: features.lead,
    targets: places.targets,
    viber: defaultViber(gw),
    clock: gw.clock,
    async lookUp(vibers) {
      const at = { config, home: home.root, reserved: features.reserved, natives: features.natives };
      return knownNames(home, gw.models.providers, await offeredNames(features.on, vibers, at, gw));
    },
    onChanged: (job) => tasks.news.emit({ type: 'job:changed', job }),
    folder: path.resolve(features.env.OPENVIBER_JOBS_DIR || home.jobs),
    settings: config.jobs,
  });
});
