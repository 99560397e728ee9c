/** Time that a step of the machine's clock leaves alone, for what lasts minutes: a clock that is set must neither end a wait nor make it long. */
import os from 'node:os';

const startedAt = Date.now();
const upAtStart = os.uptime();

/** Milliseconds since the epoch by the clock as it was at the start of the process. The time in which the machine sleeps counts. */
export const steadyNow = (): number => startedAt + Math.round((os.uptime() - upAtStart) * 1000);

/** The same without the time asleep; it costs no call of the system. */
export const awakeNow = (): number => performance.timeOrigin + performance.now();
