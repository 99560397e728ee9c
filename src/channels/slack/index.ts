/** Registers Slack as a kind of channel. */
import { say } from '../../messages/messages.ts';
import { defineChannel } from '../kind.ts';

export const slack = defineChannel({
  name: 'slack',
  label: 'Slack',
  accountPattern: '[A-Z0-9]+:[A-Z0-9]+',
  examples: { account: 'slack:T01:U03', conversation: 'slack:C024BE91L' },
  hasWorkspaces: true,
  variables: {
    botToken: 'SLACK_BOT_TOKEN',
    appToken: 'SLACK_APP_TOKEN',
    signingSecret: 'SLACK_SIGNING_SECRET',
    apiRoot: 'SLACK_API_ROOT',
  },
  switches: [
    ['botToken', 'appToken'],
    ['botToken', 'signingSecret'],
  ],
  webhook: { key: 'path', path: ({ path = '/webhooks/slack' }) => path },
  words: { group: 'tasks.namedGroup' },
  usual: {
    botToken: { pattern: /^xoxb-/, looks: say('config.slackBotForm'), what: say('config.slackBot') },
    appToken: { pattern: /^xapp-/, looks: say('config.slackAppForm'), what: say('config.slackApp') },
  },
  lookalikes: [
    { pattern: /^xoxp-/, what: say('config.slackUser') },
    { pattern: /^xoxe[.-]/, what: say('config.slackConfiguration') },
  ],
  commandPrefix: ({ command }) => `${command} `,
  isDirect: ({ chat }) => chat.startsWith('D'),
  settings: async () => (await import('./settings.ts')).settings,
  rules: async (section) => (await import('./settings.ts')).rules(section),
  async open(settings, { cursors, ...gateway }) {
    const { createSlack } = await import('./adapter.ts');
    return createSlack({ ...settings, ...gateway, cursors: cursors() });
  },
  check: async (settings, log) => (await import('./adapter.ts')).checkSlack({ ...settings, log }),
  card: async (settings, log) => (await import('./adapter.ts')).slackCard({ ...settings, log }),
  setup: {
    steps: say('setup.slackSteps'),
    link: async () => (await import('./adapter.ts')).slackManifestLink,
    paste: async () => (await import('./adapter.ts')).slackManifest,
    tokens: [
      {
        before: say('setup.slackInstall'),
        key: 'botToken',
        option: 'slack-bot-token-env',
        about: say('setup.slackBotToken'),
        question: say('setup.pasteBotToken'),
      },
      {
        before: say('setup.slackGenerate'),
        key: 'appToken',
        option: 'slack-app-token-env',
        about: say('setup.slackAppToken'),
        question: say('setup.pasteAppToken'),
      },
    ],
    page: 'https://api.slack.com/apps, your app',
    starter: `botToken: "\${SLACK_BOT_TOKEN}"\nappToken: "\${SLACK_APP_TOKEN}"\naccess: { chats: [C024BE91L] }`,
  },
});
