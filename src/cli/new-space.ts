/**
 * How much room V8 gives to new objects. Under load it lets that space grow to well over 100 MB, and what outlives it is left scattered over
 * pages that are rarely given back: hours of traffic would take several times the memory that the work needs.
 */
import v8 from 'node:v8';

/** Bytes; what a start needs, three platforms and all. */
const ENOUGH = 16 * 1024 * 1024;
const LOOK_MS = 1_000;

/** From the size that is enough the space grows no more. `semi-space-growth-factor` is V8's, read each time before it grows. */
export function holdNewSpace(): void {
  const look = () => {
    if (!isEnough()) return;
    clearInterval(timer);
    v8.setFlagsFromString('--semi-space-growth-factor=1');
  };
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  look();
}

const isEnough = () =>
  v8.getHeapSpaceStatistics().some((space) => space.space_name === 'new_space' && space.space_size >= ENOUGH);
