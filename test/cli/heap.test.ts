/** What V8 takes under load, in a process of its own: its settings are those of the whole process. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';

const heap = path.join(import.meta.dirname, '../../src/cli/heap.ts');
const MB = 1024 * 1024;

/** Bytes that the space for new objects holds after a second and a half of making objects, of which few stay. */
function afterWork(isBounded: boolean): number {
  const program = `
    import v8 from 'node:v8';
    import { setTimeout as sleep } from 'node:timers/promises';
    ${isBounded ? `import { boundHeap } from ${JSON.stringify(heap)};` : ''}
    const size = (name) => v8.getHeapSpaceStatistics().find((one) => one.space_name === name).space_size;
    const kept = [];
    const make = () => { for (let n = 0; n < 5_000; n++) kept[(n * 7 + Date.now()) % 30_000] = { n, more: [n, String(n)] }; };
    // What a start takes.
    while (size('new_space') < ${32 * MB}) make();
    ${isBounded ? 'boundHeap();' : ''}
    for (const end = Date.now() + 1_500; Date.now() < end; await sleep(1)) make();
    process.stdout.write(String(size('new_space')));`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }));
}

it('stays near what a start needs', () => {
  const [free, bounded] = [afterWork(false), afterWork(true)];
  expect(bounded).toBeLessThanOrEqual(33 * MB);
  expect(free).toBeGreaterThan(bounded);
});
