/** Where the results of jobs go, as the configuration has it: no platform is asked. */
import { formatAddress, type WrittenAddress } from '../../channels/channel.ts';
import type { Config } from '../../config.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { PLATFORMS } from '../setup/platforms.ts';

/** Why nothing can be sent to any chat of that channel; undefined when it can. */
export function placeProblem(place: WrittenAddress, { channels }: Config): string | undefined {
  const text = formatAddress({ account: '', ...place });
  const platform = PLATFORMS.find((name) => name === place.channel);
  if (platform === undefined) return `Nothing can be sent to ${text}: the channels are ${PLATFORMS.join(', ')}.`;
  return channels[platform] === undefined
    ? `Nothing can be sent to ${text}: ${platform} is not on; ${viberCommand('init')} connects it.`
    : undefined;
}
