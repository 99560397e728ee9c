/** The platforms that the wizard can set up, and their checks. */
import { channelKind, channelKinds, chatSection } from '../../channels/index.ts';
import type { Card, ChannelKind, ChannelSetup } from '../../channels/kind.ts';
import type { Config } from '../../config.ts';
import { silentLog } from '../../log.ts';
import { checkChannels } from '../doctor/checks.ts';
import type { Finding } from '../doctor/finding.ts';
import type { Change, Settings } from './settings.ts';

export type Platform = ChannelKind & { setup: ChannelSetup };

const hasSetup = (kind: ChannelKind): kind is Platform => kind.setup !== undefined;

export const platforms = (): readonly Platform[] => channelKinds().filter(hasSetup);

/** Returns the environment variable for a secret of a platform. */
export const variableFor = ({ name, variables }: ChannelKind, key: string): string =>
  variables?.[key] ?? `${name}_${key}`.replace(/\W/g, '_').toUpperCase();

/** Returns the settings that enable a platform, each secret under its variable. */
export function platformChange(platform: Platform, secrets: Readonly<Record<string, string>>): Change {
  const settings = platform.setup.tokens
    .map(({ key }) => ({ key, variable: variableFor(platform, key) }))
    .filter(({ variable }) => variable in secrets)
    .map(({ key, variable }) => ({ path: ['channels', platform.name, key], value: `\${${variable}}` }));
  return { settings, secrets };
}

export const platformsOf = (config: Config): readonly Platform[] =>
  platforms().filter(({ name }) => chatSection(config, name) !== undefined);

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
