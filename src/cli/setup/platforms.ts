/** What each platform needs, in the order in which a person meets it on the platform's own pages, and whether it works. */
import { channelModules } from '../../channels/index.ts';
import type { Config } from '../../config.ts';
import { silentLog } from '../../log.ts';
import { checkChannels } from '../doctor/checks.ts';
import type { Finding } from '../doctor/finding.ts';
import type { Change, Settings } from './settings.ts';

export const PLATFORMS = ['telegram', 'discord', 'slack'] as const;
export type PlatformName = (typeof PLATFORMS)[number];

interface Token {
  /** Key of the channel's section. */
  key: string;
  variable: string;
  question: string;
}

interface PlatformSetup {
  label: string;
  /** What is done before the first token is there. */
  steps: string;
  tokens: readonly (Token & { before?: string })[];
  /** Where a wrong token is fixed. */
  page: string;
}

export const SETUPS: Readonly<Record<PlatformName, PlatformSetup>> = {
  telegram: {
    label: 'Telegram',
    steps:
      '1. Open https://t.me/BotFather and send /newbot\n2. Give your bot a name, and a username that ends in bot\n3. BotFather answers with the token: copy it',
    tokens: [{ key: 'token', variable: 'TELEGRAM_BOT_TOKEN', question: 'Paste the token (it is not shown)' }],
    page: 'https://t.me/BotFather, /mybots, "API Token"',
  },
  discord: {
    label: 'Discord',
    steps:
      '1. Open https://discord.com/developers/applications and press "New Application"\n2. Page "Bot": switch "Message Content Intent" on, and save\n3. The same page: press "Reset Token" and copy it',
    tokens: [{ key: 'token', variable: 'DISCORD_BOT_TOKEN', question: 'Paste the token (it is not shown)' }],
    page: 'https://discord.com/developers/applications, page "Bot", "Reset Token"',
  },
  slack: {
    label: 'Slack',
    steps:
      '1. Open https://api.slack.com/apps and press "Create New App", "From a manifest"\n2. Choose your workspace, and paste this as YAML:',
    tokens: [
      {
        before: '3. Press "Install App", "Install to Workspace"; the page then shows the bot token',
        key: 'botToken',
        variable: 'SLACK_BOT_TOKEN',
        question: 'Paste the bot token, xoxb-… (it is not shown)',
      },
      {
        before: '4. "Basic Information", "App-Level Tokens": generate one with the scope connections:write',
        key: 'appToken',
        variable: 'SLACK_APP_TOKEN',
        question: 'Paste the app token, xapp-… (it is not shown)',
      },
    ],
    page: 'https://api.slack.com/apps, your app',
  },
};

/** The settings that switch a platform on with these secrets. */
export function platformChange(name: PlatformName, secrets: Readonly<Record<string, string>>): Change {
  const settings = SETUPS[name].tokens
    .filter(({ variable }) => variable in secrets)
    .map(({ key, variable }) => ({ path: ['channels', name, key], value: `\${${variable}}` }));
  return { settings, secrets };
}

/** The platforms that are switched on. */
export const platformsOf = ({ channels }: Config): PlatformName[] =>
  PLATFORMS.filter((name) => channels[name] !== undefined);

/** What the doctor says of one platform. */
export async function checkPlatform(settings: Settings, name: PlatformName, change: Change): Promise<Finding[]> {
  const { config } = await settings.with(change);
  const { terminal } = config.channels;
  const only = { terminal, [name]: config.channels[name] };
  return (await checkChannels({ ...config, channels: only })).filter(({ state }) => state !== 'note');
}

export interface Card {
  name: string;
  link: string;
  /** Where a server lets it in. */
  invite?: string;
}

/** How a person finds the bot. Throws when the platform cannot be asked. */
export async function cardOf(name: PlatformName, { channels }: Config): Promise<Card> {
  const { telegram, discord, slack } = channels;
  if (name === 'telegram' && telegram) return (await channelModules.telegram()).telegramCard(telegram);
  if (name === 'discord' && discord) return (await channelModules.discord()).discordCard(discord);
  if (name === 'slack' && slack) return (await channelModules.slack()).slackCard({ ...slack, log: silentLog() });
  throw new Error(`${name} is not switched on`);
}
