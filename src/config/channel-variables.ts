/** The environment's part in `channels:`: tokens switch a channel on and fill in what the file does not say. */
import { isRecord } from '../lib/json.ts';
import { addSecret } from '../log.ts';
import { variable } from './environment.ts';
import type { Data } from './parse.ts';

type Section = { [key: string]: Data };

interface Variables {
  /** Key of the channel's section to variable. */
  keys: Record<string, string>;
  /** The channel is on when one of these groups is there as a whole. */
  switches: string[][];
}

const CHANNELS: Record<string, Variables> = {
  telegram: {
    keys: { token: 'TELEGRAM_BOT_TOKEN', apiRoot: 'TELEGRAM_API_ROOT' },
    switches: [['token']],
  },
  discord: {
    keys: { token: 'DISCORD_BOT_TOKEN', apiRoot: 'DISCORD_API_ROOT', cdnRoot: 'DISCORD_CDN_ROOT' },
    switches: [['token']],
  },
  slack: {
    keys: {
      botToken: 'SLACK_BOT_TOKEN',
      appToken: 'SLACK_APP_TOKEN',
      signingSecret: 'SLACK_SIGNING_SECRET',
      apiRoot: 'SLACK_API_ROOT',
    },
    switches: [
      ['botToken', 'appToken'],
      ['botToken', 'signingSecret'],
    ],
  },
};

/** The variable that fills in what stands at a path, where there is one. */
export function variableOf([section, channel, key]: readonly PropertyKey[]): string | undefined {
  const keys = section === 'channels' ? CHANNELS[String(channel)]?.keys : undefined;
  return keys?.[String(key)];
}

/** `data` with the environment's values where the file has none; what the file says comes first. */
export function addChannels(data: Section, env: NodeJS.ProcessEnv): { data: Section; warnings: string[] } {
  const channels = data.channels ?? {};
  if (!isRecord(channels)) return { data, warnings: [] };
  const sections: Section = {};
  const warnings: string[] = [];
  for (const [name, { keys, switches }] of Object.entries(CHANNELS)) {
    const given: Record<string, string> = {};
    for (const [key, from] of Object.entries(keys)) {
      const value = variable(env, from)?.trim();
      if (value === undefined || value === '') continue;
      given[key] = value;
      if (/(token|secret)$/i.test(key)) addSecret(value);
    }
    const isOn = switches.some((group) => group.every((key) => key in given));
    const section = channels[name] ?? (isOn ? {} : undefined);
    if (isRecord(section)) sections[name] = { ...given, ...section };
    else if (section === undefined && !isOn) warnings.push(...halfGiven(name, given));
  }
  if (Object.keys(sections).length === 0) return { data, warnings };
  return { data: { ...data, channels: { ...channels, ...sections } }, warnings };
}

/** Secrets that look as if a channel was meant to be on, and are not enough for it. */
function halfGiven(name: string, given: Record<string, string>): string[] {
  const { keys, switches } = CHANNELS[name] ?? { keys: {}, switches: [] };
  const there = [...new Set(switches.flat())].filter((key) => key in given);
  if (there.length === 0) return [];
  const wanted = switches.map((group) => group.map((key) => keys[key]).join(' and '));
  return [`${there.map((key) => keys[key]).join(', ')}: not enough to switch ${name} on; set ${wanted.join(', or ')}`];
}
