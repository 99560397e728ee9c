/**
 * Whether this machine has the Python that opens terminals for tests. Without it those tests are skipped; in CI they
 * fail.
 */
import { spawnSync } from 'node:child_process';

export const hasPython = spawnSync('python3', ['--version']).status === 0 || Boolean(process.env.CI);
