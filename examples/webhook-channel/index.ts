/** An example of an external channel; `channels.webhook.module` loads it. */
import { defineChannel, settings as parts } from 'openviber-gateway/plugin';
import { createWebhookChannel } from './channel.ts';

const { chat, id, path, section, text } = parts;
const ID = /^[\w.:-]{1,64}$/;

const settings = section({
  secret: text('expected at least 16 characters that both sides know', /^.{16,}$/),
  callback: text('expected an http address on 127.0.0.1', /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:|\/|$)/),
  path: path.default('/webhooks/example'),
  ...chat(id('expected the id of a person', ID), id('expected the id of a chat, or "*"', /^([\w.:-]{1,64}|\*)$/)),
});

export default defineChannel({
  name: 'webhook',
  label: 'Webhook',
  accountPattern: String.raw`[\w.-]{1,64}`,
  examples: { account: 'webhook:alex', conversation: 'webhook:room' },
  variables: { secret: 'WEBHOOK_SECRET' },
  webhook: { key: 'path', path: ({ path = '/webhooks/example' }) => path },
  commandPrefix: () => '/',
  isDirect: ({ chat }) => chat.startsWith('dm-'),
  settings: () => settings,
  open: ({ secret, callback }, { log }) => createWebhookChannel({ secret, callback, log }),
  async check({ callback }) {
    await fetch(callback, { method: 'HEAD' });
    return ['the other program answers'];
  },
});
