/**
 * Waits for a condition to become true. The limit only guards against hanging: how long a machine takes proves nothing,
 * and one with busy cores takes long. own-time.ts measures what must be quick.
 */
import { vi } from 'vitest';

const LIMIT_MS = 60_000;
const INTERVAL_MS = 10;

/** Resolves with the result of `check` once it neither throws nor returns false. */
export function eventually<T>(check: () => T | Promise<T>, what = String(check)): Promise<T> {
  const once = async () => {
    const value = await check();
    if (value === false) throw new Error(`never came true: ${what}`);
    return value;
  };
  return vi.waitFor(once, { timeout: LIMIT_MS, interval: INTERVAL_MS });
}
