/** The channels, connected to the gateway: what each may ask of it, and what becomes of those that cannot connect. */
import { API, type Channel, type ChannelCallbacks, HUB } from '../channels/channel.ts';
import { ConfigError } from '../errors.ts';
import type { Gateway } from '../runtime/gateway.ts';
import type { Services } from './services.ts';
import type { Work } from './work.ts';

type Connecting = Pick<Services, 'handles' | 'metrics' | 'log' | 'built' | 'digests' | 'roles'>;

/**
 * Resolves when every channel has connected once; a platform that cannot be reached keeps it waiting. Rejects with ConfigError
 * when no chat channel can ever connect with these settings.
 */
export async function connectAll(
  services: Connecting,
  gateway: Gateway,
  work: Pick<Work, 'interrupt' | 'preload'>,
  onStatus: (channel: string) => void,
): Promise<void> {
  const { channels } = services.built;
  const connecting = Promise.all(
    [...channels.values()].map((channel) =>
      connect(channel, callbacksFor(channel.id, services, gateway, work, onStatus), services),
    ),
  );
  // Parsing the model's libraries fills the time in which the platforms answer.
  const [outcomes] = await Promise.all([connecting, work.preload()]);
  const problems = outcomes.filter((problem) => problem !== undefined);
  const chat = [...channels.keys()].filter((id) => id !== 'local' && id !== API && id !== HUB);
  if (problems.length > 0 && problems.length === chat.length)
    throw new ConfigError(problems.flatMap((problem) => problem.problems));
}

async function connect(
  channel: Channel,
  callbacks: ChannelCallbacks,
  { log, roles }: Pick<Connecting, 'log' | 'roles'>,
): Promise<ConfigError | undefined> {
  try {
    await channel.connect(callbacks, { sendOnly: !roles.has('ingress') });
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log.error({ channel: channel.id }, error.message);
    return error;
  }
}

function callbacksFor(
  channel: string,
  { handles, metrics, digests }: Connecting,
  gateway: Gateway,
  work: Pick<Work, 'interrupt'>,
  onStatus: (channel: string) => void,
): ChannelCallbacks {
  return {
    onShared: (address, files, messageId) => digests.shared(address, files, messageId),
    async onMessage(message, raw) {
      try {
        return await gateway.accept(message, raw);
      } catch (error) {
        handles.note(error);
        throw error;
      }
    },
    onInterrupt: async (signal, address) => void (await work.interrupt(signal, address)),
    onDropped: (kind) => metrics.count('viber_dropped_total', { channel, kind }),
    onSuggest: (query) => gateway.suggest(query),
    onStatus: () => onStatus(channel),
  };
}
