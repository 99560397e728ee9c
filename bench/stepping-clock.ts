/**
 * A clock that is set from outside and runs faster: `node --import ./bench/stepping-clock.ts PROGRAM`. CLOCK_FILE
 * contains `{at, real, rate, asleep}`: at the real time `real` the clock showed `at`, and each second since is `rate`
 * seconds. It is read at the start and at each SIGWINCH, which the gateway doesn't use. The timers of jobs and
 * questions are shortened by the rate; all others, sockets and files continue unchanged, or connections would count as
 * dead. `asleep` is how much the time since the machine's start has grown during sleep; a step of the clock doesn't
 * change that.
 */
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { shiftedDate } from '../test/helpers/shifted-date.ts';

interface Setting {
  at: number;
  real: number;
  rate: number;
  asleep: number;
}

const RealDate = Date;
const realUptime = os.uptime.bind(os);
const upAtStart = realUptime();
const read = (): Setting => JSON.parse(readFileSync(process.env.CLOCK_FILE ?? '', 'utf8'));
let setting = read();
process.on('SIGWINCH', () => {
  setting = read();
});

const now = () => Math.floor(setting.at + (RealDate.now() - setting.real) * setting.rate);
globalThis.Date = shiftedDate(now);
os.uptime = () => upAtStart + (realUptime() - upAtStart) * setting.rate + setting.asleep / 1000;
syncBuiltinESMExports();

/** The files in which jobs and questions set their timers. */
const OWN = /\bat (?:Object\.)?after |#arm\b/;
const shorter = (ms: unknown) => (typeof ms === 'number' && OWN.test(new Error().stack ?? '') ? ms / setting.rate : ms);
for (const name of ['setTimeout', 'setInterval'] as const) {
  Object.defineProperty(globalThis, name, {
    value: new Proxy(globalThis[name], {
      apply: (target, self, [run, ms, ...rest]) => Reflect.apply(target, self, [run, shorter(ms), ...rest]),
    }),
  });
}
