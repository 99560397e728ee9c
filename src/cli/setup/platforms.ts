/** The checks of the platforms that the wizard can set up. */
import { channelKind, chatSection } from '../../channels/index.ts';
import type { Card } from '../../channels/kind.ts';
import type { Platform } from '../../config/platforms.ts';
import type { Config } from '../../config.ts';

export { type Platform, platformChange, platforms, platformsOf, variableFor } from '../../config/platforms.ts';

import { silentLog } from '../../log.ts';
import { checkChannels } from '../doctor/checks.ts';
import type { Finding } from '../doctor/finding.ts';
import type { Change, Settings } from './settings.ts';

export async function checkPlatform(settings: Settings, { name }: Platform, change: Change): Promise<Finding[]> {
  const { config } = await settings.with(change);
  const { terminal } = config.channels;
  const only = { terminal, [name]: chatSection(config, name) };
  return (await checkChannels({ ...config, channels: only })).filter(({ state }) => state !== 'note');
}

/**
 * Returns how to find the bot.
 * @throws if the platform can't be asked
 */
export async function cardOf({ name }: Platform, config: Config): Promise<Card> {
  const section = chatSection(config, name);
  const card = section && (await channelKind(name)?.card?.(section, silentLog()));
  if (card) return card;
  throw new Error(`${name} is not switched on`);
}
