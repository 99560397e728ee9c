/** Decides what a failure while sending means for the answer; `src/runtime/delivery.ts` acts on it. */
import { DeliveryError, errorMessage } from '../errors.ts';
import type { PartState } from './engine.ts';
import { UnsureError } from './parts.ts';

/** How often a channel may throw an unexpected error. */
const MAX_BROKEN = 3;
const MAX_BACKOFF_MS = 300_000;

/** The consequence of a failed attempt. */
export type Failure =
  | { kind: 'retry'; leastMs: number; isLimited: boolean }
  | { kind: 'broken' }
  | { kind: 'over'; to: 'dead' | 'unsure'; reason: string };

/**
 * @param tries how often the channel threw an unexpected error, including this one
 * @param parts the state of the message's parts
 */
export function failureOf(error: unknown, tries: number, parts: Iterable<PartState>): Failure {
  if (error instanceof UnsureError) return { kind: 'over', to: 'unsure', reason: error.message };
  if (error instanceof DeliveryError) {
    const { retryAfterMs, rateLimited, message } = error;
    if (retryAfterMs === undefined) return { kind: 'over', to: 'dead', reason: message };
    return { kind: 'retry', leastMs: retryAfterMs, isLimited: rateLimited };
  }
  if (tries < MAX_BROKEN) return { kind: 'broken' };
  const isUnsure = [...parts].some((part) => part.sentId === undefined && part.unsure > 0);
  const reason = `the channel failed while sending: ${errorMessage(error)}`;
  return { kind: 'over', to: isUnsure ? 'unsure' : 'dead', reason };
}

/** Returns the reason for the failure in one word, for metrics. */
export function failureKind(error: unknown): string {
  if (error instanceof UnsureError) return 'unsure';
  if (!(error instanceof DeliveryError)) return 'broken';
  if (error.rateLimited) return 'limited';
  if (error.ambiguous) return 'cut-off';
  return error.retryAfterMs === undefined ? 'refused' : 'unreachable';
}

/** Counts one more failure of a lane and returns how long to wait, in ms: 1 s, doubling to 5 min, with jitter. */
export function backoff(lane: { failures: number }): number {
  const ms = Math.min(MAX_BACKOFF_MS, 1000 * 2 ** lane.failures++);
  return ms * (0.75 + Math.random() / 2);
}
