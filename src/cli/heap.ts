/**
 * How much memory V8 takes for the work at hand. Under load it lets the space for new objects grow to well over 100 MB, and collects old ones
 * only when they are four times what is in use: hours of traffic would hold several times the memory that they need.
 */
import v8 from 'node:v8';

/** Bytes of the space for new objects; what a start and a burst of messages need: with less, a burst takes longer. */
const ENOUGH = 32 * 1024 * 1024;
const LOOK_MS = 250;
/** Old objects are collected when there is half as much again as was in use before. */
const GROWING_PERCENT = 50;

/** From the size that is enough the space for new objects grows no more. V8 reads both flags each time that it decides. */
export function boundHeap(): void {
  v8.setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
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
