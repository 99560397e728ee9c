/** When a message is given up, whatever the engine is made of (promise 10). */

/** Crashes after which a message is given up. */
export const MAX_CRASHES = 3;
/** Of one whose answer is on its way already: what is left of it takes a moment. */
export const MAX_CRASHES_ANSWERED = 5;

/**
 * One more ends it. After a single crash nobody can tell which of many it was, and all begin again side by side; what was part of two is
 * in work while no other such message is, so that the one that kills the gateway is alone when it does so again.
 */
export const SUSPECT_FROM = MAX_CRASHES - 1;

/** @param attempts crashes that it was part of */
export const isGivenUp = (attempts: number, isAnswered: boolean): boolean =>
  attempts >= (isAnswered ? MAX_CRASHES_ANSWERED : MAX_CRASHES);
