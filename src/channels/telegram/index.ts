/** Registers Telegram as a kind of channel. */
import { isRecord } from '../../lib/json.ts';
import { say } from '../../messages/messages.ts';
import { defineChannel } from '../kind.ts';

export const telegram = defineChannel({
  name: 'telegram',
  label: 'Telegram',
  accountPattern: String.raw`-?\d{1,19}`,
  examples: { account: 'telegram:1001', conversation: 'telegram:-1001234567890' },
  variables: { token: 'TELEGRAM_BOT_TOKEN', apiRoot: 'TELEGRAM_API_ROOT' },
  switches: [['token']],
  webhook: {
    key: 'webhook.path',
    path: ({ mode, webhook }) => (mode === 'webhook' && isRecord(webhook) ? webhook.path : undefined),
  },
  words: { group: 'tasks.group', thread: 'tasks.topic' },
  usual: {
    token: { pattern: /^\d+:[\w-]+$/, looks: say('config.telegramForm'), what: say('config.telegramBot') },
  },
  lookalikes: [{ pattern: /^@?\w{2,29}bot$/i, what: say('config.telegramName') }],
  commandPrefix: () => '/',
  // A group's ID is negative.
  isDirect: ({ chat }) => !chat.startsWith('-'),
  settings: async () => (await import('./settings.ts')).settings,
  rules: async (section) => (await import('./settings.ts')).rules(section),
  async open(settings, { commands, ...gateway }) {
    const { createTelegram } = await import('./adapter.ts');
    return createTelegram({ ...settings, ...gateway, attachCommands: commands });
  },
  async check({ token, apiRoot }) {
    return [await (await import('./adapter.ts')).checkTelegram({ token, apiRoot })];
  },
  card: async (settings) => (await import('./adapter.ts')).telegramCard(settings),
  setup: {
    steps: say('setup.telegramSteps'),
    tokens: [
      {
        key: 'token',
        option: 'telegram-token-env',
        about: say('setup.telegramToken'),
        question: say('setup.pasteToken'),
      },
    ],
    page: 'https://t.me/BotFather, /mybots, "API Token"',
    starter: `token: "\${TELEGRAM_BOT_TOKEN}"`,
  },
});
