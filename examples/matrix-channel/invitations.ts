/**
 * Answers invitations, one after another. The bot joins where somebody who may write to it has invited it; a room whose
 * messages it can't read, because they are encrypted, gets one sentence that says so. An invitation is settled once it
 * is answered, given up, or of no effect.
 */
import { createBackoff, type Logger, sleep } from 'openviber-gateway/plugin';
import { CLIENT, type MatrixApi, MatrixError } from './api.ts';
import type { Invitation, Rooms } from './rooms.ts';
import type { Sender } from './send.ts';

export interface InvitationsOptions {
  api: MatrixApi;
  rooms: Rooms;
  put: Sender['put'];
  account: string;
  log: Logger;
  /** Returns whether the person may ask for an answer in that room. */
  mayInvite(user: string, room: string): boolean;
  /** The sentence for an encrypted room. */
  encrypted: string;
  signal: AbortSignal;
  backoffMs: { min: number; max: number };
}

export interface Invitations {
  add(invitation: Invitation, settled: () => Promise<void>): void;
  /** Says that the room's messages can't be read, and leaves it; the next such message asks again if that fails. */
  refuse(room: string): void;
  /** Joins a room that replaces another. */
  follow(room: string, server: string): void;
  /** Resolves when nothing is under way any more. */
  ended(): Promise<void>;
}

/** Joining a room of another homeserver takes its time. */
const JOIN_MS = 90_000;
const MAX_TRIES = 8;

export function createInvitations(options: InvitationsOptions): Invitations {
  const { api, rooms, put, account, log, mayInvite, encrypted, signal, backoffMs } = options;
  let work = Promise.resolve();
  /** Rooms that are being left because they are encrypted. */
  const refused = new Set<string>();

  const inRoom = (room: string, action: string, timeoutMs?: number) =>
    api.call('POST', [...CLIENT, 'rooms', room, action], { json: {}, signal, ...(timeoutMs && { timeoutMs }) });

  async function refuseRoom(room: string): Promise<void> {
    const content = { msgtype: 'm.notice', body: encrypted, 'm.mentions': {} };
    try {
      await put({ channel: 'matrix', account, chat: room }, content, `encrypted-${room}`);
    } catch (error) {
      if (!(error instanceof MatrixError) || error.isPassing) throw error;
      log.debug({ err: error }, 'an encrypted room was left without a word');
    }
    await inRoom(room, 'leave');
  }

  async function answer({ room, by, isDirect, isEncrypted }: Invitation): Promise<void> {
    if (!mayInvite(by, room)) return void (await inRoom(room, 'leave'));
    await inRoom(room, 'join', JOIN_MS);
    if (isEncrypted) return refuseRoom(room);
    if (isDirect) await rooms.mark(room, by);
  }

  /** Returns whether the work is settled: done, or given up. */
  async function persist(room: string, action: () => Promise<unknown>): Promise<boolean> {
    const backoff = createBackoff(backoffMs.min, backoffMs.max);
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        await action();
        return true;
      } catch (error) {
        if (signal.aborted) break;
        if (!(error instanceof MatrixError)) throw error;
        if (!error.isPassing || tries >= MAX_TRIES) {
          log.warn(
            { err: error, room },
            'a room could not be joined or left: if the bot is missing there, invite it again',
          );
          return true;
        }
        await sleep(error.retryAfterMs ?? backoff.next(), signal);
      }
    }
    return false;
  }

  function enqueue(room: string, action: () => Promise<unknown>, settled?: () => Promise<void>): void {
    work = work.then(async () => {
      try {
        if (await persist(room, action)) await settled?.();
      } catch (error) {
        log.error({ err: error, room }, 'an invitation was not answered; it is tried at the next start');
      }
    });
  }

  return {
    add: (invitation, settled) => enqueue(invitation.room, () => answer(invitation), settled),
    refuse(room) {
      if (refused.has(room)) return;
      refused.add(room);
      enqueue(
        room,
        () => refuseRoom(room),
        async () => void refused.delete(room),
      );
    },
    follow(room, server) {
      const query = { via: server, server_name: server };
      const call = { json: {}, query, signal, timeoutMs: JOIN_MS };
      enqueue(room, () => api.call('POST', [...CLIENT, 'join', room], call));
    },
    ended: () => work,
  };
}
