/** When a message is given up, whatever the engine is made of (promise 10). */

/** Crashes after which a message is given up. */
export const MAX_CRASHES = 3;
/** Of one whose answer is on its way already: what is left of it takes a moment. */
export const MAX_CRASHES_ANSWERED = 5;

/** @param attempts crashes that it was part of */
export const isGivenUp = (attempts: number, isAnswered: boolean): boolean =>
  attempts >= (isAnswered ? MAX_CRASHES_ANSWERED : MAX_CRASHES);
