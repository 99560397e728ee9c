/** Registers Discord as a kind of channel. */
import { say } from '../../messages/messages.ts';
import { defineChannel } from '../kind.ts';

export const discord = defineChannel({
  name: 'discord',
  label: 'Discord',
  accountPattern: String.raw`\d{1,20}`,
  examples: { account: 'discord:2002', conversation: 'discord:99887' },
  variables: { token: 'DISCORD_BOT_TOKEN', apiRoot: 'DISCORD_API_ROOT', cdnRoot: 'DISCORD_CDN_ROOT' },
  switches: [['token']],
  servers: { key: 'guilds', of: ({ guilds }) => guilds },
  usual: {
    token: {
      pattern: /^[\w-]+\.[\w-]+\.[\w-]+$/,
      looks: say('config.discordForm'),
      what: say('config.discordBot'),
    },
  },
  lookalikes: [
    { pattern: /^\d{17,20}$/, what: say('config.discordApplication') },
    { pattern: /^[\da-f]{64}$/, what: say('config.discordPublic') },
    { pattern: /^[\w-]{32}$/, what: say('config.discordClient') },
  ],
  commandPrefix: () => '/viber ',
  settings: async () => (await import('./settings.ts')).settings,
  async open(settings, { isShared, lead, cursors, ...gateway }) {
    const { createDiscord } = await import('./adapter.ts');
    return createDiscord({
      ...settings,
      ...gateway,
      cursors: cursors(),
      ...(isShared && { shared: { lead, sessions: gateway.cache } }),
    });
  },
  check: async (settings) => (await import('./adapter.ts')).checkDiscord(settings),
  card: async (settings) => (await import('./adapter.ts')).discordCard(settings),
  setup: {
    steps: say('setup.discordSteps'),
    tokens: [
      {
        key: 'token',
        option: 'discord-token-env',
        about: say('setup.discordToken'),
        question: say('setup.pasteToken'),
      },
    ],
    page: 'https://discord.com/developers/applications, page "Bot", "Reset Token"',
    starter: `token: "\${DISCORD_BOT_TOKEN}"\nguilds: [175928847299117063]`,
  },
});
