/** Checks where job results go, from the configuration alone. Asks no platform. */
import { formatAddress, type WrittenAddress } from '../../../channels/channel.ts';
import { channelKinds, chatSection } from '../../../channels/index.ts';
import type { Config } from '../../../config.ts';
import { viberCommand } from '../../../lib/invocation.ts';

/** Returns why nothing can be sent to that channel, or undefined if it can. */
export function placeProblem(place: WrittenAddress, config: Config): string | undefined {
  const text = formatAddress({ account: '', ...place });
  const names = channelKinds().map(({ name }) => name);
  if (!names.includes(place.channel)) return `Nothing can be sent to ${text}: the channels are ${names.join(', ')}.`;
  return chatSection(config, place.channel) === undefined
    ? `Nothing can be sent to ${text}: ${place.channel} is not on; ${viberCommand('init')} connects it.`
    : undefined;
}
