/**
 * Sends answers on this machine's channels (terminal, socket, programs) to all processes, because a listener is
 * connected to one process, while another may send the answer from the outbox. Listeners that are away get nothing; the
 * answer is in the session.
 */
import type { Channel, OutboundMessage, PartLedger } from '../../channels/channel.ts';
import type { Engine, Stop } from '../../engine/engine.ts';
import type { Sends } from '../../runtime/delivery.ts';

const OF_MACHINES = ['local', 'terminal', 'api'];

type Teller = Engine<unknown>;

export function sentEverywhere(channel: Channel | undefined, engine: Teller): Sends | undefined {
  if (!channel || !OF_MACHINES.includes(channel.id)) return channel;
  return {
    id: channel.id,
    isExact: true,
    async send(message, ledger) {
      await ledger.part(0, async () => {
        engine.publish(topicOf(channel.id), JSON.stringify(message));
        return message.id;
      });
    },
  };
}

/** Passes answers from other processes to listeners here. */
export function receiveAnswers(
  channels: ReadonlyMap<string, Channel>,
  engine: Teller,
  onError: (error: unknown) => void,
) {
  const own = [...channels.values()].filter(({ id }) => OF_MACHINES.includes(id));
  const stops: Stop[] = own.map((channel) =>
    engine.subscribe(topicOf(channel.id), (text) => {
      // The text was written by one of our processes.
      const message = JSON.parse(text) as OutboundMessage;
      const ledger: PartLedger = { part: (_index, post) => post({ key: message.id }) };
      channel.send(message, ledger).catch(onError);
    }),
  );
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

const topicOf = (channel: string): string => `answer:${channel}`;
