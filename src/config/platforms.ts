/** The chat platforms that can be set up, and the settings that switch one on. */
import { channelKinds, chatSection } from '../channels/index.ts';
import type { ChannelKind, ChannelSetup } from '../channels/kind.ts';
import type { Config } from '../config.ts';
import type { Change } from './change.ts';

export type Platform = ChannelKind & { setup: ChannelSetup };

const hasSetup = (kind: ChannelKind): kind is Platform => kind.setup !== undefined;

export const platforms = (): readonly Platform[] => channelKinds().filter(hasSetup);

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
