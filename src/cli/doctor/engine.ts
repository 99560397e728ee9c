/** Checks that the server for messages and answers, if one is configured, is reachable and stores data durably. */
import type { Config } from '../../config.ts';
import { scriptsReach } from '../../skills/script-proxy.ts';
import { attempt } from './checks.ts';
import type { Finding } from './finding.ts';

const SERVER_MS = 12_000;

export async function checkEngine({ engine: { kind, url, replicas } }: Config): Promise<Finding[]> {
  if (kind === 'local' || url === undefined) return [];
  const { checkServer } = await import('../../engine/redis/settings.ts');
  const reachedByScripts = await scriptsReach(new URL(url).hostname);
  return attempt('engine', SERVER_MS, () => checkServer({ url, replicas, reachedByScripts }));
}
