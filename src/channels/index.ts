/** Holds the table of channel kinds. Each loads its client only when it is on, so an unused SDK costs nothing. */
import type { Address } from './channel.ts';
import { discord } from './discord/index.ts';
import type { AccessConfig, ChannelKind, ChatChannelConfig, ServerConfig } from './kind.ts';
import { slack } from './slack/index.ts';
import { telegram } from './telegram/index.ts';

const BUILT_IN = { telegram, discord, slack };
const kinds = new Map<string, ChannelKind>(Object.entries(BUILT_IN));

type SettingsOf<K> = K extends ChannelKind<infer S> ? S : never;
/** The sections of the built-in chat channels; absent for a channel that is off. */
export type BuiltInSections = { [K in keyof typeof BUILT_IN]?: SettingsOf<(typeof BUILT_IN)[K]> };

/** The channels of this machine itself. */
export const channelModules = {
  api: () => import('./api/adapter.ts'),
  local: () => import('./local/adapter.ts'),
  hub: () => import('./hub/adapter.ts'),
  terminal: () => import('./terminal/adapter.ts'),
} as const;

export const OWN_CHANNELS: readonly string[] = ['terminal', 'local', 'api', 'hub'];

export const channelKinds = (): readonly ChannelKind[] => [...kinds.values()];

export const channelKind = (channel: string): ChannelKind | undefined => kinds.get(channel);

/** Returns whether the name belongs to the gateway, so that a channel from outside can't take it. */
export const isBuiltIn = (name: string): boolean =>
  Object.hasOwn(BUILT_IN, name) || Object.hasOwn(channelModules, name) || name === 'job' || name === 'person';

/** Adds a kind from outside. It replaces an earlier one of the same name, but never a built-in kind. */
export function addKind(kind: ChannelKind): void {
  if (!isBuiltIn(kind.name)) kinds.set(kind.name, kind);
}

/** Joins an example of each built-in kind as `a, b or c`. */
export const exampleOf = (what: keyof ChannelKind['examples']): string =>
  Object.values(BUILT_IN)
    .map(({ examples }) => examples[what])
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1');

/** Returns whether a text is an account of a chat channel, as written in `people:`. */
export const isAccount = (text: string): boolean =>
  channelKinds().some(({ name, accountPattern }) => new RegExp(`^${name}:(?:${accountPattern})$`).test(text));

interface Sections {
  channels: Readonly<Record<string, unknown>>;
}

/** Returns the settings of a chat channel that is on. */
export function chatSection({ channels }: Sections, name: string): ChatChannelConfig | undefined {
  // The schema of its kind has made the section.
  return kinds.has(name) ? (channels[name] as ChatChannelConfig | undefined) : undefined;
}

export function chatSections(config: Sections): { kind: ChannelKind; settings: ChatChannelConfig }[] {
  return channelKinds().flatMap((kind) => {
    const settings = chatSection(config, kind.name);
    return settings ? [{ kind, settings }] : [];
  });
}

/** Returns the server of an address, if the channel's section lists it. */
export function serverOf(config: Sections, { channel, workspace }: { channel: string; workspace?: string }) {
  const section = workspace === undefined ? undefined : chatSection(config, channel);
  const servers: readonly ServerConfig[] = section ? (channelKind(channel)?.servers?.of(section) ?? []) : [];
  return servers.find(({ id }) => id === workspace);
}

/**
 * Returns the access rules of a chat channel. A listed server is open in all its channels, with its own `groups` if it
 * has one; in any other server only the channels of `access.chats` count.
 */
export function accessOf(config: Sections, at: { channel: string; workspace?: string }): AccessConfig | undefined {
  const access = chatSection(config, at.channel)?.access;
  const server = serverOf(config, at);
  return access && server ? { ...access, groups: server.groups ?? access.groups, chats: ['*'] } : access;
}

/** Returns whether only one person reads there, judged by the platform's IDs. */
export function isDirectAddress({ channel, chat, workspace }: Address): boolean {
  const at = { chat, ...(workspace !== undefined && { workspace }) };
  return channelKind(channel)?.isDirect?.(at) ?? workspace === undefined;
}
