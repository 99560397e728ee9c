/**
 * Checks what a client sends: how much, which payloads, and which IDENTIFY is accepted.
 * https://discord.com/developers/docs/events/gateway
 */
import { isObject } from './fields.ts';
import { KNOWN, MESSAGE_CONTENT, NOT_GRANTED } from './intents.ts';

/** The close code and reason. */
export type Refusal = [code: number, reason: string];

/** Returns why the payload is refused; undefined if it isn't. `readsContent`: the application has MESSAGE_CONTENT. */
export function identifyRefusal(d: Record<string, unknown>, token: string, readsContent: boolean): Refusal | undefined {
  const { intents, properties, shard = [0, 1] } = d;
  if (d.token !== token) return [4004, 'Authentication failed.'];
  if (!isObject(properties)) return [4002, 'Error while decoding payload.'];
  if (!Array.isArray(shard) || !(shard[0] >= 0 && shard[0] < shard[1])) return [4010, 'Invalid shard.'];
  if (shard[1] > 1) return [4011, 'This emulator has one shard.'];
  if (typeof intents !== 'number' || !Number.isInteger(intents) || (intents & ~KNOWN) !== 0) {
    return [4013, 'Invalid intent(s).'];
  }
  const disallowed = readsContent ? NOT_GRANTED : NOT_GRANTED | MESSAGE_CONTENT;
  return (intents & disallowed) === 0 ? undefined : [4014, 'Disallowed intent(s).'];
}

const MAX_BYTES = 4096;
const MAX_PER_MINUTE = 120;

/** Reads a client's message. `sent` holds the times of its messages in the last minute; this one is added. */
export function readFrame(text: string, sent: number[]): { op: unknown; d: unknown } | { refusal: Refusal } {
  const at = Date.now();
  sent.push(at);
  while ((sent[0] ?? at) < at - 60_000) sent.shift();
  if (sent.length > MAX_PER_MINUTE) return { refusal: [4008, 'You are being rate limited.'] };
  const undecodable: Refusal = [4002, 'Error while decoding payload.'];
  if (Buffer.byteLength(text) > MAX_BYTES) return { refusal: undecodable };
  try {
    const payload: unknown = JSON.parse(text);
    return isObject(payload) ? { op: payload.op, d: payload.d } : { refusal: undecodable };
  } catch (error) {
    if (error instanceof SyntaxError) return { refusal: undecodable };
    throw error;
  }
}
