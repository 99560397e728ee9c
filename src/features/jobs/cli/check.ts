/** Checks job files for `viber doctor`: reports broken ones, and names that don't exist. */
import fs from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../../../errors.ts';
import { viberCommand } from '../../../lib/invocation.ts';
import { silentLog } from '../../../log.ts';
import { say } from '../../../messages/messages.ts';
import type { CheckedAt } from '../../../runtime/contract/feature.ts';
import type { Finding } from '../../../runtime/contract/finding.ts';
import { OFFLINE_MODEL } from '../../../runtime/contract/providers.ts';
import { createModels } from '../../../runtime/model/models.ts';
import { configOf } from '../../gateway.ts';
import { Jobs } from '../files.ts';
import type { Job } from '../job.ts';
import { placeProblem } from '../places.ts';
import { systemTimezone } from '../schedule.ts';
import { holdsUp, sayUnknown } from '../unknown.ts';
import { lookUpNames } from './names.ts';

/** Returns no findings if there are no jobs. */
export async function checkJobs(at: CheckedAt): Promise<Finding[]> {
  const { home: root, env } = at;
  const config = configOf(at);
  const findings: Finding[] = [];
  const found = (state: Finding['state'], detail: Finding['detail']) => findings.push({ name: 'jobs', state, detail });
  const folder = path.resolve(env.OPENVIBER_JOBS_DIR || path.join(root, 'jobs'));
  if (!fs.existsSync(folder)) return [];
  const timezone = config.jobs.timezone ?? systemTimezone();
  const jobs = new Jobs({ folder, timezone, log: silentLog(), watch: false });
  try {
    await jobs.start();
    const inForce = jobs.all().flatMap(({ job, state }) => (job && state !== 'disabled' ? [job] : []));
    const names = await lookUpNames(inForce, { config, root, env, offered: (vibers) => at.names(vibers) });
    for (const { wrong = [] } of jobs.all()) for (const each of wrong) found('wrong', each);
    for (const job of inForce) {
      const unknown = names.of(job);
      const [first, ...others] = sayUnknown(unknown, String);
      if (first) {
        const what = others.reduce((before, after) => say('cli.hinted', { what: before, hint: after }), first);
        found(unknown.some(holdsUp) ? 'wrong' : 'note', say('doctor.ofViber', { id: job.id, what }));
      }
      for (const place of job.deliver) {
        const problem = placeProblem(place, config);
        if (problem !== undefined) found('wrong', say('doctor.ofViber', { id: job.id, what: problem }));
      }
    }
    const count = jobs.all().length;
    const usual = config.model ?? createModels({ providers: config.providers, env }).defaultModel;
    const isOffline = ({ agent, viber }: Job) => viber === undefined && (agent.model ?? usual) === OFFLINE_MODEL;
    const can = say('doctor.jobsRun', { n: count });
    if (count > 0 && findings.length === 0) {
      if (inForce.some(isOffline))
        found('note', say('doctor.jobsOffline', { can, model: OFFLINE_MODEL, command: viberCommand('init') }));
      else found('ok', can);
    }
  } catch (error) {
    found('wrong', say('doctor.unreadable', { why: errorMessage(error) }));
  } finally {
    await jobs.close();
  }
  return findings;
}
