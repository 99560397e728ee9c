/**
 * A clock for what must not take long. It stops while this thread is ready to run but others have the processors, so
 * that a busy machine doesn't fail a test. Computing and waiting count fully.
 */
import fs from 'node:fs';

/**
 * Returns how long a process's first thread has waited for a processor, in milliseconds; 0 if the system doesn't count
 * it.
 */
export function waitedForProcessor(pid: number | 'self' = 'self'): number {
  try {
    // Nanoseconds on a processor, nanoseconds waiting for one, time slices:
    // https://docs.kernel.org/scheduler/sched-stats.html
    return Number(fs.readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 0;
    throw error;
  }
}

/**
 * Milliseconds from an arbitrary moment. Only for upper limits: use the real clock to measure that something takes
 * long.
 */
export const ownTime = (): number => performance.now() - waitedForProcessor();

/**
 * Watches this thread from now on. Returns the longest time that it computed without returning to its event loop, in
 * milliseconds of its own processor time, which other processes don't prolong.
 */
export function watchLoop(): () => number {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let longest = 0;
  let before = used();
  const look = () => {
    const now = used();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(look, 2);
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}
