/** Applies the environment to `channels:`: tokens enable a channel and fill in what the file omits. */
import { channelKind, channelKinds } from '../channels/index.ts';
import type { ChannelKind } from '../channels/kind.ts';
import { isRecord } from '../lib/json.ts';
import { addSecret } from '../log.ts';
import { say, type Wording } from '../messages/messages.ts';
import { variable } from './environment.ts';
import type { Data } from './parse.ts';

type Section = { [key: string]: Data };

/** Returns the variable that fills in the setting at a path, if there is one. */
export function variableOf([section, channel, key]: readonly PropertyKey[]): string | undefined {
  return section === 'channels' ? channelKind(String(channel))?.variables?.[String(key)] : undefined;
}

/** Returns `data` with the environment's values where the file has none; the file takes precedence. */
export function addChannels(data: Section, env: NodeJS.ProcessEnv): { data: Section; warnings: Wording[] } {
  const channels = data.channels ?? {};
  if (!isRecord(channels)) return { data, warnings: [] };
  const sections: Section = {};
  const warnings: Wording[] = [];
  for (const kind of channelKinds()) {
    const { name, variables = {}, switches = [] } = kind;
    const given: Record<string, string> = {};
    for (const [key, from] of Object.entries(variables)) {
      const value = variable(env, from)?.trim();
      if (value === undefined || value === '') continue;
      given[key] = value;
      if (/(token|secret)$/i.test(key)) addSecret(value);
    }
    const isOn = switches.some((group) => group.every((key) => key in given));
    const section = channels[name] ?? (isOn ? {} : undefined);
    if (isRecord(section)) sections[name] = { ...given, ...section };
    else if (section === undefined && !isOn) warnings.push(...halfGiven(kind, given));
  }
  if (Object.keys(sections).length === 0) return { data, warnings };
  return { data: { ...data, channels: { ...channels, ...sections } }, warnings };
}

/** Warns about secrets that suggest a channel but are not enough to enable it. */
function halfGiven(
  { name, variables: keys = {}, switches = [] }: ChannelKind,
  given: Readonly<Record<string, string>>,
): Wording[] {
  const there = [...new Set(switches.flat())].filter((key) => key in given);
  if (there.length === 0) return [];
  type Words = Wording | string;
  const wanted = switches
    .map((group) =>
      group.map((key): Words => keys[key] ?? key).reduce((before, after) => say('config.halfAnd', { before, after })),
    )
    .reduce((before, after) => say('config.halfOr', { before, after }));
  return [say('config.halfGiven', { names: there.map((key) => keys[key]).join(', '), channel: name, wanted })];
}
