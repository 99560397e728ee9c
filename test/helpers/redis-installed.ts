/** Whether this machine has a Redis server, and which. Without one those tests are skipped by name; in CI they fail. */
import { spawnSync } from 'node:child_process';

/** `REDIS_SERVER` names another compatible program, such as a newer one or Valkey. */
export const PROGRAM = process.env.REDIS_SERVER || 'redis-server';
const about = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' });
const isInstalled = about.status === 0;
const [, major = 0, minor = 0] = /v=(\d+)\.(\d+)/.exec(about.stdout ?? '') ?? [];
/** From 7.2 on, a server can be asked whether its replicas have written the data. */
export const hasCopies = Number(major) > 7 || (Number(major) === 7 && Number(minor) >= 2);

/** Why these tests are skipped; '' if they run. */
export const WITHOUT_REDIS = isInstalled || process.env.CI ? '' : ' (skipped: redis-server is not installed)';
export const hasRedis = WITHOUT_REDIS === '';
