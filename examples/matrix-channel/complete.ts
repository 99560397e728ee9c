/** Completes what an event says of another one: the thread of an edited message, the button behind a number. */
import { createLru, type Fields, fields, type InboundMessage, string } from 'openviber-gateway/plugin';
import { CLIENT, type MatrixApi, MatrixError } from './api.ts';
import { type Around, type Decoded, decode } from './decode.ts';
import { BUTTONS } from './render.ts';
import { buttonsOf } from './send.ts';

const MAX_KNOWN = 2_000;

export interface Completer {
  /**
   * Returns the message, or why there is none. While the homeserver can't be asked it rejects, unless `isLast`.
   * @throws MatrixError
   */
  complete(decoded: Decoded, around: Around, isLast: boolean): Promise<InboundMessage | { dropped: string }>;
}

type Origin = Pick<InboundMessage, 'address' | 'isThread'> & { user: string };

export function createCompleter(api: MatrixApi): Completer {
  const origins = createLru<Origin>(MAX_KNOWN);
  /** Messages of others under which people have put numbers: nobody has to be asked about them again. */
  const others = createLru<true>(MAX_KNOWN);

  async function fetchEvent(room: string, event: string, isLast: boolean): Promise<Fields | undefined> {
    try {
      return await api.call('GET', [...CLIENT, 'rooms', room, 'event', event]);
    } catch (error) {
      if (!(error instanceof MatrixError) || (error.isPassing && !isLast)) throw error;
      return undefined;
    }
  }

  function remember({ address, isThread, sender, id }: InboundMessage): Origin {
    const origin = { address, user: sender.user, ...(isThread && { isThread }) };
    origins.set(`${address.chat} ${id}`, origin);
    return origin;
  }

  /** A number may be words as well. */
  function asWords(message: InboundMessage): InboundMessage | { dropped: string } {
    if (message.text === '') return { dropped: 'm.reaction' };
    remember(message);
    return message;
  }

  async function edited(of: string, message: InboundMessage, around: Around, isLast: boolean) {
    let origin = origins.get(`${around.room} ${of}`);
    if (!origin) {
      const event = await fetchEvent(around.room, of, isLast);
      const was = event && decode(event, around);
      if (was?.kind === 'message') origin = remember(was.message);
    }
    // https://spec.matrix.org/latest/client-server-api/#validity-of-replacement-events
    if (!origin || origin.user !== message.sender.user) return { dropped: 'edit' };
    const { address, isThread } = origin;
    // An edit may call the bot for the first time.
    const begins = address.thread === undefined && !message.isDirect && message.isMention;
    if (begins) return { ...message, address: { ...address, thread: of }, isThread: true };
    return { ...message, address, ...(isThread && { isThread }) };
  }

  async function numbered(
    { under, number, message }: Extract<Decoded, { kind: 'number' }>,
    around: Around,
    isLast: boolean,
  ) {
    if (others.has(`${around.room} ${under}`)) return asWords(message);
    const event = await fetchEvent(around.room, under, isLast);
    const isOurs = event?.sender === around.self;
    const button = isOurs ? buttonsOf(event, BUTTONS)[number - 1] : undefined;
    // A number may be words as well.
    if (!event || !button) {
      if (event && !isOurs) others.set(`${around.room} ${under}`, true);
      return asWords(message);
    }
    const relation = fields(fields(event, 'content') ?? {}, 'm.relates_to') ?? {};
    const thread = string(relation, 'rel_type') === 'm.thread' ? string(relation, 'event_id') : undefined;
    const { original, repliesTo, ...rest } = message;
    const { thread: _own, ...room } = message.address;
    const pressed: InboundMessage = {
      ...rest,
      ...{ kind: 'button', text: '', button: { id: button.id.slice(0, 64) }, messageId: under, isMention: true },
      address: thread === undefined ? room : { ...room, thread },
    };
    if (thread === undefined) delete pressed.isThread;
    else pressed.isThread = true;
    return pressed;
  }

  return {
    async complete(decoded, around, isLast) {
      if (decoded.kind === 'message') {
        remember(decoded.message);
        return decoded.message;
      }
      if (decoded.kind === 'edit') return edited(decoded.of, decoded.message, around, isLast);
      if (decoded.kind === 'number') return numbered(decoded, around, isLast);
      return { dropped: decoded.kind === 'dropped' ? decoded.reason : decoded.kind };
    },
  };
}
