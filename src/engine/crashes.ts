/** Decides when a message is given up, in every engine (promise 10). */

export const MAX_CRASHES = 3;
/** Crashes after which a message is given up whose answer is already being delivered: what remains takes a moment. */
export const MAX_CRASHES_ANSWERED = 5;

/**
 * One more crash gives the message up. After a single crash it's unknown which of many messages caused it, so they all
 * run again side by side. A message that was part of two runs only while no other such message does, so that the one
 * that kills the gateway is alone the next time.
 */
export const SUSPECT_FROM = MAX_CRASHES - 1;

/** @param attempts crashes that the message was part of */
export const isGivenUp = (attempts: number, isAnswered: boolean): boolean =>
  attempts >= (isAnswered ? MAX_CRASHES_ANSWERED : MAX_CRASHES);
