/**
 * Tests random orders of steering, stopping, consent and crashes: `npm run interleavings [-- RUNS [SEED]]`. People and
 * crashes against the gateway's parts (`test/runtime/injection.property.test.ts`), button presses against slow and
 * failing disks (`test/runtime/approvals/interleavings.property.test.ts`), and messages written while nobody listened
 * against everything that can end in between (`test/channels/slack/gaps.property.test.ts`, and Discord's).
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const RUNS = Number(process.argv[2] ?? 500);
const SEED = String(process.argv[3] ?? Date.now() % 2 ** 31);
const root = path.join(import.meta.dirname, '..');
const began = Date.now();
const { status } = spawnSync(
  process.execPath,
  [
    ...[path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter', 'dot'],
    ...['test/runtime/injection.property.test.ts', 'test/runtime/approvals/interleavings.property.test.ts'],
    ...['test/channels/slack/gaps.property.test.ts', 'test/channels/discord/gaps.property.test.ts'],
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, INJECTION_RUNS: String(RUNS), INJECTION_SEED: SEED, CI: '' } },
);
const seconds = Math.round((Date.now() - began) / 1000);
process.stdout.write(
  `${RUNS} random runs of each (seed ${SEED}) in ${seconds} s, rules broken: ${status === 0 ? 0 : 'see above'}\n`,
);
process.exit(status ?? 1);
