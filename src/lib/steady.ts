/**
 * Clocks that ignore changes of the system's clock, for waits of minutes: setting the clock must neither end a wait nor
 * extend it.
 */
import os from 'node:os';

const startedAt = Date.now();
const upAtStart = os.uptime();

/**
 * Returns milliseconds since the epoch by the clock at the start of the process. Counts the time the machine sleeps.
 */
export const steadyNow = (): number => startedAt + Math.round((os.uptime() - upAtStart) * 1000);

/** Like `steadyNow`, without the time asleep; needs no system call. */
export const awakeNow = (): number => performance.timeOrigin + performance.now();
