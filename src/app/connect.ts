/** Connects the channels to the gateway: sets their callbacks, and handles channels that can't connect. */
import { API, type Channel, type ChannelCallbacks, HUB } from '../channels/channel.ts';
import { ConfigError } from '../errors.ts';
import { within } from '../lib/within.ts';
import { createInterrupt } from '../runtime/commands/interrupt.ts';
import { accept } from '../runtime/intake/accept.ts';
import { suggestFor } from '../runtime/intake/suggest.ts';
import type { OpenGateway } from './contract.ts';

const CONNECT_MS = 10_000;

/**
 * Resolves when every channel has connected once. An unreachable platform delays it.
 * @throws ConfigError if no chat channel can ever connect with these settings
 */
export async function connectAll(open: OpenGateway, onStatus: (channel: string) => void): Promise<void> {
  const { channels } = open.host.built;
  const connecting = Promise.all(
    [...channels.values()].map((channel) => connectChannel(channel, callbacksFor(channel.id, open, onStatus), open)),
  );
  // Load the model's libraries while waiting for the platforms.
  const [outcomes] = await Promise.all([connecting, open.preload()]);
  const problems = outcomes.filter((problem) => problem !== undefined);
  const chat = [...channels.keys()].filter((id) => id !== 'local' && id !== API && id !== HUB);
  if (problems.length > 0 && problems.length === chat.length)
    throw new ConfigError(problems.flatMap((problem) => problem.problems));
}

/**
 * Connects a channel that was added while the others are running. Resolves once it is connecting.
 * @throws ConfigError
 */
export async function connectAdded(
  open: OpenGateway,
  channel: Channel,
  onStatus: (channel: string) => void,
): Promise<void> {
  const connecting = connectChannel(channel, callbacksFor(channel.id, open, onStatus), open);
  // The channel of an unreachable platform keeps trying to connect; the page shows this.
  const problem = await within(connecting, CONNECT_MS);
  if (problem) throw problem;
}

async function connectChannel(
  channel: Channel,
  callbacks: ChannelCallbacks,
  { gw, host }: OpenGateway,
): Promise<ConfigError | undefined> {
  try {
    await channel.connect(callbacks, { sendOnly: !host.roles.has('ingress') });
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    gw.log.error({ channel: channel.id }, error.message);
    return error;
  }
}

function callbacksFor(
  channel: string,
  { gw, host }: OpenGateway,
  onStatus: (channel: string) => void,
): ChannelCallbacks {
  const interrupt = createInterrupt(gw);
  return {
    onShared: (address, files, messageId) => gw.tasks.digests.shared(address, files, messageId),
    async onMessage(message, raw) {
      try {
        return await accept(message, raw, gw);
      } catch (error) {
        host.handles.note(error);
        throw error;
      }
    },
    onInterrupt: async (signal, address) => void (await interrupt(signal, address)),
    onDropped: (kind) => gw.features.metrics.count('viber_dropped_total', { channel, kind }),
    onSuggest: (query) => suggestFor(query, gw),
    onStatus: () => onStatus(channel),
  };
}
