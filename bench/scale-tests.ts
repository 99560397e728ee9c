/** Checks what `bench:scale` counts rather than measures, with tests on a real server. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const TESTED: readonly (readonly [what: string, file: string, title: string])[] = [
  ['3 nodes x 300 job slots: 300 runs', 'test/jobs/shared.test.ts', '300 slots of three nodes'],
  ['100 decisions asked for at once: one first each', 'test/engine/redis/shared.test.ts', 'have one first'],
  ['/readyz says 503 while the server is away', 'test/engine/redis/faults.test.ts', 'is seen to be away'],
  ['stop and steer where the word is lost: 3 s', 'test/engine/redis/faults.test.ts', 'where the word is lost'],
  ['kind: local loads no engine package', 'test/engine/redis/lazy.test.ts', 'loads no part'],
];

export function testRows(row: (name: string, isMet: boolean, figures: string) => void): void {
  const root = path.join(import.meta.dirname, '..');
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  for (const [what, file, title] of TESTED) {
    const given = [vitest, 'run', file, '-t', title, '--reporter', 'dot'];
    const env = { ...process.env, NO_COLOR: '1' };
    const { stdout, status } = spawnSync(process.execPath, given, { cwd: root, encoding: 'utf8', env });
    const passed = Number(/Tests .*?(\d+) passed/.exec(stdout)?.[1] ?? 0);
    row(what, passed > 0 && status === 0, `${passed} passed in ${file}`);
  }
}
