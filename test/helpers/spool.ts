/** The spool of a home for tests, and a disk that refuses writes. */
import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { inspectSpool, type SpoolRecord } from '../../src/engine/local/inspect.ts';

/** Returns the keys in a state. */
export const keysIn = (home: string, state: SpoolRecord['state']): string[] =>
  inspectSpool(path.join(home, 'spool')).flatMap((found) => (found.state === state ? [found.key] : []));

/** Ends what it stands for, and knows how often it has refused. */
export type Mend = (() => void) & { refused(): number };

/** Makes every write to the spool's log fail; the returned function ends this. For gateways in this process. */
export function breakSpool(home: string): Mend {
  let refused = 0;
  const folder = path.join(fs.realpathSync(home), 'spool', 'log');
  const { writeSync } = fs;
  const broken = vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, ...rest: [Uint8Array]) => {
    if (fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder)) {
      refused++;
      throw Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' });
    }
    return writeSync(fd, ...rest);
  }) as typeof fs.writeSync);
  onTestFinished(() => broken.mockRestore());
  return Object.assign(() => broken.mockRestore(), { refused: () => refused });
}
