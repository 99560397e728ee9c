/**
 * What needs more than an owner's login: one that was made a few minutes ago with a link from the machine itself. A
 * thief of an older login lacks it, and so does a link from a chat, which such a thief could ask for.
 */
import { viberCommand } from '../lib/invocation.ts';
import { say } from '../messages/messages.ts';
import type { Caller } from '../runtime/contract/board.ts';
import { RequestError } from './respond.ts';

/** How long a login with a link of the machine counts as fresh, in ms. */
export const FRESH_MS = 15 * 60_000;

/** Returns until when this login counts as fresh, in ms; undefined if it doesn't. */
export function freshUntil({ kind, atMachine }: Caller, now: number): number | undefined {
  if (kind !== 'session' || atMachine === undefined || now - atMachine >= FRESH_MS) return undefined;
  return atMachine + FRESH_MS;
}

/** @throws RequestError unless the login is fresh */
export function requireFresh(caller: Caller, now = Date.now()): void {
  if (freshUntil(caller, now) !== undefined) return;
  const minutes = FRESH_MS / 60_000;
  throw new RequestError(403, 'old_login', say('boardSetup.oldLogin', { minutes, command: viberCommand('board') }));
}
