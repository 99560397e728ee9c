/**
 * Waits for what has to come true. The limit only guards against hanging: how long a machine takes proves nothing, and one whose
 * cores are busy takes long. What has to be quick is measured by own-time.ts.
 */
import { vi } from 'vitest';

const LIMIT_MS = 60_000;
const INTERVAL_MS = 10;

/** Resolves with what `check` gives once it neither throws nor gives false. */
export function eventually<T>(check: () => T | Promise<T>, what = String(check)): Promise<T> {
  const once = async () => {
    const value = await check();
    if (value === false) throw new Error(`never came true: ${what}`);
    return value;
  };
  return vi.waitFor(once, { timeout: LIMIT_MS, interval: INTERVAL_MS });
}
