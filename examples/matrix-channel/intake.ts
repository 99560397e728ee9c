/** Hands events on as messages, and shows people how far their words were read. */
import type { ChannelCallbacks, ChannelHost, InboundMessage } from 'openviber-gateway/plugin';
import { CLIENT, type MatrixApi, MatrixError } from './api.ts';
import { createCompleter } from './complete.ts';
import { decode } from './decode.ts';
import { aroundIn, type Session } from './session.ts';
import type { SyncOptions } from './sync.ts';

/** Returns what a sync's events are handed to. */
export function createIntake(api: MatrixApi, host: Pick<ChannelHost, 'nameOf' | 'log'>) {
  const completer = createCompleter(api);

  async function isDirect({ rooms }: Session, room: string, isLast: boolean): Promise<boolean> {
    try {
      return await rooms.isDirect(room);
    } catch (error) {
      if (!(error instanceof MatrixError) || (error.isPassing && !isLast)) throw error;
      return false;
    }
  }

  /** Best effort. */
  async function markRead(messages: readonly InboundMessage[]): Promise<void> {
    const last = new Map(
      messages.map((message) => [`${message.address.chat} ${message.address.thread ?? ''}`, message]),
    );
    for (const { address, id } of last.values()) {
      // The message that a thread begins with is in the room itself.
      const json = { thread_id: address.thread === undefined || address.thread === id ? 'main' : address.thread };
      try {
        await api.call('POST', [...CLIENT, 'rooms', address.chat, 'receipt', 'm.read', id], { json });
      } catch (error) {
        host.log.debug({ err: error }, 'a message could not be marked as read');
      }
    }
  }

  /** Hands a batch on in one tick, so that it keeps its order and shares one commit. */
  return (session: Session, to: ChannelCallbacks): SyncOptions['take'] =>
    async (events, isLast) => {
      const rooms = [...new Set(events.map(({ room }) => room))];
      const direct = new Map(
        await Promise.all(rooms.map(async (room) => [room, await isDirect(session, room, isLast)] as const)),
      );
      const found = await Promise.all(
        events.map(async ({ room, event }) => {
          const around = aroundIn(session, host, room, direct.get(room) ?? false);
          const decoded = decode(event, around);
          if (decoded.kind === 'encrypted') session.invitations.refuse(room);
          return { event, message: await completer.complete(decoded, around, isLast) };
        }),
      );
      const seen: InboundMessage[] = [];
      const given = found.map(async ({ event, message }) => {
        if ('dropped' in message) return to.onDropped(message.dropped);
        const outcome = await to.onMessage(message, event);
        if (outcome !== 'refused') seen.push(message);
        if (message.movedTo && outcome === 'accepted')
          session.invitations.follow(message.movedTo.chat, serverOf(message.sender.user));
      });
      const failed = (await Promise.allSettled(given)).find(({ status }) => status === 'rejected');
      void markRead(seen);
      if (failed?.status === 'rejected') throw failed.reason;
    };
}

const serverOf = (user: string): string => user.slice(user.indexOf(':') + 1);
