/** The platforms that the wizard can set up, and whether they work. */
import { channelKinds, chatSection, kindOf } from '../../channels/index.ts';
import type { Card, ChannelKind, ChannelSetup } from '../../channels/kind.ts';
import type { Config } from '../../config.ts';
import { silentLog } from '../../log.ts';
import { checkChannels } from '../doctor/checks.ts';
import type { Finding } from '../doctor/finding.ts';
import type { Change, Settings } from './settings.ts';

export type Platform = ChannelKind & { setup: ChannelSetup };

const hasSetup = (kind: ChannelKind): kind is Platform => kind.setup !== undefined;

export const platforms = (): readonly Platform[] => channelKinds().filter(hasSetup);

/** The variable of the environment that holds a secret of a platform. */
export const variableFor = ({ name, variables }: ChannelKind, key: string): string =>
  variables?.[key] ?? `${name}_${key}`.replace(/\W/g, '_').toUpperCase();

/** The settings that switch a platform on with these secrets, each under its variable. */
export function platformChange(platform: Platform, secrets: Readonly<Record<string, string>>): Change {
  const settings = platform.setup.tokens
    .map(({ key }) => ({ key, variable: variableFor(platform, key) }))
    .filter(({ variable }) => variable in secrets)
    .map(({ key, variable }) => ({ path: ['channels', platform.name, key], value: `\${${variable}}` }));
  return { settings, secrets };
}

/** The platforms that are switched on. */
export const platformsOf = (config: Config): readonly Platform[] =>
  platforms().filter(({ name }) => chatSection(config, name) !== undefined);

/** The doctor's findings about one platform. */
export async function checkPlatform(settings: Settings, { name }: Platform, change: Change): Promise<Finding[]> {
  const { config } = await settings.with(change);
  const { terminal } = config.channels;
  const only = { terminal, [name]: chatSection(config, name) };
  return (await checkChannels({ ...config, channels: only })).filter(({ state }) => state !== 'note');
}

/** How a person finds the bot. Throws when the platform cannot be asked. */
export async function cardOf({ name }: Platform, config: Config): Promise<Card> {
  const section = chatSection(config, name);
  const card = section && (await kindOf(name)?.card?.(section, silentLog()));
  if (card) return card;
  throw new Error(`${name} is not switched on`);
}
