/** The spool of a home for tests, and a disk that refuses writes. */
import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { inspectSpool, type SpoolRecord } from '../../src/engine/local/inspect.ts';

/** Returns the keys in a state. */
export const keysIn = (home: string, state: SpoolRecord['state']): string[] =>
  inspectSpool(path.join(home, 'spool')).flatMap((found) => (found.state === state ? [found.key] : []));

/** Makes every write to the spool's log fail; the returned function ends this. For gateways in this process. */
export function breakSpool(home: string): () => void {
  const folder = path.join(fs.realpathSync(home), 'spool', 'log');
  const { writeSync } = fs;
  const broken = vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, ...rest: [Uint8Array]) => {
    if (fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder))
      throw Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' });
    return writeSync(fd, ...rest);
  }) as typeof fs.writeSync);
  onTestFinished(() => broken.mockRestore());
  return () => broken.mockRestore();
}
