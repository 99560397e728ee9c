/**
 * A clock for what must not take long. It stands still while this thread is ready to run and others have the processors, so
 * that a busy machine does not fail a test; computing and waiting count in full.
 */
import fs from 'node:fs';

/** Milliseconds that a process's first thread has waited for a processor; 0 where the system does not count them. */
export function waitedForProcessor(pid: number | 'self' = 'self'): number {
  try {
    // Nanoseconds on a processor, nanoseconds waiting for one, time slices: https://docs.kernel.org/scheduler/sched-stats.html
    return Number(fs.readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 0;
    throw error;
  }
}

/** Milliseconds from an arbitrary moment on. Only for limits above: what must take a while is measured by the real clock. */
export const ownTime = (): number => performance.now() - waitedForProcessor();

/**
 * Watches this thread from now on; the answer is the longest time that it computed without coming back to its event loop, in
 * milliseconds of its own processor time, which others who want the processors do not lengthen.
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
