/** Checks the addresses for job results against the configuration alone. Asks no platform. */
import { formatAddress, type WrittenAddress } from '../../channels/channel.ts';
import { channelKinds, chatSection } from '../../channels/index.ts';
import type { Config } from '../../config.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { say, type Wording } from '../../messages/messages.ts';

/** Returns why nothing can be sent to that channel, or undefined if it can. */
export function placeProblem(place: WrittenAddress, config: Pick<Config, 'channels'>): Wording | undefined {
  const text = formatAddress({ account: '', ...place });
  const names = channelKinds().map(({ name }) => name);
  if (!names.includes(place.channel)) return say('cli.cantSend', { to: text, names: names.join(', ') });
  return chatSection(config, place.channel) === undefined
    ? say('cli.channelOff', { to: text, channel: place.channel, command: viberCommand('init') })
    : undefined;
}
