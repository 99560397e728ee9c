/**
 * The tests of `npm test` on a busy machine: `npm run test:busy [-- TIMES [FILE...]]` runs them while a process for each core does
 * nothing but work. No test may depend on how fast the machine is. Ends with 1 when a round fails.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import process from 'node:process';

const [times = '1', ...files] = process.argv.slice(2);
const PROJECTS = ['--project', 'whole', '--project', 'parts'];

/** Ends by itself when this process has ended, however it does. */
const LOAD = `
  const parent = ${process.pid};
  setInterval(() => {
    if (process.ppid !== parent) process.exit();
    for (const end = Date.now() + 200; Date.now() < end; );
  }, 0);
`;
const load = Array.from({ length: os.availableParallelism() }, () => spawn(process.execPath, ['-e', LOAD]));
process.on('exit', () => {
  for (const one of load) one.kill();
});

let failed = 0;
for (let round = 1; round <= Number(times); round++) {
  const began = Date.now();
  const code = await ended(spawn('vitest', ['run', ...PROJECTS, ...files], { stdio: 'inherit' }));
  if (code !== 0) failed += 1;
  const minutes = ((Date.now() - began) / 60_000).toFixed(1);
  process.stdout.write(`round ${round} of ${times}: ${code === 0 ? 'passed' : 'failed'} in ${minutes} min\n`);
}
process.stdout.write(`${failed} of ${times} failed\n`);
process.exit(failed === 0 ? 0 : 1);

async function ended(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}
