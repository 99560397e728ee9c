/** Registers Slack as a kind of channel. */
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
    botToken: { pattern: /^xoxb-/, looks: 'a bot token begins with xoxb-' },
    appToken: { pattern: /^xapp-/, looks: 'an app-level token begins with xapp-' },
  },
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
    steps:
      '1. Open https://api.slack.com/apps and press "Create New App", "From a manifest"\n2. Choose your workspace, and paste this as YAML:',
    paste: async () => (await import('./adapter.ts')).slackManifest,
    tokens: [
      {
        before: '3. Press "Install App", "Install to Workspace"; the page then shows the bot token',
        key: 'botToken',
        option: 'slack-bot-token-env',
        about: 'the variable that holds the xoxb- token',
        question: 'Paste the bot token, xoxb-… (it is not shown)',
      },
      {
        before: '4. "Basic Information", "App-Level Tokens": generate one with the scope connections:write',
        key: 'appToken',
        option: 'slack-app-token-env',
        about: 'the variable that holds the xapp- token',
        question: 'Paste the app token, xapp-… (it is not shown)',
      },
    ],
    page: 'https://api.slack.com/apps, your app',
    starter: `botToken: "\${SLACK_BOT_TOKEN}"\nappToken: "\${SLACK_APP_TOKEN}"\naccess: { chats: [C024BE91L] }`,
  },
});
