/**
 * Limits how much memory V8 takes. Under load, V8 lets the space for new objects grow to well over 100 MB and collects
 * old ones only once they reach four times the live size: hours of traffic would hold several times the memory that
 * they need.
 */
import v8 from 'node:v8';

/** Bytes of the space for new objects: enough for a start and a burst of messages. With less, a burst takes longer. */
const ENOUGH = 32 * 1024 * 1024;
const LOOK_MS = 250;
/** Old objects are collected once they exceed the live size by half. */
const GROWING_PERCENT = 50;

/** Stops the growth of the space for new objects once it is large enough. V8 reads both flags each time it decides. */
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
