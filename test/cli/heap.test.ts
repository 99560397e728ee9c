/** What V8 takes under load, in a process of its own: its settings are those of the whole process. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';

const heap = path.join(import.meta.dirname, '../../src/cli/heap.ts');
const MB = 1024 * 1024;
/** It grows from 32 MB to 64, and counts a little beside. */
const ALLOWED = 40 * MB;

/**
 * The largest space for new objects, in bytes, while a process makes objects that each stay for 100 rounds, and how many rounds it made. It ends
 * once it is over what is allowed, or after `rounds`: work and not time, for a machine that is busy does less of it in the same time.
 */
function afterWork(isBounded: boolean, rounds: number): { size: number; made: number } {
  const program = `
    import v8 from 'node:v8';
    import { setTimeout as sleep } from 'node:timers/promises';
    ${isBounded ? `import { boundHeap } from ${JSON.stringify(heap)};` : ''}
    const size = () => v8.getHeapSpaceStatistics().find((one) => one.space_name === 'new_space').space_size;
    const kept = [];
    let next = 0;
    const make = () => { for (let n = 0; n < 5_000; n++) kept[next++ % 500_000] = { n, more: [n, String(n)] }; };
    // What a start takes.
    while (size() < ${32 * MB}) make();
    ${isBounded ? 'boundHeap();' : ''}
    let made = 0;
    for (; made < ${rounds} && size() <= ${ALLOWED}; made++) {
      make();
      // It gives way now and then.
      if (made % 20 === 0) await sleep(1);
    }
    process.stdout.write(JSON.stringify({ size: size(), made }));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }));
}

it('stays near what a start needs', () => {
  const free = afterWork(false, 5_000);
  expect(free.size).toBeGreaterThan(ALLOWED);
  expect(afterWork(true, Math.max(500, free.made * 2)).size).toBeLessThanOrEqual(ALLOWED);
});
